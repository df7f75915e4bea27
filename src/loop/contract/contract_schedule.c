/* The text of schedules. */
#include "loop/contract/contract_schedule.h"

#include <inttypes.h>
#include <string.h>

static const char *const lefts[CONTRACT_LEFTS] = {NULL, "in-place", "packed", "channels", "im2col"};
static const char *const rights[CONTRACT_RIGHTS] = {NULL,      "panels", "inside", "rows",
                                                    "columns", "tiles",  "swept"};
static const char *const products[CONTRACT_PRODUCTS] = {NULL, "single", "pairs", "quads"};

/* A part of a text. */
typedef struct piece {
    const char *at;
    size_t n;
} piece;

static bool piece_is(piece p, const char *word)
{
    return strlen(word) == p.n && memcmp(p.at, word, p.n) == 0;
}

/* A number from 1 to MOST, in *OUT; 0, which asks for nothing, is not a number here. */
static bool read_number(piece p, int64_t most, int64_t *out)
{
    int64_t x = 0;
    for (size_t i = 0; i < p.n; i++) {
        if (p.at[i] < '0' || p.at[i] > '9' || x > most)
            return false;
        x = 10 * x + (p.at[i] - '0');
    }
    *out = x;
    return x >= 1 && x <= most;
}

/* The number of P among the N WORDS; 0: it is none. */
static int word_of(piece p, const char *const *words, int n)
{
    for (int i = 1; i < n; i++)
        if (piece_is(p, words[i]))
            return i;
    return 0;
}

static const char *read_choice(piece name, piece value, contract_schedule *s)
{
    if (piece_is(name, "rows"))
        return read_number(value, CONTRACT_MOST_ROWS, &s->rows) ? NULL : "rows is 1 to 28";
    if (piece_is(name, "vectors"))
        return read_number(value, CONTRACT_MOST_VECTORS, &s->vectors) ? NULL : "vectors is 1 to 16";
    if (piece_is(name, "unroll"))
        return read_number(value, CONTRACT_MOST_UNROLLED, &s->unroll) ? NULL : "unroll is 1 to 16";
    if (piece_is(name, "group"))
        return read_number(value, INT32_MAX, &s->group) ? NULL : "group is 1 or more";
    if (piece_is(name, "left")) {
        s->left = (contract_left)word_of(value, lefts, CONTRACT_LEFTS);
        return s->left ? NULL : "left is in-place, packed, channels or im2col";
    }
    if (piece_is(name, "right")) {
        s->right = (contract_right)word_of(value, rights, CONTRACT_RIGHTS);
        return s->right ? NULL : "right is panels, inside, rows, columns, tiles or swept";
    }
    if (piece_is(name, "products")) {
        s->products = (contract_products)word_of(value, products, CONTRACT_PRODUCTS);
        return s->products ? NULL : "products is single, pairs or quads";
    }
    return "the choices are rows, vectors, unroll, group, left, right and products, each as "
           "NAME=VALUE, with commas between";
}

const char *contract_schedule_read(const char *text, contract_schedule *out)
{
    *out = (contract_schedule){0};
    while (text && *text) {
        const size_t n = strcspn(text, ",");
        const piece name = {text, strcspn(text, "=,")};
        const bool has_value = name.n < n;
        const piece value = {text + name.n + has_value, n - name.n - has_value};
        const char *why = read_choice(name, value, out);
        if (why)
            return why;
        text += n + (text[n] == ',');
    }
    return out->rows * out->vectors <= CONTRACT_MOST_SUMS ? NULL
                                                          : "rows times vectors is at most 64";
}

static void put_number(text_buffer *out, size_t start, const char *name, int64_t x)
{
    if (x > 0)
        text_printf(out, "%s%s=%" PRId64, out->n > start ? "," : "", name, x);
}

static void put_word(text_buffer *out, size_t start, const char *name, const char *word)
{
    if (word)
        text_printf(out, "%s%s=%s", out->n > start ? "," : "", name, word);
}

void contract_schedule_print(const contract_schedule *s, text_buffer *out)
{
    const size_t start = out->n;
    put_number(out, start, "rows", s->rows);
    put_number(out, start, "vectors", s->vectors);
    put_number(out, start, "unroll", s->unroll);
    put_number(out, start, "group", s->group);
    put_word(out, start, "left", lefts[s->left]);
    put_word(out, start, "right", rights[s->right]);
    put_word(out, start, "products", products[s->products]);
}
