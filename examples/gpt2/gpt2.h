/* A GPT-2-shaped language model: what the files of this example share. */
#ifndef GPT2_H
#define GPT2_H

#include "tenon/files.h"
#include "tenon/forms.h"

/* The shape of a model. The default is GPT-2 with 124 million parameters. */
typedef struct gpt2_config {
    int64_t layers, width, heads, vocab, positions;
} gpt2_config;

static inline int64_t gpt2_head_width(const gpt2_config *c)
{
    return c->width / c->heads;
}

/* ---- weights: weights.c --------------------------------------------------------------------- */

enum { GPT2_PER_LAYER = 12, GPT2_OUTSIDE = 4, GPT2_NAME = 48 };

/* One tensor of the model. */
typedef struct gpt2_tensor {
    char name[GPT2_NAME];  /* as published: "wte.weight", "h.0.ln_1.weight", ... */
    int64_t rows, columns; /* rows 0: a vector of `columns` */
} gpt2_tensor;

static inline size_t gpt2_tensor_count(const gpt2_config *c)
{
    return GPT2_OUTSIDE + GPT2_PER_LAYER * (size_t)c->layers;
}
/* Tensor INDEX of the model, in the order in which programs take them. */
gpt2_tensor gpt2_tensor_at(const gpt2_config *c, size_t index);
/* The elements of a tensor; -1 when they cannot be counted. */
int64_t gpt2_elements(const gpt2_tensor *t);

/* The tensors of a model, in that order. */
typedef struct gpt2_weights {
    size_t n;
    tn_buffer *at;
    float **own;          /* converted or generated; NULL where the file's data serves */
    tn_tensor_file *file; /* NULL: generated */
} gpt2_weights;

/* Called with the number of tensors done and of all. */
typedef void gpt2_progress(const char *what, size_t done, size_t all);

/* From a .safetensors or .npz file with the published names, with or without "transformer." in
 * front. Reports what is missing or does not fit on stderr. */
bool gpt2_load(const gpt2_config *c, tn_context *cx, const char *path, gpt2_weights *w,
               gpt2_progress *progress);
/* Numbers that depend on SEED alone, with the deviations that GPT-2 starts training with. */
bool gpt2_generate(const gpt2_config *c, uint64_t seed, gpt2_weights *w, gpt2_progress *progress);
void gpt2_release(gpt2_weights *w);

/* ---- programs: model.c ---------------------------------------------------------------------- */

/* The prompt at once. The number of tokens is the symbolic extent "S".
 *
 * inputs   tokens si32[1, S], last si32[1] (the position whose logits are wanted), the weights
 * results  logits f32[1, vocab], then keys and values f32[1, heads, S, head width] for each layer
 */
tn_status gpt2_build_prefill(tn_context *cx, const gpt2_config *c, tn_module **module);
/* One token more. The caches have room for ROOM tokens; attention looks at all of it.
 *
 * inputs   token si32[1, 1], position si32[1], the weights, then keys and values
 *          f32[1, heads, ROOM, head width] for each layer
 * results  logits f32[1, vocab], then keys and values with the token's own at its position */
tn_status gpt2_build_decode(tn_context *cx, const gpt2_config *c, int64_t room, tn_module **module);

/* ---- running: session.c --------------------------------------------------------------------- */

typedef struct gpt2_session {
    gpt2_config config;
    const gpt2_weights *weights;
    tn_program *prefill, *decode; /* prefill: for prompts of `prompt` tokens; NULL: step by step */
    int64_t prompt, room;
    tn_buffer *caches;   /* keys and values, which each step changes in place */
    tn_buffer *in, *out; /* room for the operands of either program */
    float *logits;
    int32_t token, position; /* operands of a step */
    int64_t n_tokens;        /* in the caches */
} gpt2_session;

/* Make the weights constants of the program that adds a token: it is run so often that arranging
 * them for fast reading pays. They must outlive the module and what is compiled from it. */
tn_status gpt2_fix_weights(tn_module *decode, const gpt2_weights *w);
/* Compile both programs, DECODE with its weights fixed, and make the caches, with the ROOM that
 * DECODE was built for. PREFILL may be NULL. Zero S before. */
tn_status gpt2_start(gpt2_session *s, const gpt2_config *c, const gpt2_weights *w,
                     const tn_module *prefill, const tn_module *decode, int64_t prompt,
                     int64_t room);
/* Run the prompt, of the length given to gpt2_start; s->logits are those of its last token. */
tn_status gpt2_run_prompt(gpt2_session *s, const int32_t *tokens);
/* Run one token. */
tn_status gpt2_run_token(gpt2_session *s, int32_t token);
void gpt2_end(gpt2_session *s);

/* ---- choosing: sample.c --------------------------------------------------------------------- */

/* The next token: the likeliest for TOP_K 1, else drawn from the TOP_K likeliest by their
 * probabilities, with random numbers from *STATE. ORDER has room for VOCAB numbers. */
int32_t gpt2_choose(const float *logits, int64_t vocab, int64_t top_k, uint64_t *state,
                    int32_t *order);
/* The next 64 random bits of *STATE. */
uint64_t gpt2_random(uint64_t *state);

#endif
