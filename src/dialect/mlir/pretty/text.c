/* Names, types and attributes in short forms. */
#include "dialect/mlir/pretty/pretty.h"

/* ---- names --------------------------------------------------------------------------------- */

void pretty_text(printer *p, mir_text t)
{
    text_put(p->out, t.at, t.n);
}

void pretty_puts(printer *p, const char *s)
{
    text_puts(p->out, s);
}

void pretty_label_text(printer *p, const value_label *l)
{
    static const char *const bases[] = {"", "arg", "iterArg", "c", "cst"};
    text_putc(p->out, '%');
    pretty_puts(p, bases[l->kind]);
    if (l->kind <= NAME_ARG) {
        text_u64(p->out, l->number);
    } else if (l->number) { /* the first has none, then _0 */
        text_putc(p->out, '_');
        text_u64(p->out, l->number - 1);
    }
}

void pretty_label(printer *p, const mir_value *v, name_kind kind)
{
    p->labels[v->number] = (value_label){.kind = kind, .number = p->used[kind]++};
}

void pretty_value(printer *p, const mir_value *v)
{
    const value_label *l = &p->labels[v->number];
    pretty_label_text(p, l);
    if (l->is_pack) {
        text_putc(p->out, '#');
        text_u64(p->out, l->index);
    }
}

void pretty_values(printer *p, const mir_op *o, uint32_t first, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        pretty_puts(p, i ? ", " : "");
        pretty_value(p, o->in[first + i]);
    }
}

void pretty_indent(printer *p)
{
    text_fill(p->out, ' ', 2 * (size_t)p->depth);
}

/* ---- types --------------------------------------------------------------------------------- */

void pretty_operand_types(printer *p, const mir_op *o)
{
    for (uint32_t i = 0; i < o->n_in; i++) {
        pretty_puts(p, i ? ", " : "");
        pretty_text(p, o->in[i]->type->text);
    }
}

void pretty_result_types(printer *p, const mir_op *o)
{
    for (uint32_t i = 0; i < o->n_out; i++) {
        pretty_puts(p, i ? ", " : "");
        pretty_text(p, o->out[i].type->text);
    }
}

/* ` : (T, T) -> T` */
void pretty_signature(printer *p, const mir_op *o)
{
    pretty_puts(p, " : (");
    pretty_operand_types(p, o);
    pretty_puts(p, o->n_out == 1 ? ") -> " : ") -> (");
    pretty_result_types(p, o);
    pretty_puts(p, o->n_out == 1 ? "" : ")");
}

/* Do all operands from FIRST on have the type of the result? */
static bool has_one_type(const mir_op *o, uint32_t first)
{
    for (uint32_t i = first; i < o->n_in; i++)
        if (!mir_same(o->in[i]->type->text, o->out[0].type->text))
            return false;
    return o->n_out == 1;
}

/* Operations whose types are written as a signature, even where all are one. */
static bool has_signature(mir_text name)
{
    static const char *const names[] = {"reshape",
                                        "broadcast_in_dim",
                                        "transpose",
                                        "slice",
                                        "pad",
                                        "concatenate",
                                        "dynamic_slice",
                                        "dynamic_update_slice",
                                        "bitcast_convert",
                                        "dot",
                                        "compare",
                                        "dot_general",
                                        "convolution"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (name.n == strlen("stablehlo.") + strlen(names[i]) &&
            memcmp(name.at + strlen("stablehlo."), names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

void pretty_types(printer *p, const mir_op *o)
{
    const bool is_chlo = o->name.n > 5 && memcmp(o->name.at, "chlo.", 5) == 0;
    if (is_chlo && o->n_out == 1) {
        pretty_puts(p, " : ");
        pretty_operand_types(p, o);
        pretty_puts(p, " -> ");
        pretty_result_types(p, o);
    } else if (mir_is(o->name, "stablehlo.select") && has_one_type(o, 1)) {
        pretty_puts(p, " : ");
        pretty_text(p, o->in[0]->type->text);
        pretty_puts(p, ", ");
        pretty_result_types(p, o);
    } else if (!has_signature(o->name) && has_one_type(o, 0)) {
        pretty_puts(p, " : ");
        pretty_result_types(p, o);
    } else {
        pretty_signature(p, o);
    }
}

/* ---- attributes ---------------------------------------------------------------------------- */

/* `{a = 1, b = 2}` of those that are not in SHOWN, a list of names with spaces between. */
void pretty_rest(printer *p, const mir_op *o, const char *shown, const char *open,
                 const char *close)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < o->attrs.n; i++) {
        const mir_field *f = &o->attrs.at[i];
        bool is_shown = false;
        for (const char *at = shown; *at && !is_shown;) {
            const size_t length = strcspn(at, " ");
            is_shown = mir_same((mir_text){at, length}, f->name);
            at += length + (at[length] == ' ');
        }
        if (is_shown)
            continue;
        pretty_puts(p, n++ ? ", " : open);
        pretty_text(p, f->name);
        if (f->value->whole.n) {
            pretty_puts(p, " = ");
            pretty_text(p, f->value->whole);
        }
    }
    pretty_puts(p, n ? close : "");
}

/* What stands between the first OPEN and the CLOSE behind it in T. */
mir_text pretty_inside(mir_text t, char open, char close)
{
    const char *from = t.n ? memchr(t.at, open, t.n) : NULL;
    const char *end = t.at + t.n;
    while (from && end > from && *--end != close)
        continue;
    return from && end > from ? (mir_text){from + 1, (size_t)(end - from - 1)} : (mir_text){0};
}

/* The value of a word: `[1, 2]` of a list, the word of an enumeration, a number. */
void pretty_word_value(printer *p, const mir_attr *a)
{
    const mir_text list = {"array<", 6}, whole = a->whole;
    mir_text word = a->text;
    if (whole.n > list.n && memcmp(whole.at, list.at, list.n) == 0) {
        const mir_text numbers = pretty_inside(whole, ':', '>');
        text_putc(p->out, '[');
        for (size_t i = numbers.n && numbers.at[0] == ' '; i < numbers.n; i++)
            text_putc(p->out, numbers.at[i]);
        text_putc(p->out, ']');
    } else if (a->kind == MIR_INT) {
        text_i64(p->out, a->i);
    } else if (a->kind == MIR_LIST) {
        text_putc(p->out, '[');
        for (uint32_t i = 0; i < a->n; i++) {
            pretty_puts(p, i ? ", " : "");
            pretty_word_value(p, &a->items[i]);
        }
        text_putc(p->out, ']');
    } else if (a->kind == MIR_CUSTOM || a->kind == MIR_DENSE) {
        for (; word.n && word.at[0] == ' '; word.n--)
            word.at++;
        pretty_text(p, word);
    } else {
        pretty_text(p, whole);
    }
}
