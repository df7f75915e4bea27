/* cumulative (docs/numerics.md, section 5): blocks of a line in the lanes of a vector, or blocks of
 * rows side by side. */
#include "loop/nest/loops/loops.h"
#include "ops/attr_rules.h"

enum { BLOCK = CUMULATIVE_BLOCK, TILE = 512 /* columns of one work item */ };

typedef struct running {
    loops *l;
    fold_kind kind;
    tn_dtype dtype, sum; /* of the operand; in which elements combine */
    tn_dtype keyed;      /* the float whose extremum is found among integers; TN_I1: none is */
    bool excludes, reverses, has_identity;
    loops_lines lines;
} running;

static running running_of(loops *l)
{
    const type *t = loops_type(l, 0);
    running r = {.l = l,
                 .kind = (fold_kind)attr_int(l->n->attrs, KEY_FOLD, FOLD_SUM),
                 .dtype = t->dtype,
                 .sum = accumulator_of(t->dtype),
                 .keyed = TN_I1,
                 .excludes = attr_int(l->n->attrs, KEY_EXCLUSIVE, 0) != 0,
                 .reverses = attr_int(l->n->attrs, KEY_REVERSE, 0) != 0,
                 .has_identity = !dtype_is_complex(t->dtype) ||
                                 attr_int(l->n->attrs, KEY_FOLD, FOLD_SUM) == FOLD_SUM,
                 .lines = loops_lines_of(l, 0, resolve_axis(l->n->attrs, KEY_AXIS, t->rank))};
    if (dtype_is_bool(r.sum))
        r.sum = TN_UI8;
    if (dtype_is_float(r.sum) && fold_is_extremum(r.kind)) {
        r.keyed = r.sum;
        r.sum = r.sum == TN_F64 ? TN_SI64 : TN_SI32;
    }
    return r;
}

/* An element as stored, as one of those that combine, and back. */
static element enter(const running *r, element x)
{
    loop_builder *b = &r->l->b;
    if (r->keyed == TN_I1)
        return element_cast(b, x, r->sum);
    return element_fold_key(b, r->kind, element_cast(b, x, r->keyed));
}

static element leave(const running *r, element x)
{
    loop_builder *b = &r->l->b;
    if (r->keyed != TN_I1)
        x = element_of_fold_key(b, r->kind, r->keyed, x);
    return element_cast(b, x, r->dtype);
}

static element combine(const running *r, element x, element y)
{
    return element_combine(&r->l->b, r->kind, x, y);
}

/* What stands before the first element: in results, and where sums begin. */
static element empty(const running *r, uint32_t lanes)
{
    return element_empty(&r->l->b, r->kind, r->dtype, r->dtype, lanes);
}

static element start(const running *r, uint32_t lanes)
{
    element e = empty(r, lanes);
    if (fold_is_extremum(r->kind))
        return enter(r, e);
    (void)element_identity(&r->l->b, r->kind, r->sum, lanes, &e);
    return e;
}

/* The number of the last element of a line. */
static loop_value last_of_line(const running *r)
{
    return loop_sized(&r->l->b, sized_add(r->lines.length, sized_of(-1)));
}

/* ---- along a line ---- */

/* Lane L of the result is lane TABLE[L] of X. */
static element permuted(const running *r, element x, const uint8_t *table)
{
    return element_shuffle(&r->l->b, x, x, table, BLOCK);
}

/* The lanes of X, of which the first, or with BACK the last, is the first element of a block,
 * become what they come to from there on. */
static element combine_lanes(const running *r, element x, bool back)
{
    loop_builder *b = &r->l->b;
    element none = x;
    (void)element_identity(b, r->kind, r->sum, BLOCK, &none);
    for (uint32_t d = 1; d < BLOCK; d *= 2) {
        uint8_t table[BLOCK];
        for (uint32_t j = 0; j < BLOCK; j++) {
            const uint32_t lane = back ? BLOCK - 1 - j : j, from = j / d * d - 1;
            table[lane] =
                (uint8_t)(j & d ? (back ? BLOCK - 1 - from : from) : (uint32_t)BLOCK + lane);
        }
        x = combine(r, element_shuffle(b, x, none, table, BLOCK), x);
    }
    return x;
}

