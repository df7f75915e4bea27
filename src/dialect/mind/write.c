/* Graph to Core IR text, in the styles of the dialect: the module and its instructions. */
#include "dialect/mind/writer.h"

/* ---- instructions -------------------------------------------------------------------------- */

static const spelling *spelling_for(writer *w, const node *n)
{
    if (n->op == OP_CONSTANT) {
        const type *t = value_type(w->f, n->first_value);
        const spelling *s = w->constants[t->dtype];
        return s && t->rank == 0 && n->spelling == SPELT_DEFAULT ? s : w->constant;
    }
    return w->rows[n->op];
}

static void put_operands(const writer *w, const node *n)
{
    for (uint32_t k = 0; k < n->n_in; k++) {
        if (k)
            text_put(w->out, ", ", 2);
        put_id(w, n->in[k]);
    }
}

/* `Sum(%0, [1], true)`, with the operator before the operands. */
static void put_arguments(const writer *w, const node *n, const spelling *s)
{
    bool is_first = n->n_in == 0;
    if (s->n_slots && s->slots[0].kind == SLOT_OPERATOR) {
        text_puts(w->out, operator_name((op_id)n->op));
        text_put(w->out, ", ", 2);
    }
    put_operands(w, n);
    for (uint32_t position = 0, i;
         (i = spelling_position(s, position)) < s->n_slots && s->slots[i].kind != SLOT_OPERATOR;
         position++) {
        const slot_spec *slot = &s->slots[i];
        if (!is_first)
            text_put(w->out, ", ", 2);
        is_first = false;
        if (slot->kind == SLOT_RANGES) {
            put_ranges(w, n);
            break; /* the ends and steps are in it */
        }
        put_slot(w, n, slot);
    }
}

static bool has_braces_only(const writer *w, const node *n)
{
    return n->op == OP_INPUT || is_fill(w, n);
}

static void put_positional(writer *w, const node *n, const spelling *s)
{
    text_putc(w->out, '(');
    if (!has_braces_only(w, n)) {
        put_arguments(w, n, s);
        text_putc(w->out, ')');
        return;
    }
    text_puts(w->out, ") {");
    bool is_first = true;
    for (uint32_t i = 0; i < s->n_slots; i++)
        if (s->slots[i].kind == SLOT_STRING || s->slots[i].kind == SLOT_FILL) {
            put_pair(w, n, &s->slots[i], is_first);
            is_first = false;
        }
    text_putc(w->out, '}');
}

static void put_record(writer *w, const node *n, const spelling *s, bool is_first)
{
    text_buffer *out = w->out;
    text_puts(out, is_first ? "\n  {\"value_id\": " : ",\n  {\"value_id\": ");
    put_id(w, n->first_value);
    text_puts(out, ", \"opcode\": \"");
    text_puts(out, s->text);
    text_puts(out, "\", \"operands\": [");
    put_operands(w, n);
    text_puts(out, "], \"attributes\":");
    if (s->n_slots)
        put_braces(w, n, s);
    else
        text_puts(out, " {}");
    text_puts(out, ", \"result_type\": \"");
    put_type(w, value_type(w->f, n->first_value));
    text_puts(out, "\"}");
}

static void put_instr(writer *w, const node *n, bool is_first)
{
    text_buffer *out = w->out;
    const spelling *s = spelling_for(w, n);
    if (w->style == S_RECORDS) {
        put_record(w, n, s, is_first);
        return;
    }
    const char *opcode = s->text;
    bool is_operator = s == w->binary;
    put_id(w, n->first_value);
    text_put(out, " = ", 3);
    if (is_operator && w->style == S_TOOL)
        opcode = operator_name((op_id)n->op);
    text_puts(out, opcode);
    if (w->style == S_POSITIONAL) {
        put_positional(w, n, s);
    } else {
        if (n->n_in || w->style != S_TOOL) {
            text_put(out, " (", 2);
            put_operands(w, n);
            text_putc(out, ')');
        }
        if (!(is_operator && w->style == S_TOOL))
            put_braces(w, n, s);
    }
    text_put(out, " : ", 3);
    put_type(w, value_type(w->f, n->first_value));
    if (w->comments && n->belongs) {
        text_puts(out, "  # gradient of ");
        put_id(w, n->belongs - 1);
    }
    text_putc(out, '\n');
}

/* ---- the module ---------------------------------------------------------------------------- */

