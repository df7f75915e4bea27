/* What is given for the inputs of programs: does it fit? */
#include "api/programs/programs.h"
#include "io/array.h"

/* Do the extents of input INDEX give a symbol another value than it has? */
static bool gives_another_size(const tn_program *p, size_t index, const tn_type *given)
{
    const tn_type *want = &p->inputs[index].type;
    for (uint32_t k = 0; k < want->rank; k++)
        if (p->named[index] >> k & 1 && want->dims[k] != TN_DIM_UNKNOWN &&
            want->dims[k] != given->dims[k])
            return true;
    return false;
}

tn_status report_input_misfit(diag_channel *d, const tn_program *p, size_t index,
                              const tn_type *given, const char *message)
{
    if (given && gives_another_size(p, index, given)) {
        (void)diag_report(d, DIAG_DimensionBinding, &p->graph->source, NO_SPAN, "%s", message);
        return TN_ERR_INPUT; /* the program itself is well-formed */
    }
    if (given)
        d->op = op_table[OP_INPUT].text;
    return diag_report(d, DIAG_InputMismatch, &p->graph->source, NO_SPAN, "%s", message);
}

static tn_status report_missing(diag_channel *d, const tn_program *p, size_t index)
{
    const tn_status s =
        diag_report(d, DIAG_MissingInput, &p->graph->source, NO_SPAN,
                    "no tensor is given for input %zu ('%s')", index, p->inputs[index].name);
    diag_node(d, p->inputs[index].name);
    return s;
}

static bool extents_fit(const tn_type *given, const tn_type *want)
{
    if (given->rank != want->rank)
        return false;
    for (uint32_t i = 0; i < want->rank; i++)
        if (want->dims[i] != TN_DIM_UNKNOWN && want->dims[i] != given->dims[i])
            return false;
    return true;
}

/* The array that B is; without data when there is too little of it, which runs report. */
static array array_of(const tn_buffer *b)
{
    size_t bytes;
    array a = {.dtype = b->type.dtype, .rank = b->type.rank};
    memcpy(a.dims, b->type.dims, a.rank * sizeof a.dims[0]);
    if (b->data && array_measure(&a, &bytes) && bytes <= b->bytes) {
        a.data = b->data;
        a.bytes = bytes;
    }
    return a;
}

/* The type that input INDEX is to have, with the names of sizes that are not known. */
static const char *wanted(diag_channel *d, const tn_program *p, size_t index)
{
    const function *f = module_entry(p->graph);
    const type *t = value_type(f, f->inputs.at[index]);
    const tn_type *known = &p->inputs[index].type;
    dim dims[TN_MAX_RANK];
    for (uint32_t i = 0; i < t->rank; i++)
        dims[i] = known->dims[i] == TN_DIM_UNKNOWN ? t->dims[i] : known->dims[i];
    const char *text = arena_printf(&d->text, "%s%s", dtype_table[t->dtype].name,
                                    dims_text(&d->text, &p->graph->types, dims, t->rank));
    return text ? text : "";
}

static tn_status check(diag_channel *d, const tn_program *p, size_t index, tn_buffer *b,
                       const char *from)
{
    const tn_port *port = &p->inputs[index];
    const tn_type *given = &b->type, *want = &port->type;
    if (!public_type_is_valid(given, false))
        return report_input_misfit(d, p, index, NULL, "the tensor given has no valid type");
    const array a = array_of(b), bare = {.dtype = given->dtype};
    const bool same_extents = extents_fit(given, want), fits = array_fits(&a, want->dtype);
    if (same_extents && fits) {
        b->type.dtype = want->dtype;
        return TN_OK;
    }
    const bool is_range = same_extents && array_fits(&bare, want->dtype);
    const char *message = arena_printf(
        &d->text, "input '%s' is %s, but %s %s %s%s%s", port->name, wanted(d, p, index),
        from ? from : "the tensor given", from ? "holds" : "is", public_type_text(&d->text, given),
        is_range ? " with values out of range: " : "", is_range ? dtype_range(want->dtype) : "");
    const bool only_extents = !same_extents && given->rank == want->rank && fits;
    const tn_status s = message
                            ? report_input_misfit(d, p, index, only_extents ? given : NULL, message)
                            : diag_no_memory(d);
    diag_node(d, port->name);
    return s;
}

tn_status tn_program_check_input(const tn_program *p, size_t index, tn_buffer *b, const char *from)
{
    diag_channel d;
    if (index >= p->n_inputs)
        return TN_ERR_USAGE;
    diag_init(&d, &p->allocator, p->sink);
    const tn_status s = b ? check(&d, p, index, b, from) : report_missing(&d, p, index);
    diag_release(&d);
    return s;
}