enum { LINE_STORED = LINE_PARTS + 1 }; /* the name of the number of results */

/* The last, or with BACK the first, COUNT elements of the line, a part of a block or all of it. */
static void finish_line(const running *r, loop_value first, element before, int64_t count)
{
    loops *l = r->l;
    loop_builder *b = &l->b;
    const bool any = r->lines.any_n;
    const int64_t shift = r->excludes, stored = count - shift;
    const loop_value begins = nest_number(b, any, LINE_WHOLE, r->lines.n - count);
    const loop_value at = r->reverses ? first : loops_add(l, first, begins);
    const element x = loops_read(l, 0, at, BLOCK, nest_number(b, any, LINE_REST, count));
    uint8_t in[BLOCK], out[BLOCK];
    for (int64_t j = 0; j < BLOCK; j++) {
        in[j] = (uint8_t)(r->reverses && j < count ? count - 1 - j : j);
        out[j] = (uint8_t)(r->reverses && j < stored ? stored - 1 - j : j);
    }
    element s = combine_lanes(r, permuted(r, enter(r, x), in), false);
    s = permuted(r, combine(r, before, s), out);
    if (any || stored > 0)
        loops_store(l, loops_out(l, 0), r->reverses ? at : loops_add(l, at, loop_i64(b, shift)),
                    leave(r, s), nest_number(b, any, LINE_STORED, stored));
}

/* The same at the beginning of a line of any length, where the sums end. So that the first element
 * of a block is in the last lane, as it is in other blocks, elements move through memory. */
static void finish_any_line_back(const running *r, loop_value first, element before, int64_t count)
{
    loops *l = r->l;
    loop_builder *b = &l->b;
    const loop_value memory = loop_scratch(b, (uint64_t)(2 * BLOCK) * dtype_bytes(r->sum));
    const loop_value have = loop_size(b, LINE_REST, count);
    const loop_value at = loop_binary(b, LOOP_ISUB, loop_i64(b, BLOCK), have);
    const element x = enter(r, loops_read(l, 0, first, BLOCK, have));
    loops_store(l, memory, at, x, LOOP_NO_VALUE);
    const element y = loops_load(l, r->sum, memory, loop_i64(b, 0), BLOCK, LOOP_NO_VALUE);
    loops_store(l, memory, loop_i64(b, 0), combine(r, before, combine_lanes(r, y, true)),
                LOOP_NO_VALUE);
    const loop_value from = loops_add(l, at, loop_i64(b, r->excludes));
    loops_store(l, loops_out(l, 0), first,
                leave(r, loops_load(l, r->sum, memory, from, BLOCK, LOOP_NO_VALUE)),
                loop_size(b, LINE_STORED, count - r->excludes));
}

