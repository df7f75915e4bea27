/* The command line of the example. */
#ifndef GPT2_OPTIONS_H
#define GPT2_OPTIONS_H

#include "gpt2.h"

typedef struct gpt2_options {
    gpt2_config config;
    const char *weights;   /* NULL: generated from the seed */
    const char *save_ptir; /* NULL: no */
    uint64_t seed;
    int64_t tokens, top_k;
    int32_t *prompt;
    int64_t n_prompt;
    bool step_by_step, logits, help;
    int progress; /* 1 always, 0 never, -1 on terminals */
} gpt2_options;

/* False after a message on stderr. */
bool gpt2_read_options(int argc, char **argv, gpt2_options *o);
void gpt2_release_options(gpt2_options *o);

#endif
