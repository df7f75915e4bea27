/* Einsum: products of tensors whose axes have letters, summed over the letters that the result
 * lacks. */
#include <ctype.h>
#include <inttypes.h>

#include "base/text/text.h"
#include "dialect/onnx/ops/op.h"

/* A tensor with a letter for each axis. The axes of an ellipsis are numbered from the right, from
 * DOTS on downwards. */
typedef struct lettered {
    tn_value v;
    uint32_t n;
    uint8_t letters[TN_MAX_RANK];
} lettered;

enum { DOTS = 31, N_LETTERS = 128 };

typedef struct equation {
    onnx_call *c;
    const char *at, *end;
    uint32_t most_dots; /* the rank of the longest ellipsis */
    uint32_t uses[N_LETTERS];
    dim extents[N_LETTERS];
} equation;

static bool malformed(equation *e, const char *why)
{
    const onnx_attribute *text = onnx_attr_of(e->c, "equation", ONNX_STRING);
    return onnx_refuse(e->c, DIAG_InvalidAttribute, "'equation' is '%.*s': %s", ONNX_TEXT(text->s),
                       why);
}

static bool add_letter(equation *e, lettered *t, uint8_t letter)
{
    if (t->n == TN_MAX_RANK)
        return malformed(e, "a tensor has too many letters");
    t->letters[t->n++] = letter;
    return true;
}

/* The letters up to a comma, an arrow or the end; an ellipsis stands for N_DOTS axes. */
static bool read_letters(equation *e, lettered *t, uint32_t n_dots)
{
    t->n = 0;
    for (; e->at < e->end && *e->at != ',' && *e->at != '-'; e->at++) {
        if (*e->at == ' ')
            continue;
        if (isalpha((unsigned char)*e->at)) {
            if (!add_letter(e, t, (uint8_t)*e->at))
                return false;
        } else if (e->end - e->at >= 3 && memcmp(e->at, "...", 3) == 0) {
            e->at += 2;
            for (uint32_t i = n_dots; i-- > 0;)
                if (!add_letter(e, t, (uint8_t)(DOTS - i)))
                    return false;
        } else {
            return malformed(e, "letters, blanks and one '...' a tensor may stand there");
        }
    }
    return true;
}

/* How many axes of a tensor of rank RANK the ellipsis that comes next has. */
static uint32_t dots_in(const equation *e, uint32_t rank)
{
    uint32_t letters = 0;
    bool found = false;
    for (const char *p = e->at; p < e->end && *p != ',' && *p != '-'; p++) {
        letters += isalpha((unsigned char)*p) != 0;
        found = found || *p == '.';
    }
    return found && rank > letters ? rank - letters : 0;
}

static bool read_input(equation *e, uint32_t k, lettered *t)
{
    t->v = onnx_in(e->c, k);
    const type *u = onnx_type_of(e->c, t->v);
    if (!u)
        return false;
    const uint32_t n_dots = dots_in(e, u->rank);
    if (n_dots > e->most_dots)
        e->most_dots = n_dots;
    if (n_dots > DOTS || !read_letters(e, t, n_dots))
        return n_dots <= DOTS ? false : malformed(e, "'...' stands for too many axes");
    if (t->n != u->rank)
        return onnx_refuse(e->c, DIAG_RankMismatch,
                           "'equation' has %" PRIu32 " letter%s for input %" PRIu32
                           " of rank %" PRIu32,
                           t->n, plural(t->n), k, u->rank);
    for (uint32_t i = 0; i < t->n; i++) {
        dim *extent = &e->extents[t->letters[i]];
        if (e->uses[t->letters[i]] && *extent != u->dims[i] && *extent != 1 && u->dims[i] != 1 &&
            !dim_is_symbolic(*extent) && !dim_is_symbolic(u->dims[i]))
            return onnx_refuse(e->c, DIAG_DimensionMismatch,
                               "axis %" PRIu32 " of input %" PRIu32 " has the extent %" PRId64
                               ", another of its letter %" PRId64,
                               i, k, u->dims[i], *extent);
        if (e->uses[t->letters[i]]++ == 0 || *extent == 1)
            *extent = u->dims[i];
    }
    return true;
}

