/* Generates text, as token ids, with a GPT-2-shaped model that is built with tenon/build.h: one
 * program runs the prompt, another one adds a token at a time with cached keys and values. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "options.h"

static const char help[] =
    "usage: gpt2 [options]\n"
    "\n"
    "  --layers N --width N --heads N --vocab N --positions N\n"
    "                     the shape of the model (12 768 12 50257 1024)\n"
    "  --weights FILE     .safetensors or .npz with the published names; otherwise the weights\n"
    "                     are made from the seed\n"
    "  --seed N           of generated weights and of --top-k (0)\n"
    "  --prompt 1,2,3     token ids\n"
    "  --tokens N         how many to add (16)\n"
    "  --top-k K          choose among the K likeliest; 1 is the likeliest (1)\n"
    "  --step-by-step     run the prompt token by token, too\n"
    "  --logits           print the logits before each token\n"
    "  --save-ptir DIR    write both programs as DIR/prefill.ptir.json, DIR/decode.ptir.json\n"
    "  --progress WHEN    always, never, or auto: on terminals (auto)\n"
    "\n"
    "The ids of the prompt and of the new tokens go to standard output.\n";

/* ---- telling -------------------------------------------------------------------------------- */

static void tell(void *user, const tn_diagnostic *d)
{
    (void)user;
    (void)fprintf(stderr, "gpt2: %s%s%s [%s]\n", d->node, d->node[0] ? ": " : "", d->message,
                  d->code);
    for (size_t i = 0; i < d->n_notes; i++)
        (void)fprintf(stderr, "    %s\n", d->notes[i].message);
}

static void draw_bar(const char *what, size_t done, size_t all)
{
    enum { WIDTH = 32 };
    char bar[WIDTH + 1];
    for (size_t i = 0; i < WIDTH; i++)
        bar[i] = i * all < done * WIDTH ? '#' : '.';
    bar[WIDTH] = '\0';
    (void)fprintf(stderr, "\r%-16s [%s] %zu/%zu%s", what, bar, done, all, done == all ? "\n" : "");
    (void)fflush(stderr);
}

static void draw_nothing(const char *what, size_t done, size_t all)
{
    (void)what;
    (void)done;
    (void)all;
}

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void print_logits(const gpt2_session *s)
{
    (void)printf("logits");
    for (int64_t i = 0; i < s->config.vocab; i++)
        (void)printf(" %.9g", (double)s->logits[i]);
    (void)printf("\n");
}

static void print_ids(const int32_t *ids, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        (void)printf("%s%d", i ? "," : "", (int)ids[i]);
    (void)printf("\n");
}

/* ---- programs ------------------------------------------------------------------------------- */

static bool write_file(void *user, const char *bytes, size_t n)
{
    return fwrite(bytes, 1, n, user) == n;
}

static bool save(const tn_module *m, const char *folder, const char *name)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/%s.ptir.json", folder, name);
    FILE *file = n > 0 && (size_t)n < sizeof path ? fopen(path, "wb") : NULL;
    if (!file) {
        (void)fprintf(stderr, "gpt2: cannot write '%s'\n", path);
        return false;
    }
    tn_writer writer = {write_file, file};
    bool ok = tn_module_write(m, "ptir", NULL, &writer) == TN_OK;
    return fclose(file) == 0 && ok;
}

typedef struct programs {
    tn_module *prefill, *decode;
} programs;

/* What the caches hold: the prompt and all new tokens, in steps, so that similar runs have the same
 * program. */
static int64_t room_of(const gpt2_options *o)
{
    enum { STEP = 64 };
    int64_t room = (o->n_prompt + o->tokens + STEP - 1) / STEP * STEP;
    return room < o->config.positions ? room : o->config.positions;
}

