/* What the opaque objects of the public interface are made of. */
#ifndef DRIVER_API_H
#define DRIVER_API_H

#include "dialect/dialect.h"
#include "graph/module.h"
#include "tenon/tenon.h"

struct tn_module {
    module *graph;
};

/* Nothing here changes after compilation, so that runs need no lock. `cx` is the program's own; its
 * diagnostic channel is used during compilation only, and each run brings one of its own. */
struct tn_program {
    tn_allocator allocator;
    context *cx;
    module *graph;
    tn_diagnostic_sink sink; /* of runs that name none */
    tn_port *inputs;
    tn_port *outputs;
    int64_t *positions; /* by input: values below this are valid positions; 0: it gives none */
    uint32_t n_inputs, n_outputs;
};

/* Every public function ends with this: what it reported is delivered before it returns. */
static inline tn_status api_done(context *cx, tn_status status)
{
    diag_flush(&cx->diag);
    return status;
}

/* The number of an -O level. */
static inline int api_level(tn_level level)
{
    return level == TN_LEVEL_0 ? 0 : level == TN_LEVEL_1 ? 1 : 2;
}

/* A type as callers see it. The graph never holds a rank above TN_MAX_RANK. */
void api_type(const type *from, tn_type *to);
/* Whether T is well-formed: a known dtype, rank and extents; UNKNOWN_OK allows TN_DIM_UNKNOWN. */
bool api_type_is_valid(const tn_type *t, bool unknown_ok);

/* The port of a value: the name of an input, else the value as the text spells it. Names made
 * here live in M. NULL in port->name when there is no memory. */
void api_port(module *m, value_id v, tn_port *port);

/* Whether the two are equal and well-formed. */
bool api_same_type(const tn_type *a, const tn_type *b);

/* For each input of M's entry, whose extents are known: how many positions there are in the tensors
 * that it indexes; 0 when it indexes none. */
void find_positions(const module *m, int64_t *positions);

/* Give every symbol of M the extent that a binding names, everywhere, and check the result. */
tn_status bind_symbols(module *m, const tn_binding *bindings, size_t n);

#endif
