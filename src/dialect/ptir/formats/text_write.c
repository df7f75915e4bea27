/* The model to the compact text form. */
#include <inttypes.h>
#include <stdio.h>

#include "dialect/ptir/formats/text_parts.h"

typedef struct writer {
    text_writer t;
    const char **names; /* by id; NULL: its number */
    uint32_t faults;
    bool in_region;
} writer;

/* ---- what the reference implementation reads ------------------------------------------------ */

__attribute__((format(printf, 3, 4))) static void refuse(writer *w, span at, const char *format,
                                                         ...)
{
    char message[160];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    (void)diag_report(&w->t.m->cx->diag, DIAG_UnknownOp, &w->t.m->source, at,
                      "the compatible text form has no %s", message);
    w->faults++;
}

static op_id op_of(const ptir_inst *inst)
{
    return inst->op == PTIR_UNARY    ? ptir_unary_op(inst->word)
           : inst->op == PTIR_BINARY ? ptir_binary_op(inst->word)
           : inst->op == PTIR_REDUCE ? ptir_reduce_op((uint32_t)inst->attrs[0].v.i)
                                     : ptir_ops[inst->op].op;
}

static bool is_compatible_op(const ptir_inst *inst)
{
    switch (inst->op) {
    case PTIR_CAST:
    case PTIR_BROADCAST_TO:
    case PTIR_DOT_GENERAL:
    case PTIR_STOP_GRADIENT:
        return true;
    case PTIR_UNARY:
        return ptir_unary_op(inst->word) == OP_NEG || ptir_unary_op(inst->word) == OP_EXP;
    case PTIR_BINARY:
        return inst->word < 4; /* add sub mul div */
    case PTIR_REDUCE:
        return inst->attrs[0].v.i < 2; /* sum max */
    default:
        return false;
    }
}

static void check_type(writer *w, span at, const ptir_type *t)
{
    if (t->tensor && !type_is_static(t->tensor))
        refuse(w, at, "symbolic extents");
    for (uint32_t i = 0; i < t->n; i++)
        check_type(w, at, &t->items[i]);
}

static void check_function(writer *w, const ptir_function *f)
{
    for (uint32_t i = 0; i < f->parameters.n; i++)
        check_type(w, NO_SPAN, &f->parameters.at[i]);
    for (uint32_t i = 0; i < f->body.n; i++) {
        const ptir_inst *inst = &f->body.at[i];
        check_type(w, inst->at, &inst->out);
        if (!is_compatible_op(inst))
            refuse(w, inst->at, "operation '%s' (instruction %" PRIu32 ")",
                   op_table[op_of(inst)].text, i);
        for (uint32_t k = 0; k < inst->n_in; k++)
            if (inst->in[k].kind == PTIR_LITERAL)
                refuse(w, inst->at, "literal operands (instruction %" PRIu32 ")", i);
    }
    for (uint32_t i = 0; i < f->result_ids.n; i++)
        if (f->result_ids.at[i].kind != PTIR_VALUE)
            refuse(w, NO_SPAN, "elements of tuples as results");
    if (f->results.n == 0)
        refuse(w, NO_SPAN, "function without results");
}

static void check_program(writer *w, const ptir_program *p)
{
    if (p->functions.n != 1)
        refuse(w, NO_SPAN, "second function");
    if (p->regions.n)
        refuse(w, NO_SPAN, "regions");
    for (uint32_t i = 0; i < p->functions.n; i++) {
        if (!text_is_name(p->functions.at[i].name))
            refuse(w, NO_SPAN, "quoted name of a function");
        check_function(w, &p->functions.at[i]);
    }
}

/* ---- names --------------------------------------------------------------------------------- */

/* Warn that a value loses its NAME, which matters for a parameter. */
static void note_lost(writer *w, bool is_parameter, const char *name, const char *why)
{
    if (is_parameter)
        diag_warn(&w->t.m->cx->diag, DIAG_Advice, NULL, NO_SPAN,
                  "the parameter '%.100s' is called by a number: %s", name, why);
}

/* Is NAME what a value is called without a name, the number OF? In regions, whose parameters only
 * have names to be read by, any number is. */
static bool is_default(const writer *w, uint32_t of, const char *name)
{
    char number[16];
    (void)snprintf(number, sizeof number, "%" PRIu32, of);
    return w->in_region ? name[strspn(name, "0123456789")] == '\0' : strcmp(name, number) == 0;
}

