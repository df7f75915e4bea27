/* Composed forms for the builder (tenon/build.h): what neural networks are made of.
 *
 * Each is an expansion into operations that every implementation of PTIR has, in the numerically
 * stable form that its contract gives where it gives one, so that compilers recognise it. Floats
 * narrower than f32 are computed in f32, and the result is rounded once to the element type of the
 * operand. Extents may be symbolic unless a comment asks for a number. Failure, broadcasting and
 * operands: as in tenon/build.h. */
#ifndef TENON_FORMS_H
#define TENON_FORMS_H

#include "tenon/build.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- activations ---------------------------------------------------------------------------- */

/* 1 / (1 + exp(-x)). */
TN_API tn_value tn_nn_sigmoid(tn_builder *b, tn_value x);
/* x / (1 + exp(-x)), also called swish. */
TN_API tn_value tn_nn_silu(tn_builder *b, tn_value x);
/* x * P(N(0, 1) <= x) = x / 2 * (1 + erf(x / sqrt(2))). */
TN_API tn_value tn_nn_gelu(tn_builder *b, tn_value x);
/* Its approximation x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))), which GPT-2 uses. */
TN_API tn_value tn_nn_gelu_tanh(tn_builder *b, tn_value x);

/* ---- distributions -------------------------------------------------------------------------- */

/* exp(x - m) / sum(exp(x - m)) along AXIS, where m is the maximum. Entries of -inf give 0; a line
 * of nothing else gives NaN. */
TN_API tn_value tn_nn_softmax(tn_builder *b, tn_value x, int64_t axis);
/* x - m - log(sum(exp(x - m))). */
TN_API tn_value tn_nn_log_softmax(tn_builder *b, tn_value x, int64_t axis);
/* The mean over all leading positions of -log_softmax(logits)[target], in nats: a scalar of type
 * f32 (f64 for f64).
 *
 * logits   [.., classes]
 * targets  [..], si32 or si64, below `classes`; otherwise the run stops */
TN_API tn_value tn_nn_cross_entropy(tn_builder *b, tn_value logits, tn_value targets);

/* ---- normalisation, along the last axis ----------------------------------------------------- */

/* (x - mean) / sqrt(variance + epsilon) * gamma + beta with the biased variance; GAMMA and BETA,
 * of rank 1, may be no value. */
TN_API tn_value tn_nn_layer_norm(tn_builder *b, tn_value x, tn_value gamma, tn_value beta,
                                 double epsilon);
/* x / sqrt(mean(x^2) + epsilon) * gamma; GAMMA may be no value. */
TN_API tn_value tn_nn_rms_norm(tn_builder *b, tn_value x, tn_value gamma, double epsilon);

/* ---- layers --------------------------------------------------------------------------------- */

typedef enum tn_weights {
    TN_WEIGHTS_IN_OUT = 0, /* w[in, out] */
    TN_WEIGHTS_OUT_IN      /* w[out, in] */
} tn_weights;
/* x[.., in] times W, plus BIAS[out], which may be no value. */
TN_API tn_value tn_nn_linear(tn_builder *b, tn_value x, tn_value w, tn_value bias,
                             tn_weights layout);
/* Rows of TABLE[entries, width] at IDS (si32 or si64): ids.. , width. */
TN_API tn_value tn_nn_embedding(tn_builder *b, tn_value table, tn_value ids);

typedef struct tn_attention {
    size_t size;  /* of the structure; 0: its first layout */
    double scale; /* of the scores; 0: 1 / sqrt(D), for which D must be a number */
    bool causal;  /* query i sees only keys up to its own position */
    /* With `causal`: the position of query 0 among the keys, si32 or si64 of rank 0. No value:
     * T - S, so that the last query sees all keys. */
    tn_value first;
    tn_value mask; /* added to the scaled scores; broadcasts to [B, H, S, T]; may be no value */
} tn_attention;
/* softmax(q k' * scale + mask) v for each head.
 *
 * q        [B, H, S, D]
 * k, v     [B, G, T, D], [B, G, T, E]; each of the G heads serves H / G consecutive heads of Q.
 *          H and G must be numbers
 * options  NULL: all zero
 * result   [B, H, S, E], of the type of V
 * source   PTIR v0.4, "Canonical attention" */
TN_API tn_value tn_nn_attention(tn_builder *b, tn_value q, tn_value k, tn_value v,
                                const tn_attention *options);

/* Which elements of a row rotate together: i and i + D / 2, or 2 i and 2 i + 1. */
typedef enum tn_rotary_pairs { TN_ROTARY_HALVES = 0, TN_ROTARY_NEIGHBOURS } tn_rotary_pairs;
typedef struct tn_rotary {
    tn_value cos, sin;
} tn_rotary;
/* Constants [positions, width / 2]: cosine and sine of p * base^(-2 i / width). For rows that do
 * not start at position 0, tn_take or tn_slice what is needed. */
TN_API tn_rotary tn_nn_rotary_tables(tn_builder *b, tn_dtype dtype, int64_t positions,
                                     int64_t width, double base);
/* X[.., S, D] with each row rotated by its angles, which broadcast to [.., S, D / 2]; D is a
 * number. */
TN_API tn_value tn_nn_rotary(tn_builder *b, tn_value x, tn_rotary angles, tn_rotary_pairs pairs);

/* Lists of two numbers, rows and columns; PADS top, bottom, left, right. An empty list: all
 * strides and dilations 1, no padding. */
typedef struct tn_sliding {
    size_t size; /* of the structure; 0: its first layout */
    tn_ints strides, dilation, pads;
} tn_sliding;
/* x[n, h, w, ci] with w[kh, kw, ci, co], plus BIAS[co], which may be no value. NULL: defaults. */
TN_API tn_value tn_nn_conv2d(tn_builder *b, tn_value x, tn_value w, tn_value bias,
                             const tn_sliding *sliding);
/* The largest element of each window of x[n, h, w, c]; padding never wins. WINDOW: rows, columns.
 */
TN_API tn_value tn_nn_max_pool(tn_builder *b, tn_value x, tn_ints window,
                               const tn_sliding *sliding);
/* The mean of each window; padding counts as zeros when COUNT_PADDING, else not at all, for which
 * h and w must be numbers. */
TN_API tn_value tn_nn_avg_pool(tn_builder *b, tn_value x, tn_ints window, const tn_sliding *sliding,
                               bool count_padding);

#ifdef __cplusplus
}
#endif
#endif
