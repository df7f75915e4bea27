/* Reading index maps and bounding their values. */
#include "ops/index_map.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory/checked.h"
#include "base/text/chars.h"

enum {
    MAX_DEPTH = 200,      /* of a tree, so that walking it is bounded */
    MAX_NESTING = 64,     /* of parentheses */
    MAX_POSITIONS = 65536 /* positions that are tried when bounds alone do not decide */
};

typedef struct parser {
    const char *text, *at;
    uint32_t rank;
    uint32_t nesting;
    arena *memory;
    index_fault fault;
} parser;

static const index_expr *stop(parser *p, index_fault fault)
{
    if (p->fault == INDEX_FINE)
        p->fault = fault;
    return NULL;
}

static const index_expr *leaf(parser *p, index_op op, int64_t value)
{
    index_expr *e = ARENA_NEW(p->memory, index_expr);
    if (!e)
        return stop(p, INDEX_NO_MEMORY);
    e->op = op;
    e->depth = 1;
    e->value = value;
    e->axes = op == INDEX_AXIS ? (uint32_t)1 << value : 0;
    e->symbolic = op == INDEX_SYMBOL;
    return e;
}

static const index_expr *inner(parser *p, index_op op, const index_expr *a, const index_expr *b)
{
    const bool divides = op == INDEX_FLOORDIV || op == INDEX_MOD;
    if (!a || !b)
        return NULL;
    if ((divides || op == INDEX_MUL) && b->axes && (divides || a->axes))
        return stop(p, INDEX_NON_AFFINE);
    if (divides && !b->symbolic && index_value(b, NULL) <= 0)
        return stop(p, INDEX_DIVISOR);
    index_expr *e = ARENA_NEW(p->memory, index_expr);
    if (!e)
        return stop(p, INDEX_NO_MEMORY);
    e->op = op;
    e->depth = 1 + (a->depth > b->depth ? a->depth : b->depth);
    e->axes = a->axes | b->axes;
    e->symbolic = a->symbolic || b->symbolic;
    e->a = a;
    e->b = b;
    return e->depth > MAX_DEPTH ? stop(p, INDEX_LIMIT) : e;
}

static void skip_space(parser *p)
{
    while (*p->at == ' ' || *p->at == '\t')
        p->at++;
}

static bool accept(parser *p, const char *word)
{
    const size_t n = strlen(word);
    skip_space(p);
    if (strncmp(p->at, word, n) != 0)
        return false;
    p->at += n;
    return true;
}

bool index_is_axis(const char *name, size_t n)
{
    bool ok = n > 1 && name[0] == 'i' && (n == 2 || name[1] != '0');
    for (size_t k = 1; k < n; k++)
        ok = ok && char_is_digit(name[k]);
    return ok;
}

const char *index_axis_like(const type_table *types, dim d)
{
    const dim_expr *e = dim_is_expr(types, d) ? dim_expr_of(types, d) : NULL;
    if (!e || e->terms > DIM_MOST_TERMS)
        return NULL;
    if (e->op == DIM_SYM)
        return index_is_axis(e->name, strlen(e->name)) ? e->name : NULL;
    const char *found = index_axis_like(types, e->a);
    return found ? found : index_axis_like(types, e->b);
}

static bool is_quotient_name(const char *name, size_t n)
{
    return n == 8 && memcmp(name, "floordiv", 8) == 0;
}

/* Digits at AT; false when they are too many. */
static bool read_number(const char **at, int64_t *value)
{
    *value = 0;
    for (; char_is_digit(**at); (*at)++)
        if (!mul_i64(*value, 10, value) || !add_i64(*value, **at - '0', value))
            return false;
    return true;
}

static const index_expr *read_sum(parser *p);

