/* Which contractions are swept, and in what parts (contract_sweep.c). */
#include "loop/contract/sweep/contract_sweep.h"

enum {
    ROWS = 128,            /* of A, at most */
    LOADED = 16,           /* ... where B is computed when it is loaded */
    FEWER_STREAMS = 6,     /* where two vectors of each row would not fit in registers else */
    TILE = 1024,           /* columns of an item, at most */
    ROW = 64 << 10,        /* bytes of a row of B that are swept together, at most */
    LEAST_BLOCKS = 3,      /* of the law, where these are items: enough for the threads */
    ROWS_APART = 64,       /* of A, then: the sums of more would take much of the time and memory */
    LEAST_TILE = 256,      /* ... fewer where else sums are more than */
    MOST_SUMS = 256 << 10, /* bytes */
    FEW_TILES = 4,         /* work items, at least, even for a narrow B */
    LEAST_VECTORS = 2,     /* of an item; with one, sums are loaded as often as products added */
    /* bytes of B from which on it is worth it: */
    FAR = 256 << 10,
    FARTHER = 2 << 20, /* ... for more rows than */
    FEW_ROWS = 4,
    MOST_FOR_COLUMNS = 64, /* rows of A; with more, transposing pays for tiles, too */
    FEWER_FOR_COLUMNS = 12 /* ... where a square has as few products as there are registers */
};

bool sweep_has_columns(const problem *p)
{
    return p->b_form == B_COLUMNS;
}

/* Columns: each begins in memory where a vector is read, and a square fits in registers. */
static bool may_sweep_columns(const problem *p)
{
    return sweep_has_columns(p) && !p->b.load && p->b.pair == 0 && p->b.dtype == p->form &&
           p->bytes >= 4 && p->lanes > 1 && p->lanes <= CONTRACT_MOST_UNROLLED && p->b_n.n == 1 &&
           p->products.b[0] == 1 && walk_step(&p->b_n) >= p->k;
}

bool sweep_reads_factors(const problem *p)
{
    const walk m = WALK(p->spec.m, p->spec.n_m, a);
    const sized step = walk_sized_step(&m);
    return m.n == 1 && step.now == 1 && sized_is_fixed(step) && !p->a.load && p->a.dtype == p->form;
}

int64_t sweep_tile(const problem *p)
{
    const int64_t line = LOOP_ALIGN / p->bytes;
    const bool is_known = !contract_has_dynamic(p->spec.batch, p->spec.n_batch);
    const int64_t batch = is_known ? p->batch : 1, parts = (FEW_TILES + batch - 1) / batch;
    const int64_t part = (p->n + parts - 1) / parts;
    const int64_t least = sweep_reads_factors(p) ? (int64_t)LEAST_VECTORS * p->lanes : 1;
    const int64_t tile = ((part < least ? least : part) + line - 1) / line * line;
    int64_t most = TILE;
    while (most > LEAST_TILE && p->m * most * p->bytes > MOST_SUMS)
        most /= 2;
    return tile < most ? tile : most;
}

/* Of one row of A the sums are few, and B is all that is read: the longer its rows are read, the
 * better. */
int64_t sweep_columns(const problem *p)
{
    const int64_t tile = sweep_tile(p), tiles = contract_sweep_tiles(p), most = ROW / p->bytes;
    if (p->is_apart)
        return tile * tiles;
    if (p->m > 1 || sweep_has_columns(p))
        return tile;
    return p->n <= most ? tile * tiles : tile * (most / tile);
}

int64_t contract_sweep_blocks(const problem *p)
{
    return (p->k + CONTRACT_BLOCK - 1) / CONTRACT_BLOCK;
}

bool contract_may_sweep_blocks(const problem *p)
{
    const contract_spec *s = &p->spec;
    return p->batch == 1 && p->m <= ROWS_APART && !sweep_has_columns(p) &&
           contract_sweep_blocks(p) >= LEAST_BLOCKS && p->n * p->bytes <= ROW &&
           p->m * p->n * p->bytes <= MOST_SUMS && !contract_has_dynamic(s->m, s->n_m) &&
           !contract_has_dynamic(s->n, s->n_n) && !contract_has_dynamic(s->k, s->n_k) &&
           !contract_has_dynamic(s->batch, s->n_batch);
}

bool contract_may_sweep(const problem *p)
{
    const bool may_rows =
        p->b_form == B_ROWS && (p->n == 1 || walk_step(&p->b_n) == 1) && p->products.b[0] >= p->n;
    return p->parts == 1 && p->m <= (p->b.load ? LOADED : ROWS) && !p->a.load &&
           p->products.n == 1 && p->k > 0 && p->n >= 4 * (int64_t)p->lanes &&
           (may_rows || may_sweep_columns(p));
}

bool contract_can_sweep(const problem *p)
{
    const int64_t far = p->m > FEW_ROWS ? FARTHER : FAR;
    const int64_t most = p->has_many_registers ? MOST_FOR_COLUMNS : FEWER_FOR_COLUMNS;
    if (sweep_has_columns(p) && (p->m <= FEW_ROWS || p->m > most))
        return false; /* contract_squares.c transposes for fewer, tiles for more */
    return contract_may_sweep(p) && p->k * p->n >= far / p->bytes &&
           sweep_tile(p) >= LEAST_VECTORS * (int64_t)p->lanes;
}

/* About as many lines of B as there are rows of A are in a group: with each row the products of a
 * line are added and a line is fetched. */
static bool has_narrow_groups(const problem *p)
{
    return p->m < (p->has_many_registers ? 2 * FEW_ROWS + 1 : FEW_ROWS);
}

int64_t contract_sweep_streams(const problem *p)
{
    if (p->b.load)
        return SWEEP_STREAMS; /* what computes B counts on it */
    if (sweep_has_columns(p))
        return p->lanes; /* a square */
    if (p->spec.wanted.unroll > 0)
        return p->spec.wanted.unroll;
    if (!p->has_many_registers)
        return has_narrow_groups(p) ? SWEEP_STREAMS : FEWER_STREAMS;
    return p->m > 1 && p->m <= FEW_ROWS ? SWEEP_STREAMS / 2 : SWEEP_STREAMS;
}

int64_t contract_sweep_vectors(const problem *p)
{
    enum { MOST = 4 };
    int64_t n = p->m > 1 && has_narrow_groups(p) ? 1 : 2;
    if (p->b.load || sweep_has_columns(p))
        return 1;
    if (p->spec.wanted.vectors > 0)
        for (n = MOST; n > p->spec.wanted.vectors; n /= 2)
            continue;
    return n * p->lanes <= LOOP_MAX_LANES ? n : 1;
}

int64_t contract_sweep_tiles(const problem *p)
{
    return (p->n + sweep_tile(p) - 1) / sweep_tile(p);
}
