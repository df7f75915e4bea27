/* The weights: their names and shapes, read from a file or generated from a seed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpt2.h"

/* ---- names and shapes ----------------------------------------------------------------------- */

static gpt2_tensor named(const char *name, int64_t rows, int64_t columns)
{
    gpt2_tensor t = {.rows = rows, .columns = columns};
    (void)snprintf(t.name, sizeof t.name, "%s", name);
    return t;
}

gpt2_tensor gpt2_tensor_at(const gpt2_config *c, size_t index)
{
    int64_t w = c->width;
    const gpt2_tensor outside[GPT2_OUTSIDE] = {
        named("wte.weight", c->vocab, w),
        named("wpe.weight", c->positions, w),
        named("ln_f.weight", 0, w),
        named("ln_f.bias", 0, w),
    };
    const gpt2_tensor inside[GPT2_PER_LAYER] = {
        named("ln_1.weight", 0, w),
        named("ln_1.bias", 0, w),
        named("attn.c_attn.weight", w, 3 * w),
        named("attn.c_attn.bias", 0, 3 * w),
        named("attn.c_proj.weight", w, w),
        named("attn.c_proj.bias", 0, w),
        named("ln_2.weight", 0, w),
        named("ln_2.bias", 0, w),
        named("mlp.c_fc.weight", w, 4 * w),
        named("mlp.c_fc.bias", 0, 4 * w),
        named("mlp.c_proj.weight", 4 * w, w),
        named("mlp.c_proj.bias", 0, w),
    };
    if (index < GPT2_OUTSIDE)
        return outside[index];
    index -= GPT2_OUTSIDE;
    gpt2_tensor t = inside[index % GPT2_PER_LAYER];
    char name[GPT2_NAME];
    (void)snprintf(name, sizeof name, "h.%d.%.30s", (int)(index / GPT2_PER_LAYER), t.name);
    memcpy(t.name, name, sizeof name);
    return t;
}

int64_t gpt2_elements(const gpt2_tensor *t)
{
    int64_t rows = t->rows ? t->rows : 1;
    return t->columns <= INT64_MAX / 16 / rows ? rows * t->columns : -1;
}

static tn_buffer buffer_of(const gpt2_tensor *t, void *data)
{
    tn_buffer b = {.data = data, .bytes = (size_t)gpt2_elements(t) * sizeof(float)};
    b.type.dtype = TN_F32;
    b.type.rank = t->rows ? 2 : 1;
    b.type.dims[0] = t->rows ? t->rows : t->columns;
    b.type.dims[1] = t->rows ? t->columns : 0;
    return b;
}

static bool make_lists(const gpt2_config *c, gpt2_weights *w)
{
    w->n = gpt2_tensor_count(c);
    w->at = calloc(w->n, sizeof *w->at);
    w->own = calloc(w->n, sizeof *w->own);
    if (w->at && w->own)
        return true;
    (void)fprintf(stderr, "out of memory\n");
    return false;
}

/* Memory of W's own for tensor I. */
static float *own_data(gpt2_weights *w, size_t i, const gpt2_tensor *t)
{
    int64_t n = gpt2_elements(t);
    w->own[i] = n > 0 ? malloc((size_t)n * sizeof(float)) : NULL;
    if (!w->own[i])
        (void)fprintf(stderr, "no memory for '%s'\n", t->name);
    else
        w->at[i] = buffer_of(t, w->own[i]);
    return w->own[i];
}

void gpt2_release(gpt2_weights *w)
{
    for (size_t i = 0; w->own && i < w->n; i++)
        free(w->own[i]);
    free(w->own);
    free(w->at);
    tn_tensor_file_close(w->file);
    *w = (gpt2_weights){0};
}

/* ---- from a file ---------------------------------------------------------------------------- */

static bool find(const tn_tensor_file *file, const char *name, size_t *index)
{
    char longer[GPT2_NAME + 16];
    (void)snprintf(longer, sizeof longer, "transformer.%s", name);
    return tn_tensor_file_find(file, name, index) || tn_tensor_file_find(file, longer, index);
}

static bool has_shape(const tn_type *have, const tn_type *want)
{
    return have->rank == want->rank && have->dims[0] == want->dims[0] &&
           (want->rank < 2 || have->dims[1] == want->dims[1]);
}

