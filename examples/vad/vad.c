/* Where is speech in a recording? Streams .wav files (PCM of 16 bits, one channel, any rate)
 * through the network in silero.c, which `tenon compile` wrote: this program needs nothing but the
 * C library.
 *
 * usage: vad FILE.wav...         the greatest and the mean probability of speech in each file
 *        vad --frames FILE.wav   that of each frame, as the bits of its float */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "silero.h"

/* The network takes 64 samples of before and 512 new ones, 32 ms. */
enum { RATE = 16000, CONTEXT = 64, STEP = 512, STATE = 2 * 128 };

typedef struct sound {
    int16_t *at;
    size_t n;
    uint32_t rate;
} sound;

/* What the network remembers. */
typedef struct detector {
    float window[CONTEXT + STEP], state[STATE];
    void *workspace;
} detector;

/* ---- .wav ---- */

static uint32_t little(const unsigned char *p, size_t n)
{
    uint32_t value = 0;
    for (size_t i = n; i-- > 0;)
        value = value << 8 | p[i];
    return value;
}

/* The samples, which are the rest of F or N bytes: programs that write to a pipe do not know how
 * many there will be. */
static int read_samples(FILE *f, uint32_t n, sound *out)
{
    size_t room = 1 << 16, got;
    unsigned char pair[2];
    out->at = malloc(room * sizeof *out->at);
    for (got = 0; out->at && got < n / 2 && fread(pair, 1, 2, f) == 2; got++) {
        if (got == room) {
            int16_t *more = realloc(out->at, 2 * room * sizeof *out->at);
            if (!more)
                return 0;
            out->at = more;
            room *= 2;
        }
        out->at[got] = (int16_t)little(pair, 2);
    }
    out->n = got;
    return out->at != NULL;
}

static int read_wav(const char *path, sound *out)
{
    unsigned char head[12], chunk[8], form[16] = {0};
    int ok = 0;
    FILE *f = fopen(path, "rb");
    *out = (sound){0};
    if (!f)
        return 0;
    if (fread(head, 1, 12, f) == 12 && memcmp(head, "RIFF", 4) == 0 &&
        memcmp(head + 8, "WAVE", 4) == 0)
        while (!ok && fread(chunk, 1, 8, f) == 8) {
            const uint32_t n = little(chunk + 4, 4);
            if (memcmp(chunk, "data", 4) == 0) {
                out->rate = little(form + 4, 4);
                ok = little(form, 2) == 1 && little(form + 2, 2) == 1 &&
                     little(form + 14, 2) == 16 && out->rate >= 1000 && read_samples(f, n, out);
                break;
            }
            const size_t known =
                memcmp(chunk, "fmt ", 4) == 0 && n >= 16 ? fread(form, 1, 16, f) : 0;
            if (n > INT32_MAX || fseek(f, (long)(n + n % 2 - known), SEEK_CUR) != 0)
                break;
        }
    (void)fclose(f);
    return ok;
}

/* Sample I of 16 000 in a second, between the two nearest: in integers, since compilers for some
 * machines round a product and a sum once. */
static float sample_at(const sound *s, size_t i)
{
    const uint64_t place = (uint64_t)i * s->rate;
    const size_t k = (size_t)(place / RATE);
    const int32_t part = (int32_t)(place % RATE);
    const int32_t a = k < s->n ? s->at[k] : 0, b = k + 1 < s->n ? s->at[k + 1] : 0;
    return (float)(a * (RATE - part) + b * part) / ((float)RATE * 32768);
}

/* ---- the network ---- */

/* The probability that the frame from sample FIRST on is speech. */
static float next_frame(detector *d, const sound *s, size_t first)
{
    float probability, state[STATE];
    const void *in[SILERO_INPUTS] = {d->window, d->state};
    void *out[SILERO_OUTPUTS] = {&probability, state};
    memmove(d->window, d->window + STEP, CONTEXT * sizeof *d->window);
    for (size_t i = 0; i < STEP; i++)
        d->window[CONTEXT + i] = sample_at(s, first + i);
    const int failed = silero_run(in, out, d->workspace);
    if (failed) {
        fprintf(stderr, "vad: the network ended with %d\n", failed);
        exit(1);
    }
    memcpy(d->state, state, sizeof state);
    return probability;
}

static void show_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    printf("%08x\n", (unsigned)bits);
}

static int listen(const char *path, int frames)
{
    detector d = {.workspace = aligned_alloc(64, (SILERO_WORKSPACE_BYTES + 63) / 64 * 64)};
    sound s;
    float most = 0, sum = 0;
    size_t n = 0;
    if (!d.workspace || !read_wav(path, &s)) {
        fprintf(stderr, "vad: %s cannot be read: no .wav of 16 bits and one channel?\n", path);
        free(d.workspace);
        return 0;
    }
    const size_t length = (size_t)((uint64_t)s.n * RATE / s.rate);
    for (; (n + 1) * STEP <= length; n++) {
        const float p = next_frame(&d, &s, n * STEP);
        if (frames)
            show_bits(p);
        sum += p;
        most = p > most ? p : most;
    }
    if (!frames)
        printf("%s: %zu frames, speech at most %.3f, mean %.3f\n", path, n, (double)most,
               n ? (double)(sum / (float)n) : 0);
    free(s.at);
    free(d.workspace);
    return 1;
}

int main(int argc, char **argv)
{
    const int frames = argc > 1 && strcmp(argv[1], "--frames") == 0;
    int ok = argc > 1 + frames;
    for (int i = 1 + frames; i < argc; i++)
        ok = listen(argv[i], frames) && ok;
    return ok ? 0 : 1;
}