static bool build(tn_context *cx, const gpt2_options *o, programs *p)
{
    if (gpt2_build_decode(cx, &o->config, room_of(o), &p->decode) != TN_OK ||
        gpt2_build_prefill(cx, &o->config, &p->prefill) != TN_OK)
        return false;
    return !o->save_ptir ||
           (save(p->prefill, o->save_ptir, "prefill") && save(p->decode, o->save_ptir, "decode"));
}

/* ---- generating ----------------------------------------------------------------------------- */

/* The prompt and o->tokens more into IDS. */
static bool generate(gpt2_session *s, const gpt2_options *o, gpt2_progress *progress, int32_t *ids,
                     int32_t *order)
{
    uint64_t state = o->seed;
    double start = now();
    for (int64_t i = 0; i < o->n_prompt; i++)
        ids[i] = o->prompt[i];
    if (gpt2_run_prompt(s, ids) != TN_OK)
        return false;
    double middle = now();
    (void)fprintf(stderr, "prompt: %d tokens, %.1f tokens/s\n", (int)o->n_prompt,
                  (double)o->n_prompt / (middle - start));
    for (int64_t i = 0; i < o->tokens; i++) {
        if (o->logits)
            print_logits(s);
        int32_t token = gpt2_choose(s->logits, o->config.vocab, o->top_k, &state, order);
        ids[o->n_prompt + i] = token;
        progress("generating", (size_t)(i + 1), (size_t)o->tokens);
        if (i + 1 < o->tokens && gpt2_run_token(s, token) != TN_OK)
            return false;
    }
    if (o->tokens > 1)
        (void)fprintf(stderr, "new: %d tokens, %.1f tokens/s\n", (int)(o->tokens - 1),
                      (double)(o->tokens - 1) / (now() - middle));
    return true;
}

static void forget(programs *p)
{
    tn_module_free(p->prefill);
    tn_module_free(p->decode);
    *p = (programs){0};
}

/* Compile what runs; P is not needed any more then. */
static bool start(gpt2_session *s, const gpt2_options *o, programs *p, const gpt2_weights *w)
{
    bool ok = gpt2_fix_weights(p->decode, w) == TN_OK &&
              gpt2_start(s, &o->config, w, o->step_by_step ? NULL : p->prefill, p->decode,
                         o->n_prompt, room_of(o)) == TN_OK;
    forget(p);
    return ok;
}

static bool run(tn_context *cx, const gpt2_options *o, programs *p)
{
    bool bar = o->progress < 0 ? isatty(STDERR_FILENO) : o->progress;
    gpt2_progress *progress = bar ? draw_bar : draw_nothing;
    gpt2_weights w = {0};
    gpt2_session s = {0};
    int32_t *ids = calloc((size_t)(o->n_prompt + o->tokens), sizeof *ids);
    int32_t *order = calloc((size_t)o->config.vocab, sizeof *order);
    bool ok = ids && order;
    ok = ok && (o->weights ? gpt2_load(&o->config, cx, o->weights, &w, progress)
                           : gpt2_generate(&o->config, o->seed, &w, progress));
    ok = ok && start(&s, o, p, &w);
    ok = ok && generate(&s, o, progress, ids, order);
    if (ok)
        print_ids(ids, o->n_prompt + o->tokens);
    gpt2_end(&s);
    gpt2_release(&w);
    free(order);
    free(ids);
    return ok;
}

int main(int argc, char **argv)
{
    gpt2_options o;
    programs p = {0};
    tn_diagnostic_sink sink = {tell, NULL};
    if (!gpt2_read_options(argc, argv, &o)) {
        gpt2_release_options(&o);
        return 2;
    }
    if (o.help) {
        (void)fputs(help, stdout);
        gpt2_release_options(&o);
        return 0;
    }
    tn_context *cx = tn_context_new(NULL, &sink);
    bool ok = cx && build(cx, &o, &p);
    if (ok && !(o.save_ptir && o.tokens == 0))
        ok = run(cx, &o, &p);
    forget(&p);
    tn_context_free(cx);
    gpt2_release_options(&o);
    return ok ? 0 : 1;
}