/* NAME for ID, unless it cannot be written or another value has it. Without a name it is NUMBER. */
static bool give_name(writer *w, hash_index *taken, uint32_t id, const char *name, uint32_t number,
                      bool is_parameter)
{
    if (!name || !*name || is_default(w, number, name))
        return true;
    if (w->t.compatible && !text_is_name(name)) {
        note_lost(w, is_parameter, name, "the compatible text form has no quoted names");
        return true;
    }
    uint64_t h = hash_bytes(4, name, strlen(name));
    for (uint32_t p = hash_first(taken, h), k; (k = hash_at(taken, h, &p)) != HASH_NONE;)
        if (strcmp(w->names[k], name) == 0) {
            note_lost(w, is_parameter, name, "another value has the same name");
            return true;
        }
    w->names[id] = name;
    return hash_add(w->t.m->allocator, taken, h, id);
}

/* Values of Core IR are called `%word`, and `%3` where their numbers have gaps: the word is the
 * name here, and numbers are given anew. */
static const char *own_name(const char *name)
{
    if (!name || name[0] != '%' || !name[1])
        return name;
    if (name_is_number(name))
        return NULL;
    return text_is_name(name + 1) ? name + 1 : name;
}

/* Ids of what is written are dense. */
static bool give_names(writer *w, const ptir_function *f)
{
    hash_index taken = {0};
    uint32_t n = f->parameters.n + f->body.n;
    w->names = ARENA_ARRAY(&w->t.names, const char *, (size_t)n + 1);
    bool ok = w->names != NULL;
    uint32_t position = 0; /* by which inputs without a name are called */
    for (uint32_t i = 0; ok && i < f->parameters.n; i++) {
        ok = give_name(w, &taken, f->parameter_ids.at[i], f->parameter_names.at[i], position, true);
        position += ptir_type_leaves(&f->parameters.at[i]);
    }
    for (uint32_t i = 0; ok && i < f->body.n; i++) {
        const uint32_t id = f->body.at[i].id;
        ok = give_name(w, &taken, id, own_name(f->body.at[i].name), id, false);
    }
    hash_release(w->t.m->allocator, &taken);
    return ok;
}

static void put_name(writer *w, uint32_t id)
{
    const char *name = w->names[id];
    text_putc(w->t.out, '%');
    if (!name)
        text_u64(w->t.out, id);
    else if (text_is_name(name))
        text_puts(w->t.out, name);
    else
        text_json_string(w->t.out, name, strlen(name));
}

/* ---- statements ---------------------------------------------------------------------------- */

static void put_operand(writer *w, const ptir_operand *o)
{
    if (o->kind == PTIR_LITERAL) {
        text_write_literal(&w->t, o->literal);
        return;
    }
    put_name(w, o->id);
    if (o->kind == PTIR_ELEMENT) {
        text_putc(w->t.out, '[');
        text_u64(w->t.out, o->index);
        text_putc(w->t.out, ']');
    }
}

/* Fields that the declared type or a default says again. */
static bool is_implied(const ptir_inst *inst, const ptir_field *field, const attr *a)
{
    const type *t = inst->out.tensor;
    bool generator =
        inst->op == PTIR_IOTA || inst->op == PTIR_RNG_UNIFORM || inst->op == PTIR_RNG_NORMAL;
    if (ptir_converts((ptir_op)inst->op) || (inst->op == PTIR_REDUCE && field->key == KEY_COMBINE))
        return true;
    if (generator && field->kind == PTIR_DTYPE)
        return true;
    if (generator && field->kind == PTIR_SHAPE)
        return t->rank == a->n &&
               (a->n == 0 || memcmp(t->dims, a->v.ints, a->n * sizeof(dim)) == 0);
    if (field->key == KEY_KEEPDIMS)
        return a->v.i == 0;
    return (field->key == KEY_BATCH_LHS || field->key == KEY_BATCH_RHS ||
            field->kind == PTIR_DICT) &&
           a->n == 0;
}

static void put_fields(writer *w, const ptir_inst *inst)
{
    const ptir_op_info *op = &ptir_ops[inst->op];
    uint32_t k = 0;
    for (uint32_t i = 0; i < op->n_fields && k < inst->n_attrs; i++) {
        if (inst->attrs[k].key != op->fields[i].key)
            continue;
        if (!is_implied(inst, &op->fields[i], &inst->attrs[k]))
            text_write_field(&w->t, &op->fields[i], &inst->attrs[k]);
        k++;
    }
}