/* Inputs first: the ids that values get by that. False when there is no memory. */
static bool number_values(writer *w)
{
    const function *f = w->f;
    uint32_t n_inputs = f->inputs.n, next_input = 0, next = n_inputs;
    bool is_ordered = true;
    for (uint32_t i = 0; i < n_inputs; i++)
        is_ordered = is_ordered && f->inputs.at[i] == i;
    if (is_ordered)
        return true;
    w->ids = memory_alloc(w->m->allocator, f->values.n * sizeof *w->ids);
    for (uint32_t i = 0; w->ids && i < f->nodes.n; i++) {
        const node *n = &f->nodes.at[i];
        for (uint32_t r = 0; r < n->n_results; r++)
            w->ids[n->first_value + r] = n->op == OP_INPUT ? next_input++ : next++;
    }
    return w->ids != NULL;
}

static void put_nodes(writer *w)
{
    const function *f = w->f;
    for (uint32_t i = 0; i < f->inputs.n; i++)
        put_instr(w, node_of(f, f->inputs.at[i]), i == 0);
    bool is_first = f->inputs.n == 0;
    for (uint32_t i = 0; i < f->nodes.n && !w->out->failed; i++)
        if (f->nodes.at[i].op != OP_INPUT) {
            put_instr(w, &f->nodes.at[i], is_first);
            is_first = false;
        }
}

static void put_values(const writer *w, const value_id *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i)
            text_put(w->out, ", ", 2);
        put_id(w, v[i]);
    }
}

static void put_interface(writer *w)
{
    const value_id *pairs = w->m->gradients.at;
    uint32_t n_pairs = w->m->gradients.n / 2;
    bool is_json = w->style == S_RECORDS;

    text_puts(w->out, is_json ? "\n], \"outputs\": [" : "outputs: ");
    put_values(w, w->f->outputs.at, w->f->outputs.n);
    text_puts(w->out, is_json ? "]" : "\n");
    if (n_pairs)
        text_puts(w->out, is_json ? ", \"gradients\": [" : "gradients: ");
    for (uint32_t i = 0; i < n_pairs; i++) {
        text_puts(w->out, i ? ", " : "");
        text_puts(w->out, is_json ? "[" : "");
        put_id(w, pairs[2 * (size_t)i]);
        text_puts(w->out, is_json ? ", " : " -> ");
        put_id(w, pairs[2 * (size_t)i + 1]);
        text_puts(w->out, is_json ? "]" : "");
    }
    if (n_pairs)
        text_puts(w->out, is_json ? "]" : "\n");
    if (is_json)
        text_puts(w->out, "}\n");
}

static void find_rows(writer *w)
{
    for (uint32_t i = 0; i < n_spellings; i++) {
        const spelling *s = &spellings[i];
        if (s->op == OP_COUNT)
            w->binary = s;
        else if (s->op == OP_CONSTANT && s->dtype != TN_DTYPE_COUNT)
            w->constants[s->dtype] = s;
        else if (s->op == OP_CONSTANT)
            w->constant = s;
        else if (!s->is_synonym)
            w->rows[s->op] = s;
    }
    w->rows[OP_ADD] = w->rows[OP_SUB] = w->rows[OP_MUL] = w->rows[OP_DIV] = w->binary;
}

static bool choose_style(writer *w, const char *name)
{
    static const char *const names[] = {"canonical", "positional", "tool", "records", "strict"};
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!name || strcmp(name, names[i]) == 0) {
            w->style = (style)i;
            w->is_full = i == S_STRICT;
            return true;
        }
    return false;
}

tn_status mind_write(const module *m, const write_options *options, text_buffer *out)
{
    writer w = {.m = m, .f = module_entry(m), .out = out};
    if (!choose_style(&w, options ? options->style : NULL))
        return diag_report(&m->cx->diag, DIAG_Usage, NULL, NO_SPAN, "mind has no style '%s'",
                           options->style);
    if (w.f->outputs.n == 0)
        return diag_report(&m->cx->diag, DIAG_MissingOutputs, &m->source, NO_SPAN,
                           "Core IR has no notation for a module without outputs");
    w.comments = options && options->comments;
    find_rows(&w);
    if (!number_values(&w))
        return module_no_memory(m);
    if (w.style == S_RECORDS)
        text_puts(out, "{\"operations\": [");
    put_nodes(&w);
    put_interface(&w);
    memory_free(m->allocator, w.ids, w.f->values.n * sizeof *w.ids);
    return TN_OK;
}