static bool along_lines(const running *r)
{
    loops *l = r->l;
    loop_builder *b = &l->b;
    const bool any = r->lines.any_n; /* then something is always left for the end */
    const int64_t n = r->lines.n, shift = r->excludes;
    const int64_t blocks = (any ? n - 1 : n - shift) / BLOCK, rest = n - blocks * BLOCK;
    uint8_t last[BLOCK];
    for (uint32_t j = 0; j < BLOCK; j++)
        last[j] = r->reverses ? 0 : BLOCK - 1;
    const loop_value line = loops_items(l), first = loops_times_sized(l, line, r->lines.length);
    if (r->excludes)
        loops_store(l, loops_out(l, 0), r->reverses ? loops_add(l, first, last_of_line(r)) : first,
                    empty(r, 1), LOOP_NO_VALUE);
    const element before = element_var(b, start(r, BLOCK));
    if (any || blocks > 0) {
        const loop_value whole = nest_number(b, any, LINE_WHOLE, blocks * BLOCK);
        const loop_value k = loop_for(b, loop_i64(b, 0), whole, BLOCK);
        const loop_value from =
            r->reverses
                ? loop_binary(b, LOOP_ISUB,
                              loop_sized(b, sized_add(r->lines.length, sized_of(-BLOCK))), k)
                : k;
        const loop_value at = loops_add(l, first, from);
        const element x = loops_read(l, 0, at, BLOCK, LOOP_NO_VALUE);
        const element s = combine_lanes(r, enter(r, x), r->reverses);
        const element old = element_get(b, before), y = combine(r, old, s);
        element_set(b, before, combine(r, old, permuted(r, s, last)));
        loops_store(l, loops_out(l, 0), loops_add(l, at, loop_i64(b, r->reverses ? -shift : shift)),
                    leave(r, y), LOOP_NO_VALUE);
        loop_end(b);
    }
    if (any && r->reverses)
        finish_any_line_back(r, first, element_get(b, before), rest);
    else if (rest > 0)
        finish_line(r, first, element_get(b, before), rest);
    loop_end(b);
    return loops_step(l, r->lines.outer, (uint64_t)n * 2, "line by line, blocks in vectors");
}

/* ---- rows side by side ---- */

enum { GROUP = 4 }; /* rows of a block that are in registers together */

/* Columns from LOW on of the rows from element FIRST on: HIGH of them, the first WHOLE of which are
 * whole vectors. In memory, for each column: what came BEFORE the block, and the totals of the
 * groups of GROUP and of 2 * GROUP rows before the group. */
typedef struct columns {
    loop_value first, low, whole, high;
    loop_value before, four, eight;
    uint32_t lanes;
} columns;

/* A vector of columns from AT on, of which COUNT (LOOP_NO_VALUE: all) count, number KEPT in what is
 * kept of them. */
typedef struct strip {
    loop_value at, kept, count;
} strip;

/* Rows that combine: COUNT from row NUMBER on, the GROUP-th part PART of a block; STORED of them
 * give results. */
typedef struct row_group {
    loop_value number;
    uint32_t part;
    int64_t count, stored;
    bool is_first; /* of the first block, which nothing precedes */
    bool may_end;  /* the rows may end within the group, or before */
} row_group;

/* Row NUMBER, counted in the direction of the op; SHIFT rows further. */
static loop_value place_of(const running *r, const columns *c, const strip *at, loop_value number,
                           int64_t shift)
{
    loops *l = r->l;
    loop_builder *b = &l->b;
    number = shift ? loops_add(l, number, loop_i64(b, shift)) : number;
    if (r->reverses)
        number = loop_binary(b, LOOP_ISUB, last_of_line(r), number);
    return loops_add(l, loops_add(l, c->first, loops_times_sized(l, number, r->lines.width)),
                     at->at);
}

/* Row J of G; past the end the last row, whose value nothing uses. */
static element read_row(const running *r, const columns *c, const strip *at, const row_group *g,
                        int64_t j)
{
    loops *l = r->l;
    loop_value number = g->number;
    if (g->may_end)
        number = loop_min(&l->b, loops_add(l, number, loop_i64(&l->b, j)), last_of_line(r));
    const loop_value from = place_of(r, c, at, number, g->may_end ? 0 : j);
    return enter(r, loops_read(l, 0, from, c->lanes, at->count));
}

static void write_row(const running *r, const columns *c, const strip *at, const row_group *g,
                      int64_t j, element x)
{
    loops *l = r->l;
    loop_builder *b = &l->b;
    const int64_t shift = j + r->excludes;
    if (g->may_end)
        loop_if(b, loops_less(l, loops_add(l, g->number, loop_i64(b, shift - 1)), last_of_line(r)));
    loops_store(l, loops_out(l, 0), place_of(r, c, at, g->number, shift), leave(r, x), at->count);
    if (g->may_end)
        loop_end(b);
}

static element recall(const running *r, const columns *c, const strip *at, loop_value from)
{
    return loops_load(r->l, r->sum, from, at->kept, c->lanes, LOOP_NO_VALUE);
}

