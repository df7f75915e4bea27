/* Running the two programs: caches, operands, results. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpt2.h"

static size_t n_caches(const gpt2_session *s)
{
    return 2 * (size_t)s->config.layers;
}

static tn_status no_memory(void)
{
    (void)fprintf(stderr, "out of memory\n");
    return TN_ERR_NOMEM;
}

static tn_buffer tensor(tn_dtype dtype, uint32_t rank, const int64_t *dims, void *data)
{
    tn_buffer b = {.data = data, .bytes = tn_dtype_size(dtype)};
    b.type.dtype = dtype;
    b.type.rank = rank;
    for (uint32_t i = 0; i < rank; i++) {
        b.type.dims[i] = dims[i];
        b.bytes *= (size_t)dims[i];
    }
    return b;
}

static tn_buffer *make_caches(const gpt2_session *s)
{
    const gpt2_config *c = &s->config;
    const int64_t dims[] = {1, c->heads, s->room, gpt2_head_width(c)};
    tn_buffer *caches = calloc(n_caches(s), sizeof *caches);
    for (size_t i = 0; caches && i < n_caches(s); i++) {
        caches[i] = tensor(TN_F32, 4, dims, NULL);
        caches[i].data = calloc(1, caches[i].bytes);
        if (!caches[i].data) {
            for (size_t k = 0; k < i; k++)
                free(caches[k].data);
            free(caches);
            return NULL;
        }
    }
    return caches;
}

tn_status gpt2_fix_weights(tn_module *decode, const gpt2_weights *w)
{
    tn_status status = TN_OK;
    for (size_t i = w->n; status == TN_OK && i-- > 0;)
        status = tn_module_borrow_constant(decode, 2 + i, &w->at[i]);
    return status;
}

tn_status gpt2_start(gpt2_session *s, const gpt2_config *c, const gpt2_weights *w,
                     const tn_module *prefill, const tn_module *decode, int64_t prompt,
                     int64_t room)
{
    *s = (gpt2_session){.config = *c, .weights = w, .prompt = prompt, .room = room};
    const tn_binding length = {"S", prompt};
    const tn_compile_options bound = {.bindings = &length, .n_bindings = 1};
    tn_status status = tn_program_compile(decode, NULL, &s->decode);
    if (status == TN_OK && prefill)
        status = tn_program_compile(prefill, &bound, &s->prefill);
    if (status != TN_OK)
        return status;
    size_t n = 2 + w->n + n_caches(s);
    s->in = calloc(n, sizeof *s->in);
    s->out = calloc(n, sizeof *s->out);
    s->logits = calloc((size_t)c->vocab, sizeof *s->logits);
    s->caches = make_caches(s);
    return s->in && s->out && s->logits && s->caches ? TN_OK : no_memory();
}

static tn_buffer logits_of(gpt2_session *s)
{
    const int64_t dims[] = {1, s->config.vocab};
    return tensor(TN_F32, 2, dims, s->logits);
}

/* Copy the rows of one prompt's keys or values into a cache, head by head. */
static void keep_rows(const gpt2_session *s, const tn_buffer *from, tn_buffer *cache)
{
    const gpt2_config *c = &s->config;
    size_t row = (size_t)gpt2_head_width(c) * sizeof(float);
    const char *source = from->data;
    char *to = cache->data;
    for (int64_t head = 0; head < c->heads; head++) {
        memcpy(to, source, (size_t)s->prompt * row);
        source += (size_t)s->prompt * row;
        to += (size_t)s->room * row;
    }
}

tn_status gpt2_run_prompt(gpt2_session *s, const int32_t *tokens)
{
    tn_status status = TN_OK;
    if (!s->prefill) {
        for (int64_t i = 0; status == TN_OK && i < s->prompt; i++)
            status = gpt2_run_token(s, tokens[i]);
        return status;
    }
    int32_t *own = malloc((size_t)s->prompt * sizeof *own); /* runs only read their inputs */
    if (!own)
        return no_memory();
    memcpy(own, tokens, (size_t)s->prompt * sizeof *own);
    const int64_t dims[] = {1, s->prompt};
    s->position = (int32_t)(s->prompt - 1);
    s->in[0] = tensor(TN_SI32, 2, dims, own);
    s->in[1] = tensor(TN_SI32, 1, dims, &s->position);
    memcpy(s->in + 2, s->weights->at, s->weights->n * sizeof *s->in);
    s->out[0] = logits_of(s);
    memset(s->out + 1, 0, n_caches(s) * sizeof *s->out); /* the library makes these */
    status = tn_program_run(s->prefill, s->in, 2 + s->weights->n, s->out, 1 + n_caches(s), NULL);
    free(own);
    if (status != TN_OK)
        return status;
    for (size_t i = 0; i < n_caches(s); i++) {
        keep_rows(s, &s->out[1 + i], &s->caches[i]);
        tn_buffer_release(s->prefill, &s->out[1 + i]);
    }
    s->n_tokens = s->prompt;
    return TN_OK;
}

tn_status gpt2_run_token(gpt2_session *s, int32_t token)
{
    const int64_t ones[] = {1, 1};
    size_t n = n_caches(s);
    s->token = token;
    s->position = (int32_t)s->n_tokens;
    s->in[0] = tensor(TN_SI32, 2, ones, &s->token);
    s->in[1] = tensor(TN_SI32, 1, ones, &s->position);
    memcpy(s->in + 2, s->caches, n * sizeof *s->in);
    s->out[0] = logits_of(s);
    memcpy(s->out + 1, s->caches, n * sizeof *s->out); /* over the inputs: nothing is copied */
    tn_status status = tn_program_run(s->decode, s->in, 2 + n, s->out, 1 + n, NULL);
    if (status == TN_OK)
        s->n_tokens++;
    return status;
}

void gpt2_end(gpt2_session *s)
{
    for (size_t i = 0; s->caches && i < n_caches(s); i++)
        free(s->caches[i].data);
    free(s->caches);
    free(s->in);
    free(s->out);
    free(s->logits);
    tn_program_free(s->prefill);
    tn_program_free(s->decode);
    *s = (gpt2_session){0};
}