static void put_statement(writer *w, const ptir_inst *inst)
{
    text_buffer *out = w->t.out;
    text_puts(out, "  ");
    put_name(w, inst->id);
    text_puts(out, " = ");
    text_write_op(&w->t, inst);
    if (inst->op == PTIR_CONSTANT)
        text_write_data(&w->t, " value", inst->attrs[0].v.literal);
    if (inst->n_in) {
        text_putc(out, '(');
        for (uint32_t i = 0; i < inst->n_in; i++) {
            text_puts(out, i ? ", " : "");
            put_operand(w, &inst->in[i]);
        }
        text_putc(out, ')');
    }
    if (inst->op != PTIR_CONSTANT)
        put_fields(w, inst);
    text_puts(out, " -> ");
    text_write_type(&w->t, &inst->out);
    if (inst->belongs) {
        text_puts(out, "  // gradient of ");
        put_operand(w, inst->belongs);
    }
    text_putc(out, '\n');
}

/* ---- functions ----------------------------------------------------------------------------- */

static void put_gradients(writer *w, const ptir_ids *pairs)
{
    text_buffer *out = w->t.out;
    for (uint32_t i = 0; i + 1 < pairs->n; i += 2) {
        text_puts(out, i ? ", " : "  // gradients: ");
        put_name(w, pairs->at[i]);
        text_puts(out, " -> ");
        put_name(w, pairs->at[i + 1]);
    }
    if (pairs->n)
        text_putc(out, '\n');
}

static void put_function(writer *w, const ptir_function *f)
{
    text_buffer *out = w->t.out;
    if (!give_names(w, f)) {
        w->t.no_memory = true;
        return;
    }
    text_putc(out, '(');
    for (uint32_t i = 0; i < f->parameters.n; i++) {
        text_puts(out, i ? ", " : "");
        put_name(w, f->parameter_ids.at[i]);
        text_puts(out, ": ");
        text_write_type(&w->t, &f->parameters.at[i]);
    }
    text_puts(out, ") -> ");
    ptir_type results = {NULL, f->results.n, f->results.at};
    text_write_type(&w->t, f->results.n == 1 && f->results.at[0].tensor ? f->results.at : &results);
    text_puts(out, " {\n");
    for (uint32_t i = 0; i < f->body.n; i++)
        put_statement(w, &f->body.at[i]);
    text_puts(out, "  return");
    for (uint32_t i = 0; i < f->result_ids.n; i++) {
        text_puts(out, i ? ", " : " ");
        put_operand(w, &f->result_ids.at[i]);
    }
    text_putc(out, '\n');
    if (!w->t.compatible) /* which has no comments */
        put_gradients(w, &f->gradients);
    text_puts(out, "}\n");
}

static void put_program(writer *w, const ptir_program *p)
{
    text_buffer *out = w->t.out;
    for (uint32_t i = 0; i < p->functions.n; i++) {
        const ptir_function *f = &p->functions.at[i];
        bool plain = text_is_name(f->name);
        text_puts(out, i ? "\n" : "");
        text_puts(out, i && f->name == p->entry ? "entry func @" : "func @");
        if (plain)
            text_puts(out, f->name);
        else
            text_json_string(out, f->name, strlen(f->name));
        put_function(w, f);
        if (f->hints.n)
            diag_warn(&w->t.m->cx->diag, DIAG_Advice, NULL, NO_SPAN,
                      "the text form has no fusion hints; those of '%s' are left out", f->name);
    }
    w->in_region = true;
    for (uint32_t i = 0; i < p->regions.n; i++) {
        text_puts(out, "\nregion @");
        text_u64(out, p->regions.at[i].region);
        put_function(w, &p->regions.at[i]);
    }
}

tn_status ptir_text_write(const module *m, const ptir_program *p, bool compatible, text_buffer *out)
{
    writer w = {.t = {.m = m, .out = out, .compatible = compatible}};
    arena_init(&w.t.names, m->allocator);
    if (compatible)
        check_program(&w, p);
    if (w.faults == 0)
        put_program(&w, p);
    arena_release(&w.t.names);
    return w.t.no_memory ? module_no_memory(m) : w.faults ? TN_ERR_REJECTED : TN_OK;
}