static bool has_letter(const lettered *t, uint8_t letter, uint32_t *at)
{
    for (*at = 0; *at < t->n; ++*at)
        if (t->letters[*at] == letter)
            return true;
    return false;
}

static void drop_axis(lettered *t, uint32_t at)
{
    memmove(t->letters + at, t->letters + at + 1, t->n - at - 1);
    t->n--;
}

/* Where two axes have one letter, keep the elements whose positions are equal. */
static void take_diagonals(equation *e, lettered *t)
{
    for (uint32_t i = 0; i < t->n; i++)
        for (uint32_t k = i + 1; k < t->n;)
            if (t->letters[i] == t->letters[k]) {
                const type *u = onnx_type_of(e->c, t->v);
                if (!u)
                    return;
                const tn_ints dims = onnx_dims(u);
                const tn_value row = tn_iota(e->c->b, TN_SI64, dims, i);
                const tn_value same =
                    tn_compare(e->c->b, TN_EQ, row, tn_iota(e->c->b, TN_SI64, dims, k));
                const tn_value zero = tn_scalar_like(e->c->b, t->v, 0);
                t->v = tn_sum(e->c->b, tn_select(e->c->b, same, t->v, zero), TN_INTS(k), false);
                drop_axis(t, k);
            } else {
                k++;
            }
}

/* Axes of extent 1 where another tensor has more are dropped: they broadcast. */
static void drop_ones(equation *e, lettered *t)
{
    for (uint32_t i = 0; i < t->n;) {
        const type *u = onnx_type_of(e->c, t->v);
        if (!u)
            return;
        if (u->dims[i] == 1 && e->extents[t->letters[i]] != 1) {
            t->v = tn_squeeze(e->c->b, t->v, TN_INTS(i));
            e->uses[t->letters[i]]--;
            drop_axis(t, i);
        } else {
            i++;
        }
    }
}

/* Sum over the letters that nothing else has. */
static void sum_alone(equation *e, lettered *t)
{
    for (uint32_t i = 0; i < t->n;)
        if (e->uses[t->letters[i]] == 1) {
            t->v = tn_sum(e->c->b, t->v, TN_INTS(i), false);
            e->uses[t->letters[i]]--;
            drop_axis(t, i);
        } else {
            i++;
        }
}

/* The product of X and Y, summed over the letters that only they have. */
static lettered product_of(equation *e, const lettered *x, const lettered *y)
{
    int64_t batch_x[TN_MAX_RANK], batch_y[TN_MAX_RANK], sum_x[TN_MAX_RANK], sum_y[TN_MAX_RANK];
    uint32_t n_batch = 0, n_sum = 0, at, n_free = 0;
    lettered out = {.n = 0, .v = tn_no_value()};
    const type *t = onnx_type_of(e->c, x->v);
    if (!t)
        return out;
    uint8_t free_letters[2 * TN_MAX_RANK];
    for (uint32_t i = 0; i < x->n; i++) {
        const uint8_t letter = x->letters[i];
        if (!has_letter(y, letter, &at)) {
            free_letters[n_free++] = letter;
        } else if (e->uses[letter] == 2) { /* here, and nowhere else */
            sum_x[n_sum] = i;
            sum_y[n_sum++] = at;
            e->uses[letter] = 0;
        } else {
            batch_x[n_batch] = i;
            batch_y[n_batch++] = at;
            out.letters[out.n++] = letter;
            e->uses[letter]--;
        }
    }
    for (uint32_t i = 0; i < y->n; i++)
        if (!has_letter(x, y->letters[i], &at))
            free_letters[n_free++] = y->letters[i];
    if (out.n + n_free > TN_MAX_RANK) {
        (void)onnx_refuse(e->c, DIAG_RankMismatch, "the rank of a product is too high");
        return out;
    }
    memcpy(out.letters + out.n, free_letters, n_free);
    out.n += n_free;
    out.v = tn_dot_general(e->c->b, x->v, y->v, (tn_ints){batch_x, n_batch},
                           (tn_ints){batch_y, n_batch}, (tn_ints){sum_x, n_sum},
                           (tn_ints){sum_y, n_sum}, TN_DTYPE_DEFAULT, t->dtype);
    return out;
}

