/* Growable texts, and memory that is freed all at once: what the commands build their output in.
 * Failure is sticky: write everything, then ask once. */
#ifndef CLI_SESSION_CLI_TEXT_H
#define CLI_SESSION_CLI_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero at the start. */
typedef struct cli_text {
    char *at; /* with a NUL behind it, unless nothing was written yet */
    size_t n, cap;
    bool failed; /* there was no memory once: the text is gone and nothing is written any more */
} cli_text;

/* Free the text; it can be used again. */
void cli_text_release(cli_text *t);
void cli_put(cli_text *t, const char *bytes, size_t n);
void cli_puts(cli_text *t, const char *s);
void cli_putc(cli_text *t, char c);
/* N times the byte C. */
void cli_fill(cli_text *t, char c, size_t n);
/* What stands behind a noun of N things. */
static inline const char *cli_plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}
void cli_printf(cli_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_vprintf(cli_text *t, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
/* A name for people: '?' stands for characters that move the cursor or turn the direction of
 * reading, which a stranger's file may have. */
void cli_put_name(cli_text *t, const char *name);
/* A JSON string with its quotes. Non-ASCII text stays as it is; ill-formed UTF-8 becomes U+FFFD. */
void cli_put_json(cli_text *t, const char *bytes, size_t n);

/* Blocks that live as long as the pool, which is all zero at the start. */
typedef struct cli_pool {
    struct cli_block *last;
} cli_pool;

/* N elements of SIZE bytes, all zero; NULL when there is no memory. */
void *cli_alloc(cli_pool *p, size_t n, size_t size);
/* N bytes of TEXT and a NUL. */
char *cli_copy(cli_pool *p, const char *text, size_t n);
/* Room for element N, in BLOCK of *CAP elements or a larger copy of it, which is returned. */
void *cli_grow(cli_pool *p, void *block, size_t *cap, size_t n, size_t size);
void cli_pool_release(cli_pool *p);

#endif
