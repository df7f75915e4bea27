/* What the files of composed forms share. */
#ifndef FORMS_FORMS_H
#define FORMS_FORMS_H

#include "base/context/options.h"
#include "forms/building.h"
#include "tenon/forms.h"

/* The type of X for reading; reports about FORM when X is no value. NULL after any failure. */
const type *form_operand(tn_builder *b, const char *form, tn_value x);
/* X in the element type that forms compute in: f32 for narrower floats. Reports other types than
 * floats. */
tn_value form_wide(tn_builder *b, const char *form, tn_value x);
/* Read the options FROM of FORM, a structure of type TYPE (base/context/options.h). */
#define FORM_OPTIONS(b, form, type, last, to, from)                                                \
    form_options((b), (form), (to), sizeof(type), (from), OPTIONS_FIRST(type, last))
bool form_options(tn_builder *b, const char *form, void *to, size_t n, const void *from,
                  size_t first);
/* X * C, X + C. */
tn_value form_scaled(tn_builder *b, tn_value x, double c);
tn_value form_plus(tn_builder *b, tn_value x, double c);
/* The mean over AXES, by a sum and a division. */
tn_value form_mean(tn_builder *b, tn_value x, tn_ints axes, bool keepdims);
/* The scores of attention [B, H, S, T] in each state. */
typedef struct form_scores {
    tn_value scaled, capped, masked, shares;
} form_scores;
/* tn_nn_attention with scores s that are CAP * tanh(s / CAP) before the mask, unless CAP is 0;
 * *SCORES, unless NULL, tells what they are on the way. */
tn_value form_attention(tn_builder *b, tn_value q, tn_value k, tn_value v,
                        const tn_attention *options, double cap, form_scores *scores);

#endif