/* Without an arrow: the ellipsis, then the letters that stand once, in alphabetical order. */
static void implied_result(const equation *e, lettered *out)
{
    out->n = 0;
    for (uint32_t i = e->most_dots; i-- > 0;)
        out->letters[out->n++] = (uint8_t)(DOTS - i);
    for (uint8_t letter = DOTS + 1; letter < N_LETTERS && out->n < TN_MAX_RANK; letter++)
        if (e->uses[letter] == 1)
            out->letters[out->n++] = letter;
}

static bool read_result(equation *e, lettered *out)
{
    uint32_t at;
    if (e->at == e->end) {
        implied_result(e, out);
    } else {
        if (*e->at == ',')
            return malformed(e, "it has more tensors than there are inputs");
        if (e->end - e->at < 2 || e->at[1] != '>')
            return malformed(e, "'>' is expected behind '-'");
        e->at += 2;
        if (!read_letters(e, out, e->most_dots))
            return false;
        if (e->at != e->end)
            return malformed(e, "it goes on behind the result");
    }
    for (uint32_t i = 0; i < out->n; i++) {
        lettered before = *out;
        before.n = i;
        if (e->uses[out->letters[i]]++ == 0)
            return malformed(e, "a letter of the result is in no input");
        if (has_letter(&before, out->letters[i], &at))
            return malformed(e, "a letter stands twice in the result");
    }
    return true;
}

/* The axes of T in the order of OUT. */
static tn_value arranged(equation *e, const lettered *t, const lettered *out)
{
    int64_t perm[TN_MAX_RANK];
    uint32_t at;
    for (uint32_t i = 0; i < out->n; i++) {
        if (!has_letter(t, out->letters[i], &at)) {
            (void)malformed(e, "a letter of the result is in no input");
            return tn_no_value();
        }
        perm[i] = at;
    }
    return tn_transpose(e->c->b, t->v, (tn_ints){perm, out->n});
}

bool onnx_op_einsum(onnx_call *c)
{
    const onnx_attribute *text = onnx_attr_of(c, "equation", ONNX_STRING);
    lettered *all = ARENA_ARRAY(&c->im->memory, lettered, c->n_in), out;
    if (!all)
        return onnx_no_memory(c->im);
    equation e = {.c = c, .at = text->s.at, .end = text->s.at + text->s.n};
    for (uint32_t k = 0; k < c->n_in; k++) {
        if (k > 0 && (e.at == e.end || *e.at++ != ','))
            return malformed(&e, "it has fewer tensors than there are inputs");
        if (!read_input(&e, k, &all[k]))
            return false;
    }
    /* a letter counts once for each tensor that has it, and for the result */
    for (uint32_t k = 0; k < c->n_in; k++)
        drop_ones(&e, &all[k]);
    if (!read_result(&e, &out))
        return false;
    for (uint32_t k = 0; k < c->n_in; k++) {
        for (uint32_t i = 0; i < all[k].n; i++)
            for (uint32_t m = 0; m < i; m++)
                if (all[k].letters[m] == all[k].letters[i]) {
                    e.uses[all[k].letters[i]]--;
                    break;
                }
        take_diagonals(&e, &all[k]);
        sum_alone(&e, &all[k]);
    }
    for (uint32_t k = 1; k < c->n_in; k++) {
        if (!tn_is_value(all[0].v) || !tn_is_value(all[k].v))
            return false;
        all[0] = product_of(&e, &all[0], &all[k]);
    }
    return tn_is_value(all[0].v) && onnx_give(c, 0, arranged(&e, &all[0], &out));
}
