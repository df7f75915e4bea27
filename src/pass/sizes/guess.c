/* Choosing values for symbolic sizes, by trial: one symbol after the other takes an extent, and
 * what follows from it is found or contradicts it. */
#include "base/memory/checked.h"
#include "base/memory/hash.h"
#include "pass/sizes/equations.h"

enum {
    MAX_SYMBOLS = 256,      /* to choose values for */
    MAX_TRIALS = 256,       /* in one attempt */
    MAX_ELEMENTS = 1 << 22, /* elements of a value of a program whose sizes are chosen, at most */
    LATE = 40,              /* the attempt with equal extents, in every other round */
    EMPTY_ROUND = 4         /* in every so many rounds one extent is 0 */
};

static const int64_t extents[] = {2,  3,  5,  4,  8,  1,  6,  7,  9,  10,
                                  12, 14, 15, 16, 20, 24, 32, 48, 64, 0};
enum { N_USUAL = 6, N_EXTENTS = sizeof extents / sizeof extents[0] };

typedef struct guesser {
    const module *m;
    solver s;
    equations e;
    uint32_t round, attempt;
    uint32_t *symbols; /* those to choose, as indices of expressions */
    uint32_t n;
    uint32_t trials;
} guesser;

/* The extent that symbol I is given as number K: in the first attempt each symbol starts with
 * another one, in one attempt all start with the same, and in the others with any. */
static int64_t extent_for(const guesser *g, uint32_t i, uint32_t k)
{
    const bool is_equal = g->attempt == (g->round % 2 ? LATE : 1);
    const uint32_t any = (uint32_t)(hash_mix(hash_mix(g->attempt, g->round), i) >> 32);
    const uint32_t first = g->attempt == 0 ? g->round + i : is_equal ? g->round : any % N_USUAL;
    if (k == 0 && g->round % EMPTY_ROUND == EMPTY_ROUND - 1 && i == g->round / EMPTY_ROUND % g->n)
        return 0;
    return k < N_USUAL ? extents[(first + k) % N_USUAL] : extents[k];
}

static bool is_unknown(const guesser *g, uint32_t i)
{
    return g->s.values->at[g->symbols[i]] < 0;
}

static bool is_moderate(const guesser *g, const function *f)
{
    for (uint32_t v = 0; v < f->values.n; v++) {
        const type *t = value_type(f, v);
        int64_t count = 1, extent;
        for (uint32_t i = 0; i < t->rank && !type_is_static(t); i++)
            if (dim_bind(g->s.t, t->dims[i], g->s.values, &extent) &&
                (!mul_i64(count, extent, &count) || count > MAX_ELEMENTS))
                return false;
    }
    return true;
}

static bool all_moderate(const guesser *g)
{
    for (uint32_t k = 0; k < g->m->functions.n; k++)
        if (!is_moderate(g, g->m->functions.at[k]))
            return false;
    return true;
}

/* What was known before each choice, to go back to. */
typedef struct choice {
    uint32_t symbol, next; /* the extent to try next */
    int64_t *before;       /* the values of g->symbols */
} choice;

static void keep(const guesser *g, int64_t *before)
{
    for (uint32_t i = 0; i < g->n; i++)
        before[i] = g->s.values->at[g->symbols[i]];
}

static void restore(const guesser *g, const int64_t *before)
{
    for (uint32_t i = 0; i < g->n; i++)
        g->s.values->at[g->symbols[i]] = before[i];
    dim_values_forget(g->s.t, g->s.values);
}

/* The next symbol without a value, from FROM on, becomes a choice; false when none is left. */
static bool open_choice(const guesser *g, choice *c, uint32_t from)
{
    while (from < g->n && !is_unknown(g, from))
        from++;
    if (from == g->n)
        return false;
    c->symbol = from;
    c->next = 0;
    keep(g, c->before);
    return true;
}

static bool search(guesser *g, choice *stack)
{
    uint32_t depth = 0;
    if (!equations_follow(&g->e, &g->s))
        return false;
    if (!open_choice(g, &stack[0], 0))
        return all_moderate(g);
    for (;;) {
        choice *c = &stack[depth];
        if (c->next == N_EXTENTS) {
            if (depth-- == 0)
                return false;
            continue;
        }
        if (g->trials++ == MAX_TRIALS)
            return false;
        restore(g, c->before);
        g->s.values->at[g->symbols[c->symbol]] = extent_for(g, c->symbol, c->next++);
        if (!equations_follow(&g->e, &g->s))
            continue;
        if (open_choice(g, &stack[depth + 1], c->symbol + 1))
            depth++;
        else if (all_moderate(g))
            return true;
    }
}

/* The symbols to choose, and room for one choice more than there are. */
static choice *prepare(guesser *g, arena *memory)
{
    const uint32_t n = g->m->types.exprs.n;
    g->symbols = ARENA_ARRAY(memory, uint32_t, (size_t)n + 1);
    for (uint32_t i = 0; g->symbols && i < n; i++)
        if (g->m->types.exprs.at[i].op == DIM_SYM && g->s.values->at[i] < 0)
            g->symbols[g->n++] = i;
    choice *stack = g->symbols ? ARENA_ARRAY(memory, choice, (size_t)g->n + 1) : NULL;
    for (uint32_t i = 0; stack && i <= g->n && g->n <= MAX_SYMBOLS; i++) {
        stack[i].before = ARENA_ARRAY(memory, int64_t, (size_t)g->n + 1);
        if (!stack[i].before)
            return NULL;
    }
    return stack;
}

tn_status sizes_guess(const module *m, uint32_t round, uint32_t attempt, dim_values *values,
                      bool *found)
{
    guesser g = {.m = m,
                 .s = {.m = m, .t = &m->types, .values = values},
                 .round = round,
                 .attempt = attempt};
    arena memory;
    arena_init(&memory, m->allocator);
    choice *stack = prepare(&g, &memory);
    equations_of(m, &g.e);
    const bool no_memory = !stack || g.e.no_memory;
    *found = !no_memory && g.n <= MAX_SYMBOLS && search(&g, stack);
    equations_release(m, &g.e);
    arena_release(&memory);
    return no_memory ? module_no_memory(m) : TN_OK;
}