static void keep(const running *r, const strip *at, loop_value to, element x)
{
    loops_store(r->l, to, at->kept, x, LOOP_NO_VALUE);
}

static void join_all(const running *r, element x, element *s, int64_t n)
{
    for (int64_t j = 0; j < n; j++)
        s[j] = combine(r, x, s[j]);
}

/* The rows of a group take in each other, the groups before it, and what precedes the block. */
static void do_group(const running *r, const columns *c, const strip *at, const row_group *g)
{
    element s[GROUP];
    for (int64_t j = 0; j < g->count; j++)
        s[j] = read_row(r, c, at, g, j);
    for (int64_t d = 1; d < GROUP; d *= 2)
        for (int64_t j = 0; j < g->count; j++)
            if (j & d)
                s[j] = combine(r, s[j / d * d - 1], s[j]);
    const bool is_whole = g->count == GROUP;
    if (g->part & 1)
        join_all(r, recall(r, c, at, c->four), s, g->count);
    else if (is_whole)
        keep(r, at, c->four, s[GROUP - 1]);
    if (g->part & 2)
        join_all(r, recall(r, c, at, c->eight), s, g->count);
    else if (is_whole && g->part == 1)
        keep(r, at, c->eight, s[GROUP - 1]);
    if (!g->is_first)
        join_all(r, recall(r, c, at, c->before), s, g->count);
    if (is_whole && g->part == BLOCK / GROUP - 1)
        keep(r, at, c->before, s[GROUP - 1]);
    for (int64_t j = 0; j < g->stored; j++)
        write_row(r, c, at, g, j, s[j]);
}

/* Before the first row: what precedes it, and with EXCLUSIVE its result. */
static void begin(const running *r, const columns *c, const strip *at)
{
    loops *l = r->l;
    if (r->has_identity)
        keep(r, at, c->before, start(r, c->lanes));
    if (r->excludes)
        loops_store(l, loops_out(l, 0), place_of(r, c, at, loop_i64(&l->b, 0), 0),
                    empty(r, c->lanes), at->count);
}

/* The group G, or without one the start, for all columns: whole vectors, then what is left. */
static void for_columns(const running *r, const columns *c, const row_group *g)
{
    loops *l = r->l;
    loop_builder *b = &l->b;
    const uint32_t has_rest = r->lines.any_inner || r->lines.inner % c->lanes > 0;
    for (uint32_t rest = 0; rest < 1 + has_rest; rest++) {
        strip at = {.kept = c->whole, .count = LOOP_NO_VALUE};
        if (rest)
            loop_if(b, loops_less(l, c->whole, c->high));
        else
            at.kept = loop_for(b, loop_i64(b, 0), c->whole, c->lanes);
        at.at = loops_add(l, c->low, at.kept);
        if (rest)
            at.count = loop_binary(b, LOOP_ISUB, c->high, c->whole);
        if (g)
            do_group(r, c, &at, g);
        else
            begin(r, c, &at);
        loop_end(b);
    }
}

/* COUNT rows from row NUMBER on, of which STORED give results. */
static void do_rows(const running *r, const columns *c, loop_value number, int64_t count,
                    int64_t stored, bool is_first)
{
    for (int64_t j = 0; j < count; j += GROUP) {
        const int64_t have = count - j, results = stored - j;
        const row_group g = {.number = loops_add(r->l, number, loop_i64(&r->l->b, j)),
                             .part = (uint32_t)(j / GROUP),
                             .count = have < GROUP ? have : GROUP,
                             .stored = results < GROUP ? results : GROUP,
                             .is_first = is_first};
        for_columns(r, c, &g);
    }
}

