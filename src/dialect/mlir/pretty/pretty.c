/* StableHLO in the forms that JAX prints: the generic text is read, and printed again. An operation
 * whose short form is not known here stays in the generic one, which may stand among the others. */
#include "dialect/mlir/pretty/pretty.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- the table ----------------------------------------------------------------------------- */

typedef struct form_row {
    const char *name;
    mir_form form;
    const char *attrs;
} form_row;

/* The form of NAME; NULL: it is written in the generic one, unless it has neither attributes nor
 * regions. */
static const form_row *row_named(mir_text name)
{
    static const form_row rows[] = {
#define HLO(name, form, min_in, max_in, n_out, n_regions, attrs, lower, arg)                       \
    {name, FORM_##form, attrs},
#include "dialect/mlir/hlo/ops.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (mir_is(name, rows[i].name))
            return &rows[i];
    return NULL;
}

/* Rows are looked for while printing. To be read the generic text needs none but that of the
 * return, which has its short form there, too. */
static const mir_row *row_of_return(const void *rows, mir_text name)
{
    static const mir_row row = {.name = "func.return", .form = FORM_VALUES, .attrs = ""};
    (void)rows;
    return mir_is(name, row.name) ? &row : NULL;
}

/* ---- operations ---------------------------------------------------------------------------- */

static void put_results(printer *p, const mir_op *o)
{
    const bool is_constant = mir_is(o->name, "stablehlo.constant");
    const bool is_float = is_constant && dtype_is_float(o->out[0].type->dtype);
    const name_kind kind = !is_constant ? NAME_NUMBER : is_float ? NAME_CST : NAME_C;
    pretty_indent(p);
    if (o->n_out == 0)
        return;
    pretty_label(p, &o->out[0], kind);
    pretty_label_text(p, &p->labels[o->out[0].number]);
    if (o->n_out > 1) {
        text_putc(p->out, ':');
        text_u64(p->out, o->n_out);
    }
    for (uint32_t i = 0; i < o->n_out && o->n_out > 1; i++) {
        p->labels[o->out[i].number] = p->labels[o->out[0].number];
        p->labels[o->out[i].number].index = i;
        p->labels[o->out[i].number].is_pack = true;
    }
    pretty_puts(p, " = ");
}

void pretty_op(printer *p, const mir_op *o)
{
    static const form_row no_attributes = {"", FORM_PLAIN, ""};
    const form_row *row = row_named(o->name);
    const mir_op *by = NULL;
    put_results(p, o);
    if (!row)
        row = o->attrs.n || o->n_regions || o->n_out != 1 ? NULL : &no_attributes;
    const mir_form form = row ? row->form : FORM_NONE;
    const bool is_short = form == FORM_COMPARE || form == FORM_CONSTANT || form == FORM_SLICE ||
                          form == FORM_WHILE || form == FORM_CONV ||
                          (form == FORM_PLAIN && o->n_out == 1) ||
                          (form == FORM_VALUES && o->n_out == 0) ||
                          (form == FORM_REDUCE && (by = pretty_only_operation(o)) != NULL) ||
                          (form == FORM_CALL && mir_is(o->name, "stablehlo.custom_call"));
    if (!is_short) {
        pretty_generic(p, o);
        pretty_puts(p, "\n");
        return;
    }
    pretty_text(p, mir_is(o->name, "func.return") ? (mir_text){"return", 6} : o->name);
    if (form == FORM_COMPARE)
        pretty_compare(p, o);
    else if (form == FORM_CONSTANT)
        pretty_constant(p, o);
    else if (form == FORM_SLICE)
        pretty_slice(p, o);
    else if (form == FORM_WHILE)
        pretty_while(p, o);
    else if (form == FORM_CONV)
        pretty_convolution(p, o);
    else if (form == FORM_REDUCE)
        pretty_reduce(p, o, by);
    else if (form == FORM_CALL)
        pretty_custom_call(p, o);
    else if (form == FORM_VALUES)
        pretty_return(p, o);
    else if (mir_is(o->name, "stablehlo.dot_general"))
        pretty_dot_general(p, o);
    else
        pretty_plain(p, o, row->attrs);
    pretty_puts(p, "\n");
}

/* ---- the module ---------------------------------------------------------------------------- */

static void put_dict(printer *p, const mir_attr *dicts, uint32_t i)
{
    const mir_fields *fields = dicts && i < dicts->n ? &dicts->items[i].fields : NULL;
    for (uint32_t k = 0; fields && k < fields->n; k++) {
        pretty_puts(p, k ? ", " : " {");
        pretty_text(p, fields->at[k].name);
        pretty_puts(p, " = ");
        pretty_text(p, fields->at[k].value->whole);
    }
    pretty_puts(p, fields && fields->n ? "}" : "");
}

/* The attributes of the input V. Its name is left out where it is that of its label. */
static void put_input_dict(printer *p, const mir_value *v, const mir_attr *dicts, uint32_t i)
{
    const mir_fields *fields = dicts && i < dicts->n ? &dicts->items[i].fields : NULL;
    const mir_attr *given = fields ? mir_attr_named(fields, "jax.arg_info") : NULL;
    const mir_text name = given ? given->text : v->name;
    char shown[24];
    uint32_t n = 0;
    (void)snprintf(shown, sizeof shown, "arg%" PRIu32, p->labels[v->number].number);
    if (!mir_is(name, shown)) {
        pretty_puts(p, " {jax.arg_info = ");
        if (given) {
            pretty_text(p, given->whole);
        } else {
            text_putc(p->out, '"');
            pretty_text(p, name);
            text_putc(p->out, '"');
        }
        n++;
    }
    for (uint32_t k = 0; fields && k < fields->n; k++) {
        if (fields->at[k].value == given)
            continue;
        pretty_puts(p, n++ ? ", " : " {");
        pretty_text(p, fields->at[k].name);
        pretty_puts(p, " = ");
        pretty_text(p, fields->at[k].value->whole);
    }
    pretty_puts(p, n ? "}" : "");
}

static void put_function(printer *p, const mir_function *f)
{
    pretty_puts(p, "module {\n  func.func public @");
    pretty_text(p, f->name);
    pretty_puts(p, "(");
    for (uint32_t i = 0; i < f->body.n_args; i++) {
        pretty_label(p, &f->body.args[i], NAME_ARG);
        pretty_puts(p, i ? ", " : "");
        pretty_value(p, &f->body.args[i]);
        pretty_puts(p, ": ");
        pretty_text(p, f->body.args[i].type->text);
        put_input_dict(p, &f->body.args[i], f->arg_attrs, i);
    }
    pretty_puts(p, f->n_results ? ") -> (" : ")");
    for (uint32_t i = 0; i < f->n_results; i++) {
        pretty_puts(p, i ? ", " : "");
        pretty_text(p, f->results[i]->text);
        put_dict(p, f->result_attrs, i);
    }
    pretty_puts(p, f->n_results ? ") {\n" : " {\n");
    p->depth = 1;
    pretty_block(p, &f->body);
    pretty_puts(p, "  }\n}\n");
}

tn_status pretty_print(const module *m, const text_buffer *generic, text_buffer *out)
{
    const source text = {.name = "", .text = generic->at, .length = generic->n};
    mir_model model = {0};
    arena memory;
    arena_init(&memory, m->allocator);
    tn_status s = TN_OK;
    printer p = {.out = out};
    if (mir_read(m->cx, &text, m->allocator, &memory, row_of_return, NULL, &model) &&
        model.functions.n)
        p.labels = ARENA_ARRAY(&memory, value_label, model.functions.at[0]->n_values);
    if (p.labels)
        put_function(&p, model.functions.at[0]);
    else
        s = module_no_memory(m);
    mir_release(m->allocator, &model);
    arena_release(&memory);
    return s;
}
