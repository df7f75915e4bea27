/* The two programs of the model, built operation by operation. */
#include <stdio.h>

#include "gpt2.h"

static const double EPSILON = 1e-5;

/* The weights as inputs of a program, under their published names. */
typedef struct inputs {
    tn_builder *b;
    const gpt2_config *c;
    size_t next; /* in the order of gpt2_tensor_at */
} inputs;

static tn_value weight(inputs *in)
{
    gpt2_tensor t = gpt2_tensor_at(in->c, in->next++);
    if (t.rows)
        return tn_input(in->b, t.name, TN_F32, TN_INTS(t.rows, t.columns));
    return tn_input(in->b, t.name, TN_F32, TN_INTS(t.columns));
}

typedef struct affine {
    tn_value w, bias;
} affine;

static affine next_affine(inputs *in)
{
    affine a;
    a.w = weight(in);
    a.bias = weight(in);
    return a;
}

typedef struct layer {
    affine norm_1, attend, project, norm_2, widen, narrow;
} layer;

typedef struct model {
    tn_value tokens, places; /* embeddings */
    affine last_norm;
} model;

static model model_inputs(inputs *in)
{
    model m;
    m.tokens = weight(in);
    m.places = weight(in);
    m.last_norm = next_affine(in);
    return m;
}

/* In the order of the fields, which is that of gpt2_tensor_at. */
static layer layer_inputs(inputs *in)
{
    layer l;
    l.norm_1 = next_affine(in);
    l.attend = next_affine(in);
    l.project = next_affine(in);
    l.norm_2 = next_affine(in);
    l.widen = next_affine(in);
    l.narrow = next_affine(in);
    return l;
}

static tn_value norm(tn_builder *b, tn_value x, affine a)
{
    return tn_nn_layer_norm(b, x, a.w, a.bias, EPSILON);
}

static tn_value linear(tn_builder *b, tn_value x, affine a)
{
    return tn_nn_linear(b, x, a.w, a.bias, TN_WEIGHTS_IN_OUT);
}

/* [1, S, width] to [1, heads, S, head width]. */
static tn_value split_heads(tn_builder *b, const gpt2_config *c, tn_value x)
{
    tn_value split = tn_reshape(b, x, TN_INTS(1, tn_extent(b, x, 1), c->heads, gpt2_head_width(c)));
    return tn_transpose(b, split, TN_INTS(0, 2, 1, 3));
}

static tn_value join_heads(tn_builder *b, const gpt2_config *c, tn_value x)
{
    tn_value rows = tn_transpose(b, x, TN_INTS(0, 2, 1, 3));
    return tn_reshape(b, rows, TN_INTS(1, tn_extent(b, rows, 1), c->width));
}

/* Queries, keys or values: a third of the columns of one matrix. The weights are cut, not the
 * product, because they have known extents. */
static tn_value third(tn_builder *b, const gpt2_config *c, tn_value x, affine a, int64_t which)
{
    affine part = {tn_slice_axis(b, a.w, 1, which * c->width, c->width),
                   tn_slice_axis(b, a.bias, 0, which * c->width, c->width)};
    return split_heads(b, c, linear(b, x, part));
}

/* Where the token of a decoding step goes; all no value while the whole prompt is run. */
typedef struct step {
    tn_value start;        /* of its row in a cache, si32[4] */
    tn_value position;     /* si32[] */
    tn_value keys, values; /* the caches */
} step;

/* Attention of X, the keys and values of which are added to the caches of S, if it has any, and
 * left in *KEYS and *VALUES. */
static tn_value attend(tn_builder *b, const gpt2_config *c, tn_value x, affine a, const step *s,
                       tn_value *keys, tn_value *values)
{
    tn_attention how = {.causal = true, .first = s->position};
    tn_value q = third(b, c, x, a, 0);
    *keys = third(b, c, x, a, 1);
    *values = third(b, c, x, a, 2);
    if (tn_is_value(s->keys)) {
        *keys = tn_dynamic_update_slice(b, s->keys, *keys, s->start);
        *values = tn_dynamic_update_slice(b, s->values, *values, s->start);
    }
    return join_heads(b, c, tn_nn_attention(b, q, *keys, *values, &how));
}

static tn_value block(tn_builder *b, const gpt2_config *c, tn_value x, const layer *l,
                      const step *s, tn_value *keys, tn_value *values)
{
    tn_value seen = attend(b, c, norm(b, x, l->norm_1), l->attend, s, keys, values);
    x = tn_add(b, x, linear(b, seen, l->project));
    tn_value wide = tn_nn_gelu_tanh(b, linear(b, norm(b, x, l->norm_2), l->widen));
    return tn_add(b, x, linear(b, wide, l->narrow));
}