/* A block of rows from row NUMBER on, in which the rows may end. */
static void do_last_rows(const running *r, const columns *c, loop_value number, bool is_first)
{
    loops *l = r->l;
    loop_builder *b = &l->b;
    for (int64_t j = 0; j < BLOCK; j += GROUP) {
        const row_group g = {.number = loops_add(l, number, loop_i64(b, j)),
                             .part = (uint32_t)(j / GROUP),
                             .count = GROUP,
                             .stored = GROUP,
                             .is_first = is_first,
                             .may_end = true};
        loop_if(b, loops_less(l, g.number, loop_sized(b, r->lines.length)));
        for_columns(r, c, &g);
        loop_end(b);
    }
}

enum { LINE_ROWS = LINE_STORED + 1 }; /* the name of the number of rows in whole blocks */

/* All rows, however many: whole blocks, then a last one. */
static void do_any_rows(const running *r, const columns *c)
{
    loop_builder *b = &r->l->b;
    const loop_value alone = loop_i64(b, r->has_identity ? 0 : BLOCK);
    const loop_value whole = loop_size(b, LINE_ROWS, (r->lines.n - r->excludes) / BLOCK * BLOCK);
    if (!r->has_identity)
        do_last_rows(r, c, loop_i64(b, 0), true);
    do_rows(r, c, loop_for(b, alone, whole, BLOCK), BLOCK, BLOCK, false);
    loop_end(b);
    const loop_value least = loop_binary(b, LOOP_ILT, whole, alone);
    do_last_rows(r, c, loop_select(b, least, alone, whole), false);
}

static void do_known_rows(const running *r, const columns *c)
{
    loop_builder *b = &r->l->b;
    const int64_t n = r->lines.n;
    const int64_t blocks = (n - r->excludes) / BLOCK, rest = n - blocks * BLOCK;
    const int64_t alone = !r->has_identity && blocks > 0;
    if (alone)
        do_rows(r, c, loop_i64(b, 0), BLOCK, BLOCK, true);
    if (blocks > alone) {
        const loop_value k =
            loop_for(b, loop_i64(b, alone * BLOCK), loop_i64(b, blocks * BLOCK), BLOCK);
        do_rows(r, c, k, BLOCK, BLOCK, false);
        loop_end(b);
    }
    if (rest > 0)
        do_rows(r, c, loop_i64(b, blocks * BLOCK), rest, rest - r->excludes,
                !r->has_identity && blocks == 0);
}

static bool along_rows(const running *r)
{
    loops *l = r->l;
    loop_builder *b = &l->b;
    const int64_t n = r->lines.n, inner = r->lines.inner, tiles = (inner + TILE - 1) / TILE;
    columns c = {.lanes = dtype_bytes(r->sum) > 4 ? 8 : 16};
    loop_value outer, tile;
    while (!r->lines.any_inner && c.lanes > 1 && c.lanes / 2 >= inner)
        c.lanes /= 2;
    const uint64_t bytes = (uint64_t)(TILE + c.lanes) * dtype_bytes(r->sum);
    c.before = loop_scratch(b, bytes);
    c.four = loop_scratch(b, bytes);
    c.eight = loop_scratch(b, bytes);
    loops_split_any(l, loops_items(l), tiles, r->lines.any_inner, &outer, &tile);
    c.first = loops_times_sized(l, outer, r->lines.all);
    c.low = loops_times(l, tile, TILE);
    const loop_value left = loop_binary(b, LOOP_ISUB, loop_sized(b, r->lines.width), c.low);
    c.high = loop_min(b, left, loop_i64(b, TILE));
    c.whole = loop_binary(b, LOOP_AND, c.high, loop_i64(b, -(int64_t)c.lanes));
    for_columns(r, &c, NULL);
    if (r->lines.any_n)
        do_any_rows(r, &c);
    else
        do_known_rows(r, &c);
    loop_end(b);
    return loops_step(l, r->lines.outer * tiles, (uint64_t)(n * (inner < TILE ? inner : TILE)) * 4,
                      "blocks of rows, columns over the threads");
}

bool loops_of_cumulative(loops *l)
{
    const running r = running_of(l);
    const bool is_line = r.lines.inner == 1 && !r.lines.any_inner;
    return is_line && r.has_identity ? along_lines(&r) : along_rows(&r);
}
