/* What the options of reading give for inputs: sizes, shapes and values. */
#ifndef DIALECT_GIVEN_H
#define DIALECT_GIVEN_H

#include "dialect/dialect.h"

/* The size called NAME, which the module holds: the number that is bound to it, else OTHERWISE when
 * that is not negative, else a symbol. Numbers are noted as sizes of the program. False without
 * memory, or, reported, when the number is negative. */
bool given_size(module *m, const read_options *o, const char *name, int64_t otherwise, dim *out);
/* Is NAME the number POSITION? It may stand for an input that is called otherwise. */
bool given_is_position(const char *name, uint32_t position);
/* Has a shape or a value of O that number in place of a name? */
bool given_by_position(const read_options *o, uint32_t position);
/* The shape of the input NAME, number POSITION; NULL: it is not given. */
const tn_input_shape *given_shape_of(const read_options *o, const char *name, uint32_t position);
/* The value of the input NAME, number POSITION, which is a constant then; NULL: it is none. */
const tn_buffer *given_value(const read_options *o, const char *name, uint32_t position);
/* The value of the initializer NAME, in place of that in the file; NULL: there is none. */
const tn_buffer *given_initializer(const read_options *o, const char *name);
/* GIVEN for an input of type T as elements of that type, in MEMORY, and its extents. NULL when it
 * does not fit, or without memory; one element has any shape of ones. */
const void *given_data(arena *memory, const tn_buffer *given, const type *t, int64_t *dims,
                       bool *no_memory);

#endif
