/* The values of options: numbers, words, sizes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session/cli.h"

bool number_u64(const char *text, size_t n, uint64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < n; i++) {
        const unsigned digit = (unsigned)text[i] - '0';
        if (digit > 9 || *number > (UINT64_MAX - digit) / 10)
            return false;
        *number = *number * 10 + digit;
    }
    return n > 0;
}

bool number_i64(const char *text, size_t n, int64_t *number)
{
    const bool negative = n > 0 && text[0] == '-', has_sign = negative || (n > 0 && *text == '+');
    uint64_t size;
    if (!number_u64(text + has_sign, n - has_sign, &size) ||
        size > (uint64_t)INT64_MAX + (uint64_t)negative)
        return false;
    *number = negative ? (int64_t)(0 - size) : (int64_t)size;
    return true;
}

/* The C library reads more than decimals (hexadecimal, `inf`, white space), and the command line
 * keeps the locale in which it reads these. */
bool number_f64(const char *text, double *number)
{
    char *end;
    const char *digits = text + (*text == '-' || *text == '+');
    digits += *digits == '.'; /* .5 */
    if (*digits < '0' || *digits > '9' || text[strspn(text, "+-.0123456789eE")])
        return false;
    *number = strtod(text, &end);
    return *end == '\0';
}

static bool looks_like_number(const char *text)
{
    text += *text == '-' || *text == '+';
    return *text && text[strspn(text, "0123456789")] == '\0';
}

tn_status read_number(session *s, const char *option_name, const char *text, int64_t min,
                      int64_t max, int64_t *number)
{
    if (!looks_like_number(text))
        return usage_error(s, "%s takes a number, not '%s'", option_name, text);
    if (!number_i64(text, strlen(text), number) || *number < min || *number > max)
        return usage_error(s, "%s: %s is out of range; it takes %lld to %lld", option_name, text,
                           (long long)min, (long long)max);
    return TN_OK;
}

tn_status read_seed(session *s, const char *option_name, const char *text, uint64_t *seed)
{
    if (number_u64(text, strlen(text), seed))
        return TN_OK;
    return usage_error(s, "%s takes a number from 0 to 2^64-1, not '%s'", option_name, text);
}

tn_status read_timeout(session *s, const char *option_name, const char *text, uint64_t *ns)
{
    enum { LONGEST = 1000000000 }; /* seconds: some 30 years */
    double seconds;
    if (!number_f64(text, &seconds) || !(seconds > 0 && seconds <= LONGEST))
        return usage_error(s, "%s takes seconds, above 0 and up to %d, not '%s'", option_name,
                           LONGEST, text);
    *ns = seconds < 1e-9 ? 1 : (uint64_t)(seconds * 1e9);
    return TN_OK;
}

tn_status read_level(session *s, const char *text, tn_level *level)
{
    static const tn_level levels[] = {TN_LEVEL_0, TN_LEVEL_1, TN_LEVEL_2};
    if (text[0] < '0' || text[0] > '2' || text[1])
        return usage_error(s, "-O takes 0, 1 or 2, not '%s'", text);
    *level = levels[text[0] - '0'];
    return TN_OK;
}

tn_status read_choice(session *s, const char *name, const char *text, const char *first,
                      const char *second, int *choice)
{
    *choice = strcmp(text, second) == 0;
    if (*choice || strcmp(text, first) == 0)
        return TN_OK;
    return usage_error(s, "%s takes %s or %s, not '%s'", name, first, second, text);
}

tn_status read_numerics(session *s, const char *text, tn_numerics *numerics)
{
    int relaxed;
    TN_TRY(read_choice(s, "--numerics", text, "exact", "relaxed", &relaxed));
    *numerics = relaxed ? TN_NUMERICS_RELAXED : TN_NUMERICS_EXACT;
    return TN_OK;
}

tn_status read_bindings(session *s, const arguments *args, int id, const tn_binding **out,
                        size_t *n_out)
{
    tn_binding *list = cli_alloc(&s->memory, (size_t)args->n_options + 1, sizeof *list);
    *n_out = 0;
    if (!list)
        return no_memory(s);
    for (int i = 0; i < args->n_options; i++) {
        const char *text = args->options[i].value;
        if (args->options[i].id != id)
            continue;
        size_t n = strcspn(text, "=");
        if (n == 0 || !text[n])
            return usage_error(s, "--dim takes SYM=N, not '%s'", text);
        tn_binding *b = &list[(*n_out)++];
        TN_TRY(read_number(s, "--dim", text + n + 1, INT64_MIN, INT64_MAX, &b->extent));
        b->symbol = cli_copy(&s->memory, text, n);
        if (!b->symbol)
            return no_memory(s);
    }
    *out = list;
    return TN_OK;
}

tn_status read_names(session *s, const char *list, const char *const **names, size_t *n)
{
    size_t count = 1;
    for (const char *at = list; *at; at++)
        count += *at == ',';
    char *text = cli_copy(&s->memory, list, strlen(list));
    const char **own = cli_alloc(&s->memory, count, sizeof *own);
    if (!text || !own)
        return no_memory(s);
    *names = own;
    *n = count;
    for (size_t i = 0; i < count; i++) {
        size_t length = strcspn(text, ",");
        own[i] = text;
        text[length] = '\0';
        text += length + 1;
    }
    return TN_OK;
}
