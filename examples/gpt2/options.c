/* Reading the command line. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

enum { MOST_LAYERS = 256 };

static bool read_number(const char *text, int64_t least, int64_t most, int64_t *out)
{
    char *end;
    errno = 0;
    long long x = strtoll(text, &end, 10);
    if (errno || end == text || *end || x < least || x > most)
        return false;
    *out = x;
    return true;
}

static bool read_prompt(const char *text, gpt2_options *o)
{
    size_t most = 1;
    for (const char *p = text; *p; p++)
        most += *p == ',';
    free(o->prompt);
    o->prompt = calloc(most, sizeof *o->prompt);
    o->n_prompt = 0;
    while (o->prompt) {
        char *end;
        errno = 0;
        long long token = strtoll(text, &end, 10);
        if (errno || end == text || (*end && *end != ',') || token < 0 || token > INT32_MAX)
            return false;
        o->prompt[o->n_prompt++] = (int32_t)token;
        if (!*end)
            return true;
        text = end + 1;
    }
    return false;
}

/* One option; VALUE is NULL for those without. */
typedef enum taken { TAKEN, UNKNOWN_OPTION, WRONG_VALUE } taken;

static taken read_size(const char *name, const char *value, gpt2_options *o)
{
    const struct {
        const char *name;
        int64_t *to;
        int64_t least, most;
    } sizes[] = {
        {"layers", &o->config.layers, 1, MOST_LAYERS},
        {"width", &o->config.width, 1, 1 << 20},
        {"heads", &o->config.heads, 1, 1 << 20},
        {"vocab", &o->config.vocab, 1, 1 << 24},
        {"positions", &o->config.positions, 1, 1 << 24},
        {"tokens", &o->tokens, 0, 1 << 24},
        {"top-k", &o->top_k, 1, 1 << 24},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (strcmp(name, sizes[i].name) == 0)
            return read_number(value, sizes[i].least, sizes[i].most, sizes[i].to) ? TAKEN
                                                                                  : WRONG_VALUE;
    return UNKNOWN_OPTION;
}

static taken read_valued(const char *name, const char *value, gpt2_options *o)
{
    int64_t seed;
    if (strcmp(name, "weights") == 0) {
        o->weights = value;
    } else if (strcmp(name, "save-ptir") == 0) {
        o->save_ptir = value;
    } else if (strcmp(name, "prompt") == 0) {
        return read_prompt(value, o) ? TAKEN : WRONG_VALUE;
    } else if (strcmp(name, "seed") == 0) {
        if (!read_number(value, 0, INT64_MAX, &seed))
            return WRONG_VALUE;
        o->seed = (uint64_t)seed;
    } else if (strcmp(name, "progress") == 0) {
        o->progress = strcmp(value, "always") == 0 ? 1 : strcmp(value, "never") == 0 ? 0 : -1;
        return o->progress >= 0 || strcmp(value, "auto") == 0 ? TAKEN : WRONG_VALUE;
    } else {
        return read_size(name, value, o);
    }
    return TAKEN;
}

static bool read_flag(const char *name, gpt2_options *o)
{
    bool *flag = strcmp(name, "step-by-step") == 0 ? &o->step_by_step
                 : strcmp(name, "logits") == 0     ? &o->logits
                 : strcmp(name, "help") == 0       ? &o->help
                                                   : NULL;
    if (flag)
        *flag = true;
    return flag != NULL;
}

static bool complain(const char *what, const char *about)
{
    (void)fprintf(stderr, "gpt2: %s '%s'; --help lists the options\n", what, about);
    return false;
}

static bool read_all(int argc, char **argv, gpt2_options *o)
{
    for (int i = 1; i < argc; i++) {
        char name[32];
        const char *arg = argv[i], *equals = strchr(arg, '=');
        size_t n = equals ? (size_t)(equals - arg) : strlen(arg);
        if (strncmp(arg, "--", 2) != 0 || n - 2 >= sizeof name)
            return complain("unknown argument", arg);
        memcpy(name, arg + 2, n - 2);
        name[n - 2] = '\0';
        if (!equals && read_flag(name, o))
            continue;
        const char *value = equals ? equals + 1 : i + 1 < argc ? argv[++i] : "";
        taken t = read_valued(name, value, o);
        if (t != TAKEN)
            return complain(t == UNKNOWN_OPTION ? "unknown option" : "no such value for", arg);
    }
    return true;
}

static bool check(const gpt2_options *o)
{
    const gpt2_config *c = &o->config;
    if (c->width % c->heads != 0)
        return complain("the number of heads must divide", "--width");
    if (o->n_prompt + o->tokens > c->positions)
        return complain("prompt and new tokens do not fit into", "--positions");
    for (int64_t i = 0; i < o->n_prompt; i++)
        if (o->prompt[i] >= c->vocab)
            return complain("the prompt has a token that is not in", "--vocab");
    for (size_t i = 0; i < gpt2_tensor_count(c); i++) {
        gpt2_tensor t = gpt2_tensor_at(c, i);
        if (gpt2_elements(&t) < 0)
            return complain("too many elements in", t.name);
    }
    return true;
}

bool gpt2_read_options(int argc, char **argv, gpt2_options *o)
{
    *o = (gpt2_options){
        .config = {12, 768, 12, 50257, 1024}, .tokens = 16, .top_k = 1, .progress = -1};
    return read_prompt("1,2,3", o) && read_all(argc, argv, o) && (o->help || check(o));
}

void gpt2_release_options(gpt2_options *o)
{
    free(o->prompt);
    o->prompt = NULL;
}