static tn_value embed(tn_builder *b, const model *m, tn_value ids, tn_value places)
{
    return tn_add(b, tn_nn_embedding(b, m->tokens, ids), tn_nn_embedding(b, m->places, places));
}

/* The logits of X[1, S, width] at position LAST[1]: the output shares its matrix with the token
 * embedding. */
static tn_value logits_at(tn_builder *b, const gpt2_config *c, const model *m, tn_value x,
                          tn_value last)
{
    tn_value rows = tn_reshape(b, x, TN_INTS(tn_extent(b, x, 1), c->width));
    tn_value row = norm(b, tn_take(b, rows, last), m->last_norm);
    return tn_nn_linear(b, row, m->tokens, tn_no_value(), TN_WEIGHTS_OUT_IN);
}

/* One result and two more for each layer. OUT has room for them. */
static tn_status finish(tn_builder *b, const gpt2_config *c, tn_value *out, tn_module **module)
{
    return tn_builder_finish(b, out, 1 + 2 * (size_t)c->layers, module);
}

enum { MOST_LAYERS = 256 }; /* main checks */

static void label(tn_builder *b, int64_t index)
{
    char text[32];
    (void)snprintf(text, sizeof text, "h.%d", (int)index);
    tn_builder_at(b, text);
}

tn_status gpt2_build_prefill(tn_context *cx, const gpt2_config *c, tn_module **module)
{
    tn_builder *b = tn_builder_new(cx);
    tn_value out[1 + 2 * MOST_LAYERS];
    layer layers[MOST_LAYERS];
    inputs in = {b, c, 0};

    tn_builder_name(b, "prefill");
    int64_t length = tn_dim(b, "S");
    tn_value ids = tn_input(b, "tokens", TN_SI32, TN_INTS(1, length));
    tn_value last = tn_input(b, "last", TN_SI32, TN_INTS(1));
    model m = model_inputs(&in);
    for (int64_t i = 0; i < c->layers; i++)
        layers[i] = layer_inputs(&in);

    tn_builder_at(b, "embedding");
    step whole = {tn_no_value(), tn_no_value(), tn_no_value(), tn_no_value()};
    tn_value x = embed(b, &m, ids, tn_iota(b, TN_SI32, TN_INTS(1, length), 1));
    for (int64_t i = 0; i < c->layers; i++) {
        label(b, i);
        x = block(b, c, x, &layers[i], &whole, &out[1 + 2 * i], &out[2 + 2 * i]);
    }
    tn_builder_at(b, "logits");
    out[0] = logits_at(b, c, &m, x, last);
    return finish(b, c, out, module);
}

static tn_value cache(tn_builder *b, const gpt2_config *c, int64_t room, const char *what,
                      int64_t index)
{
    char name[GPT2_NAME];
    (void)snprintf(name, sizeof name, "%s.%d", what, (int)index);
    return tn_input(b, name, TN_F32, TN_INTS(1, c->heads, room, gpt2_head_width(c)));
}

tn_status gpt2_build_decode(tn_context *cx, const gpt2_config *c, int64_t room, tn_module **module)
{
    tn_builder *b = tn_builder_new(cx);
    tn_value out[1 + 2 * MOST_LAYERS];
    layer layers[MOST_LAYERS];
    step steps[MOST_LAYERS];
    inputs in = {b, c, 0};

    tn_builder_name(b, "decode");
    tn_value ids = tn_input(b, "token", TN_SI32, TN_INTS(1, 1));
    tn_value place = tn_input(b, "position", TN_SI32, TN_INTS(1));
    model m = model_inputs(&in);
    for (int64_t i = 0; i < c->layers; i++)
        layers[i] = layer_inputs(&in);
    for (int64_t i = 0; i < c->layers; i++) {
        steps[i].keys = cache(b, c, room, "keys", i);
        steps[i].values = cache(b, c, room, "values", i);
    }

    tn_builder_at(b, "embedding");
    tn_value zero = tn_splat(b, TN_SI32, TN_INTS(1), 0);
    tn_value start = tn_concat(b, TN_VALUES(zero, zero, place, zero), 0);
    tn_value position = tn_reshape(b, place, TN_INTS());
    tn_value x = embed(b, &m, ids, tn_reshape(b, place, TN_INTS(1, 1)));
    for (int64_t i = 0; i < c->layers; i++) {
        label(b, i);
        steps[i].start = start;
        steps[i].position = position;
        x = block(b, c, x, &layers[i], &steps[i], &out[1 + 2 * i], &out[2 + 2 * i]);
    }
    tn_builder_at(b, "logits");
    out[0] = logits_at(b, c, &m, x, zero);
    return finish(b, c, out, module);
}