static const index_expr *read_name(parser *p, size_t n)
{
    const char *name = p->at;
    if (is_quotient_name(name, n)) {
        p->at += n;
        if (!accept(p, "("))
            return stop(p, INDEX_SYNTAX);
        const index_expr *a = read_sum(p);
        if (!a || !accept(p, ","))
            return stop(p, INDEX_SYNTAX);
        const index_expr *b = read_sum(p);
        if (!b || !accept(p, ")"))
            return stop(p, INDEX_SYNTAX);
        return inner(p, INDEX_FLOORDIV, a, b);
    }
    if (index_is_axis(name, n)) {
        const char *digits = name + 1;
        int64_t axis;
        if (!read_number(&digits, &axis) || axis >= (int64_t)p->rank)
            return stop(p, INDEX_NO_AXIS);
        p->at += n;
        return leaf(p, INDEX_AXIS, axis);
    }
    p->at += n;
    return leaf(p, INDEX_SYMBOL, 0);
}

static const index_expr *read_atom(parser *p)
{
    skip_space(p);
    if (char_is_digit(*p->at)) {
        int64_t value;
        return read_number(&p->at, &value) ? leaf(p, INDEX_NUMBER, value) : stop(p, INDEX_LIMIT);
    }
    const size_t n = size_name_length(p->at, SIZE_MAX);
    if (n == 0 && *p->at != '(' && *p->at != '-')
        return stop(p, INDEX_SYNTAX);
    if (++p->nesting > MAX_NESTING)
        return stop(p, INDEX_LIMIT);
    const index_expr *e;
    if (n > 0) {
        e = read_name(p, n);
    } else if (accept(p, "-")) {
        const index_expr *zero = leaf(p, INDEX_NUMBER, 0);
        e = inner(p, INDEX_SUB, zero, read_atom(p));
    } else {
        p->at++;
        e = read_sum(p);
        if (e && !accept(p, ")"))
            e = stop(p, INDEX_SYNTAX);
    }
    p->nesting--;
    return e;
}

static const index_expr *read_product(parser *p)
{
    const index_expr *e = read_atom(p);
    while (e) {
        if (accept(p, "//"))
            e = inner(p, INDEX_FLOORDIV, e, read_atom(p));
        else if (accept(p, "%"))
            e = inner(p, INDEX_MOD, e, read_atom(p));
        else if (accept(p, "*"))
            e = inner(p, INDEX_MUL, e, read_atom(p));
        else
            return e;
    }
    return NULL;
}

static const index_expr *read_sum(parser *p)
{
    const index_expr *e = read_product(p);
    while (e) {
        if (accept(p, "+"))
            e = inner(p, INDEX_ADD, e, read_product(p));
        else if (accept(p, "-"))
            e = inner(p, INDEX_SUB, e, read_product(p));
        else
            return e;
    }
    return NULL;
}

const char *index_fault_text(index_fault f)
{
    switch (f) {
    case INDEX_SYNTAX:
        return "is not an expression here";
    case INDEX_LIMIT:
        return "is nested too deeply or holds a number that is too large";
    case INDEX_NO_AXIS:
        return "names an axis that the result does not have";
    case INDEX_NON_AFFINE:
        return "multiplies or divides by something that depends on an axis";
    case INDEX_DIVISOR:
        return "divides by a number that is not positive";
    case INDEX_FINE:
    case INDEX_NO_MEMORY:
        break;
    }
    return "cannot be read";
}

index_fault index_map_parse(const char *text, uint32_t rank, arena *memory, index_map *out,
                            size_t *where)
{
    parser p = {.text = text, .at = text, .rank = rank, .memory = memory};
    out->n = 0;
    *where = 0;
    skip_space(&p);
    if (*p.at == '\0')
        return INDEX_FINE;
    do {
        if (out->n == TN_MAX_RANK)
            (void)stop(&p, INDEX_LIMIT);
        else
            out->at[out->n++] = read_sum(&p);
    } while (p.fault == INDEX_FINE && accept(&p, ";"));
    if (p.fault == INDEX_FINE && *p.at != '\0')
        p.fault = INDEX_SYNTAX;
    *where = (size_t)(p.at - text);
    return p.fault;
}

