/* Graphs as the public interface shows them: the module behind a handle, types and ports. */
#ifndef GRAPH_PUBLIC_H
#define GRAPH_PUBLIC_H

#include "graph/module.h"
#include "tenon/tenon.h"

struct tn_module {
    module *graph;
};

/* A type as callers see it. The graph never holds a rank above TN_MAX_RANK. */
void public_type(const type *from, tn_type *to);
/* `f32[2, ?]`, in MEMORY; never NULL. */
const char *public_type_text(arena *memory, const tn_type *t);
/* Whether T is well-formed: a known dtype, rank and extents; UNKNOWN_OK allows TN_DIM_UNKNOWN. */
bool public_type_is_valid(const tn_type *t, bool unknown_ok);
/* *BYTES = size of the data of a tensor of type T; false when T is not well-formed, does not know
 * its extents or is too large. */
bool public_type_bytes(const tn_type *t, size_t *bytes);

/* The port of an input, by the name under which it takes data, and of output INDEX, by the name
 * that the text gives it, or the name or id of its value there, or else the name of the input that
 * it is. The spelling of the value where it has no name, which lives in M. NULL in port->name when
 * there is no memory. */
void public_input(module *m, value_id v, tn_port *port);
void public_output(module *m, uint32_t index, tn_port *port);

/* Whether the two are equal and well-formed. */
bool public_same_type(const tn_type *a, const tn_type *b);
/* Whether T is well-formed and equal to WANT but for extents that WANT does not know. */
bool public_type_fits(const tn_type *t, const tn_type *want);

#endif
