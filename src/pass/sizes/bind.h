/* Giving symbolic sizes their values (dim_values), so that every extent of a program is a number.
 */
#ifndef PASS_SIZES_BIND_H
#define PASS_SIZES_BIND_H

#include "base/text/suggest.h"
#include "graph/module.h"

/* Does any size of M depend on a symbol? */
bool module_has_symbols(const module *m);
/* The entry for the symbol called NAME, or NULL. */
int64_t *size_of_symbol(const module *m, dim_values *values, const char *name);
/* The value that the text of M gave the symbol NAME; NULL: none. */
const int64_t *written_size_of(const module *m, const char *name);
/* Offer the names of all symbols. */
void suggest_symbols(suggestion *s, const module *m);

/* The shape of a tensor that is given for an input. */
typedef struct given_shape {
    uint32_t rank;
    const int64_t *dims;
} given_shape;

/* Find the values that make the inputs of the entry have the shapes GIVEN (one per input), keeping
 * those that are set. Sizes that no input names follow, where they can, from the types that the
 * text declares for values and from reshapes. Rejects with InputMismatch (another rank, or another
 * number than the declared one), DimensionBinding (one symbol with two values) and UnboundSymbol
 * (an input whose size is not determined). */
tn_status sizes_from_inputs(const module *m, const given_shape *given, dim_values *values);

/* The same, but sizes that the inputs do not determine stay unknown. */
tn_status sizes_partly_from_inputs(const module *m, const given_shape *given, dim_values *values);
/* The same for one INPUT alone; sizes that it does not determine stay as they are. */
tn_status sizes_from_input(const module *m, uint32_t input, const given_shape *given,
                           dim_values *values);

/* Find the values that follow, from the types that the text declares for values and from reshapes,
 * of those that are set. Rejects with DimensionBinding. */
tn_status sizes_that_follow(const module *m, dim_values *values);

/* Find the values that operations demand, given those that are set: of equal extents, for example.
 * What contradicts itself is left to binding, which says so. */
tn_status sizes_demanded(const module *m, dim_values *values);

/* Choose values for the symbols of M that have none, such that the program probably accepts them;
 * each ATTEMPT makes another choice. ROUND rotates the extents that are tried: 2, 3, 5, 4, 8, 1
 * and, for one symbol in every fourth round, 0. *FOUND is false when this attempt fails. */
tn_status sizes_guess(const module *m, uint32_t round, uint32_t attempt, dim_values *values,
                      bool *found);

/* Replace every symbol of M, in types and in attributes, and infer all types anew. Rejects what
 * does not fit together (DimensionBinding) and symbols that are needed and have no value
 * (UnboundSymbol); M is then unfit for use. */
tn_status module_bind_here(module *m, dim_values *values);
/* The same, where symbols without a value stay. */
tn_status module_bind_partly(module *m, dim_values *values);
/* The same as module_bind_here on a copy, in *BOUND; M stays as it is. */
tn_status module_bind(const module *m, dim_values *values, module **bound);

#endif