static float half_to_float(uint16_t h)
{
    int exponent = (h >> 10) & 31, sign = h >> 15;
    double m = h & 1023, x;
    if (exponent == 31)
        x = m != 0 ? (double)NAN : HUGE_VAL;
    else
        x = exponent ? ldexp(m + 1024, exponent - 25) : ldexp(m, -24);
    return (float)(sign ? -x : x);
}

static float bf16_to_float(uint16_t h)
{
    uint32_t bits = (uint32_t)h << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* N elements of FROM as floats; false for types that weights do not have. */
static bool convert(const tn_buffer *from, float *to, int64_t n)
{
    const uint16_t *half = from->data;
    const double *wide = from->data;
    for (int64_t i = 0; i < n; i++) {
        if (from->type.dtype == TN_F16)
            to[i] = half_to_float(half[i]);
        else if (from->type.dtype == TN_BF16)
            to[i] = bf16_to_float(half[i]);
        else if (from->type.dtype == TN_F64)
            to[i] = (float)wide[i];
        else
            return false;
    }
    return true;
}

static bool load_one(gpt2_weights *w, size_t i, const gpt2_tensor *t)
{
    size_t at;
    tn_buffer want = buffer_of(t, NULL), have;
    if (!find(w->file, t->name, &at)) {
        (void)fprintf(stderr, "the file has no tensor '%s'\n", t->name);
        return false;
    }
    if (tn_tensor_file_load(w->file, at, &have) != TN_OK)
        return false;
    if (!has_shape(&have.type, &want.type)) {
        (void)fprintf(stderr, "'%s' has another shape than the model; see --help\n", t->name);
        return false;
    }
    if (have.type.dtype == TN_F32) {
        w->at[i] = have;
        return true;
    }
    float *own = own_data(w, i, t);
    if (!own)
        return false;
    bool ok = convert(&have, own, gpt2_elements(t));
    if (!ok)
        (void)fprintf(stderr, "'%s' holds %s, not floats\n", t->name,
                      tn_dtype_name(have.type.dtype));
    tn_tensor_file_unload(w->file, at);
    return ok;
}

bool gpt2_load(const gpt2_config *c, tn_context *cx, const char *path, gpt2_weights *w,
               gpt2_progress *progress)
{
    if (!make_lists(c, w) || tn_tensor_file_open(cx, path, &w->file) != TN_OK)
        return false;
    for (size_t i = 0; i < w->n; i++) {
        gpt2_tensor t = gpt2_tensor_at(c, i);
        if (!load_one(w, i, &t))
            return false;
        progress("reading weights", i + 1, w->n);
    }
    return true;
}

/* ---- from a seed ---------------------------------------------------------------------------- */

/* Nearly normal, mean 0, variance 1: twelve 16-bit numbers, summed. Integers only, so that every
 * machine makes the same model. */
static float next_normal(uint64_t *state)
{
    int64_t sum = 0;
    for (int word = 0; word < 3; word++) {
        uint64_t bits = gpt2_random(state);
        for (int part = 0; part < 4; part++)
            sum += (int64_t)(bits >> (16 * part) & 0xffff);
    }
    return (float)(2 * sum - (int64_t)12 * 65535) / 131072.0f;
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static float deviation_of(const gpt2_config *c, const gpt2_tensor *t)
{
    if (strcmp(t->name, "wpe.weight") == 0)
        return 0.01f;
    if (ends_with(t->name, "c_proj.weight")) /* these add up along the residual path */
        return 0.02f / sqrtf(2.0f * (float)c->layers);
    return 0.02f;
}

static void generate_one(const gpt2_config *c, uint64_t seed, size_t index, const gpt2_tensor *t,
                         float *to)
{
    int64_t n = gpt2_elements(t);
    uint64_t state = seed ^ (0x9e3779b97f4a7c15U * (index + 1));
    float deviation = deviation_of(c, t);
    for (int64_t i = 0; i < n; i++) {
        if (t->rows)
            to[i] = deviation * next_normal(&state);
        else
            to[i] = ends_with(t->name, ".weight") ? 1.0f : 0.0f; /* norms; biases */
    }
}

bool gpt2_generate(const gpt2_config *c, uint64_t seed, gpt2_weights *w, gpt2_progress *progress)
{
    if (!make_lists(c, w))
        return false;
    for (size_t i = 0; i < w->n; i++) {
        gpt2_tensor t = gpt2_tensor_at(c, i);
        float *own = own_data(w, i, &t);
        if (!own)
            return false;
        generate_one(c, seed, i, &t, own);
        progress("making weights", i + 1, w->n);
    }
    return true;
}