int64_t index_value(const index_expr *e, const int64_t *at)
{
    if (e->op == INDEX_NUMBER)
        return e->value;
    if (e->op == INDEX_AXIS)
        return at[e->value];
    if (e->op == INDEX_SYMBOL)
        return 0;
    const int64_t a = index_value(e->a, at), b = index_value(e->b, at);
    switch (e->op) {
    case INDEX_ADD:
        return (int64_t)((uint64_t)a + (uint64_t)b);
    case INDEX_SUB:
        return (int64_t)((uint64_t)a - (uint64_t)b);
    case INDEX_MUL:
        return (int64_t)((uint64_t)a * (uint64_t)b);
    case INDEX_FLOORDIV:
        return b > 0 ? floor_i64(a, b) : 0;
    case INDEX_MOD:
        return b > 0 ? rest_i64(a, b) : 0;
    case INDEX_NUMBER:
    case INDEX_AXIS:
    case INDEX_SYMBOL:
        break;
    }
    return 0;
}

/* A sum of axes times factors, and of parts that are only known to lie in [low, high]. */
typedef struct range {
    int64_t factors[TN_MAX_RANK];
    int64_t low, high;
    bool exact; /* low == high: every part is an axis or a number */
    bool fits;  /* nothing was too large */
} range;

static void add_part(range *r, int64_t scale, int64_t low, int64_t high)
{
    int64_t a, b;
    r->fits = r->fits && mul_i64(scale, low, &a) && mul_i64(scale, high, &b) &&
              add_i64(r->low, a < b ? a : b, &r->low) && add_i64(r->high, a < b ? b : a, &r->high);
}

static void range_of(const index_expr *e, const int64_t *dims, uint32_t rank, range *r);

/* Lowest and highest value of R over the positions in DIMS. */
static void close_range(range *r, const int64_t *dims, uint32_t rank)
{
    for (uint32_t k = 0; k < rank && r->fits; k++)
        add_part(r, r->factors[k], 0, dims[k] - 1);
}

/* Add SCALE times a quotient or remainder. */
static void add_division(const index_expr *e, int64_t scale, const int64_t *dims, uint32_t rank,
                         range *r)
{
    range a;
    const int64_t by = index_value(e->b, NULL);
    range_of(e->a, dims, rank, &a);
    r->fits = r->fits && a.fits && by > 0;
    if (!r->fits)
        return;
    close_range(&a, dims, rank);
    r->fits = a.fits;
    if (!r->fits)
        return;
    const int64_t low = floor_i64(a.low, by), high = floor_i64(a.high, by);
    if (e->op == INDEX_FLOORDIV)
        add_part(r, scale, low, high);
    else if (low == high)
        add_part(r, scale, rest_i64(a.low, by), rest_i64(a.high, by));
    else
        add_part(r, scale, 0, by - 1);
    r->exact = false;
}

static void add_scaled(const index_expr *e, int64_t scale, const int64_t *dims, uint32_t rank,
                       range *r)
{
    int64_t product, negative;
    switch (e->op) {
    case INDEX_NUMBER:
        add_part(r, scale, e->value, e->value);
        return;
    case INDEX_AXIS:
        r->fits = r->fits && add_i64(r->factors[e->value], scale, &r->factors[e->value]);
        return;
    case INDEX_SYMBOL:
        r->fits = false;
        return;
    case INDEX_ADD:
    case INDEX_SUB:
        r->fits = r->fits && sub_i64(0, scale, &negative);
        if (!r->fits)
            return;
        add_scaled(e->a, scale, dims, rank, r);
        add_scaled(e->b, e->op == INDEX_ADD ? scale : negative, dims, rank, r);
        return;
    case INDEX_MUL: {
        const bool left = e->b->axes != 0; /* the factor that is a number */
        r->fits = r->fits && mul_i64(scale, index_value(left ? e->a : e->b, NULL), &product);
        if (r->fits)
            add_scaled(left ? e->b : e->a, product, dims, rank, r);
        return;
    }
    case INDEX_FLOORDIV:
    case INDEX_MOD:
        add_division(e, scale, dims, rank, r);
        return;
    }
}

