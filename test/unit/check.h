/* Checks for unit tests. A test is a program whose main ends with `return check_result();`. */
#ifndef TEST_CHECK_H
#define TEST_CHECK_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static unsigned long check_done, check_failed;

static inline bool check_that(bool ok, const char *file, int line, const char *text)
{
    check_done++;
    if (!ok) {
        check_failed++;
        printf("%s:%d: failed: %s\n", file, line, text);
    }
    return ok;
}

static inline bool check_same_int(intmax_t have, intmax_t want, const char *file, int line,
                                  const char *text)
{
    bool ok = check_that(have == want, file, line, text);
    if (!ok)
        printf("    have %" PRIdMAX ", want %" PRIdMAX "\n", have, want);
    return ok;
}

static inline bool check_same_bits(uintmax_t have, uintmax_t want, const char *file, int line,
                                   const char *text)
{
    bool ok = check_that(have == want, file, line, text);
    if (!ok)
        printf("    have 0x%" PRIxMAX ", want 0x%" PRIxMAX "\n", have, want);
    return ok;
}

static inline bool check_same_text(const char *have, const char *want, const char *file, int line,
                                   const char *text)
{
    bool ok = check_that(have && want && strcmp(have, want) == 0, file, line, text);
    if (!ok)
        printf("    have \"%s\"\n    want \"%s\"\n", have ? have : "(null)",
               want ? want : "(null)");
    return ok;
}

/* What main returns: 0 when every check held and there was at least one. */
static inline int check_result(void)
{
    printf("%lu checks, %lu failed\n", check_done, check_failed);
    return check_failed != 0 || check_done == 0;
}

/* Each is true when it holds, so that a test can stop or say more: `if (!CHECK(p)) return;` */
#define CHECK(ok) check_that((ok), __FILE__, __LINE__, #ok)
#define CHECK_INT(have, want)                                                                      \
    check_same_int((intmax_t)(have), (intmax_t)(want), __FILE__, __LINE__, #have " == " #want)
#define CHECK_BITS(have, want)                                                                     \
    check_same_bits((uintmax_t)(have), (uintmax_t)(want), __FILE__, __LINE__, #have " == " #want)
#define CHECK_TEXT(have, want)                                                                     \
    check_same_text((have), (want), __FILE__, __LINE__, #have " == " #want)

#endif