static void range_of(const index_expr *e, const int64_t *dims, uint32_t rank, range *r)
{
    *r = (range){.exact = true, .fits = !e->symbolic};
    if (r->fits)
        add_scaled(e, 1, dims, rank, r);
}

static bool holds_division(const index_expr *e)
{
    return e->op == INDEX_FLOORDIV || e->op == INDEX_MOD ||
           (e->a && (holds_division(e->a) || holds_division(e->b)));
}

bool index_affine(const index_expr *e, uint32_t rank, int64_t *offset, int64_t *factors)
{
    range r;
    if (holds_division(e))
        return false;
    range_of(e, NULL, rank, &r);
    *offset = r.low;
    memcpy(factors, r.factors, rank * sizeof *factors);
    return r.fits;
}

/* Try every position of the axes that the expression depends on. */
static index_bounds check_each(const index_expr *e, const int64_t *dims, uint32_t rank,
                               int64_t extent)
{
    int64_t at[TN_MAX_RANK] = {0}, positions = 1;
    for (uint32_t k = 0; k < rank; k++)
        if ((e->axes >> k & 1) &&
            (!mul_i64(positions, dims[k], &positions) || positions > MAX_POSITIONS))
            return INDEX_UNSURE;
    for (; positions > 0; positions--) {
        const int64_t value = index_value(e, at);
        if (value < 0 || value >= extent)
            return INDEX_OUTSIDE;
        for (uint32_t k = rank; k-- > 0;) {
            if (!(e->axes >> k & 1))
                continue;
            if (++at[k] < dims[k])
                break;
            at[k] = 0;
        }
    }
    return INDEX_INSIDE;
}

index_bounds index_check(const index_expr *e, const int64_t *dims, uint32_t rank, int64_t extent)
{
    range r;
    range_of(e, dims, rank, &r);
    close_range(&r, dims, rank);
    if (!r.fits)
        return INDEX_UNSURE;
    if (r.low >= 0 && r.high < extent)
        return INDEX_INSIDE;
    return r.exact ? INDEX_OUTSIDE : check_each(e, dims, rank, extent);
}

bool index_map_symbols(const char *text, bool (*each)(void *user, const char *name, size_t length),
                       void *user)
{
    while (*text) {
        const size_t n = size_name_length(text, SIZE_MAX);
        if (n > 0 && !index_is_axis(text, n) && !is_quotient_name(text, n) && !each(user, text, n))
            return false;
        text += n > 0 ? n : 1;
    }
    return true;
}

const char *index_map_bind(const char *text, arena *memory,
                           bool (*value_of)(void *user, const char *name, size_t length,
                                            int64_t *value),
                           void *user)
{
    /* A name has at least one byte, a number at most 20. */
    const size_t room = strlen(text) * 20 + 1;
    char *out = arena_alloc(memory, room), *to = out;
    while (out && *text) {
        const size_t n = size_name_length(text, SIZE_MAX);
        int64_t value;
        if (n > 0 && !index_is_axis(text, n) && !is_quotient_name(text, n) &&
            value_of(user, text, n, &value)) {
            const char *number = arena_printf(memory, "%" PRId64, value);
            if (!number)
                return NULL;
            memcpy(to, number, strlen(number));
            to += strlen(number);
            text += n;
        } else {
            const size_t step = n > 0 ? n : 1;
            memcpy(to, text, step);
            to += step;
            text += step;
        }
    }
    if (out)
        *to = '\0';
    return out;
}
