/* The schedule of a contraction: its blocks, how A and B are read, and in which order. */
#include "loop/contract/contract_multiply.h"

enum {
    MOST_TRANSPOSED = 8, /* rows that meet columns of B transposed in registers */
    FEW_ROWS = 4,        /* B is read so rarely that packing it does not pay */
    STRIP_VECTORS = 4,   /* side by side */
    MANY_PANELS = 4,     /* A is read so often that packing it can pay */
    FEW_CHAINS = 6,      /* fewer do not keep the multipliers busy */
    CROWDED_ROWS = 6,    /* so many fit into one set of the first-level cache, ... */
    SET_ROWS = 8,        /* ... and so many where tiles go through few products at a time */
    TWO_PARTS = 8,       /* rows, half of which fill the registers with two or three vectors */
    ENOUGH_PANELS = 16,  /* for the threads, ... */
    FEWER_PANELS = 6,    /* ... and for two or three of them, which is as many as have work when */
    MEDIUM = 1 << 28,    /* ... there are so many operations */
    MOST_INSIDE = 1 << 22, /* bytes of a panel in scratch memory */
    SMALL = 1 << 21,       /* operations that one thread does alone */
    FAR = 256 << 10        /* bytes: a larger B is better read sequentially */
};

bool contract_is_read_once(const problem *p)
{
    const double bytes = (double)p->batch * (double)p->k * (double)p->n * (double)p->bytes;
    return p->m <= FEW_ROWS && bytes >= FAR;
}

/* Has an axis of AXES the dynamic extent of one of the rows? */
static bool varies_with_rows(const contract_spec *s, const contract_axis *axes, uint32_t n)
{
    bool any = false;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < s->n_m && axis_is_dynamic(&axes[i]); k++)
            any = any || (axes[i].extent == s->m[k].extent &&
                          axes[i].extent_other == s->m[k].extent_other);
    return any;
}

/* Do rows walk windows, or do windows reach outside of A? */
static bool has_images(const contract_spec *s)
{
    bool any = false;
    for (uint32_t i = 0; i < s->n_windows; i++) {
        const contract_window *w = &s->windows[i];
        any = any || window_has_border((contract_spec *)(uintptr_t)s, w);
        for (uint32_t k = 0; k < w->n; k++)
            any = any || w->walkers[k].list == CONTRACT_M;
    }
    return any;
}

/* Constants are packed once for all sizes. What is small where there are few rows may as well be
 * packed then as it is for many. */
bool contract_serves_any_rows(const problem *p)
{
    const contract_spec *s = &p->spec;
    const contract_schedule *w = &s->wanted;
    return contract_has_dynamic(s->m, s->n_m) && !has_images(s) && p->k > 0 && w->rows == 0 &&
           w->vectors == 0 && w->right == RIGHT_ANY &&
           (s->b_is_constant || varies_with_rows(s, s->n, s->n_n) ||
            varies_with_rows(s, s->k, s->n_k));
}

/* The columns of a strip, where B is stored as strips: [n / columns, k, columns]. 0: it is not. */
static int64_t strip_of(const problem *p)
{
    const walk n = WALK(p->spec.n, p->spec.n_n, b);
    return p->parts == 1 && n.n == 2 && n.step[1] == 1 && n.dynamic == 0 ? n.extent[1] : 0;
}

/* Are blocks better squares of one vector? Where columns are stored, of few products, storing takes
 * much of the time, and squares leave no lanes out. They must be high enough to keep the
 * multipliers busy. */
static bool suits_squares(const problem *p, const machine *m)
{
    enum { ENOUGH_LANES = 16, ENOUGH_ROWS = 12 };
    const contract_spec *s = &p->spec;
    const contract_schedule *w = &s->wanted;
    const bool ends_early = s->n_windows > 0 && s->n_m > 0 && s->m[s->n_m - 1].extent < ENOUGH_ROWS;
    return contract_finishes_columns(p) && p->lanes == ENOUGH_LANES && m->registers > 16 &&
           p->k <= CONTRACT_FEW_FOR_COLUMNS && !p->has_dynamic_k && !p->has_pairs &&
           p->offset == 0 && !ends_early && (p->has_any_rows || p->m >= ENOUGH_LANES) &&
           w->rows == 0 && w->vectors == 0;
}

/* May blocks whose columns are stored be as high as a square, and computed in two parts, one above
 * the other? */
static bool may_have_parts(const problem *p, const machine *m)
{
    return contract_finishes_columns(p) && m->registers <= 16 && p->lanes == TWO_PARTS &&
           (p->nv == 2 || p->nv == 3) && !p->has_pairs && p->offset == 0 && !p->is_tiled &&
           !p->is_stage && !contract_has_dynamic(p->spec.m, p->spec.n_m);
}

/* Are rows of images of EXTENT positions cut into whole parts, or few of them not, or into two of
 * one block? The other blocks have too few chains, and store their columns in pieces. */
static bool fills_parts(int64_t extent)
{
    enum { FEW = 4 }; /* one of so many blocks */
    const int64_t blocks = (extent + TWO_PARTS - 1) / TWO_PARTS,
                  lower = blocks * TWO_PARTS - extent;
    return extent % (TWO_PARTS / 2) == 0 || extent == TWO_PARTS - 1 || lower * FEW <= blocks;
}

/* ... and are those of images better so? It is as with squares. */
static bool suits_parts(const problem *p, const machine *m)
{
    const contract_spec *s = &p->spec;
    return may_have_parts(p, m) && s->n_windows > 0 && p->k <= CONTRACT_FEW_FOR_COLUMNS &&
           p->m >= p->lanes && (s->n_m == 0 || fills_parts(s->m[s->n_m - 1].extent)) &&
           s->wanted.rows == 0 && s->wanted.right != RIGHT_TILES;
}

/* The width of a register block in vectors, and the number of rows that fit: the sums, one row of B
 * and a factor of A are in registers. */
static int64_t choose_block(problem *p, const machine *m)
{
    const int64_t vectors = p->has_dynamic_n ? INT64_MAX : (p->n + p->lanes - 1) / p->lanes;
    /* Where registers are left, the next row of B and factors of A are loaded early: with two fewer
     * of 32, LLVM spills a sum. Blocks of any height are no faster so, and fewer sizes share them.
     */
    const int64_t many = contract_has_dynamic(p->spec.m, p->spec.n_m) ? 6 : 8;
    /* Two products are first added to each other, where no instruction adds them to a sum. */
    const bool adds_apart = p->has_pairs && !p->has_bf16_pairs && !m->has_byte_dots;
    const int64_t few = adds_apart ? 8 : 4, used = m->registers > 16 ? many : few;
    const int64_t room = (m->registers - used) / p->parts;
    const bool are_few = !p->has_any_rows && p->m < room / 2;
    int64_t nv = are_few && p->m > 0 ? room / p->m : 2;
    if ((p->has_any_rows || p->m >= room / 3) && vectors == 3)
        nv = 3;
    nv = nv > 16 ? 16 : nv;
    if (p->spec.b_is_constant && contract_is_read_once(p) && !p->has_any_rows)
        nv = 4; /* enough chains, and panels for the threads */
    nv = nv > vectors ? vectors : nv;
    const contract_schedule *wanted = &p->spec.wanted;
    if (p->m <= room / 2 && strip_of(p) > 0 &&
        !p->has_any_rows) { /* what is decoded needs registers, too */
        nv = nv < STRIP_VECTORS ? nv : STRIP_VECTORS;
        while (nv > 1 && strip_of(p) % (nv * p->lanes) != 0)
            nv--;
    }
    if (wanted->vectors > 0)
        nv = wanted->vectors < vectors ? wanted->vectors : vectors;
    p->nv = nv < 1 ? 1 : (uint32_t)nv;
    if (suits_squares(p, m)) {
        p->nv = 1;
        return p->lanes;
    }
    if (suits_parts(p, m))
        return p->lanes;
    int64_t rows = wanted->rows > 0 ? wanted->rows : room / p->nv - (p->offset != 0);
    const int64_t most = CONTRACT_MOST_SUMS / p->nv;
    rows = rows > CONTRACT_MOST_ROWS ? CONTRACT_MOST_ROWS : rows > most ? most : rows;
    return rows < 1 ? 1 : rows;
}

/* The width of a panel of a constant in vectors, as many as a block of many rows has. Blocks of few
 * rows, which are wider, meet several panels. */
static uint32_t constant_vectors(const problem *p)
{
    enum { USUAL = 2, THREE = 3 };
    const int64_t vectors = (p->n + p->lanes - 1) / p->lanes;
    const uint32_t width = vectors == THREE ? THREE : USUAL;
    return p->nv < width ? p->nv : width;
}

/* Does A have another line of memory for each product? */
static bool is_scattered(const problem *p)
{
    problem flat = *p;
    contract_drop_windows(&flat);
    const walk k = WALK(flat.spec.k, flat.spec.n_k, a);
    return k.n > 0 && k.step[k.n - 1] * p->bytes * p->parts >= LOOP_ALIGN;
}

/* Do the lines of ROWS rows of A fall into few sets of the first-level cache? */
static bool is_crowded(const problem *p, int64_t rows)
{
    problem flat = *p;
    contract_drop_windows(&flat);
    const walk w = WALK(flat.spec.m, flat.spec.n_m, a);
    uint8_t in_set[64] = {0};
    uint8_t most = 0;
    if (p->m < rows && !p->has_any_rows)
        rows = p->m;
    for (int64_t r = 0, before = -1; r < rows; r++) {
        const sized at = p->has_any_rows ? walk_along(&w, r) : walk_at(&w, r);
        const int64_t line = at.now * p->bytes * p->parts / LOOP_ALIGN;
        if (line == before) /* rows side by side share lines */
            continue;
        before = line;
        const uint8_t n = ++in_set[(uint64_t)line % 64];
        most = n > most ? n : most;
    }
    return most > 8;
}

static bool is_plain(const problem *p, const factors *x)
{
    return !x->load && x->pair == 0 && x->dtype == p->form;
}

/* Do the columns of each block lie in one strip of B? */
static bool has_strips(const problem *p)
{
    return strip_of(p) > 0 && strip_of(p) % columns_of(p) == 0;
}

/* May B be read in place, as rows? */
static bool may_read_rows(const problem *p)
{
    const walk n = WALK(p->spec.n, p->spec.n_n, b);
    return p->parts == 1 && (n.n == 0 || (n.n == 1 && n.step[0] == 1) || has_strips(p));
}

/* ... or as columns? A square of B and the sums of a vector of columns are in registers, with as
 * many to spare. */
static bool may_read_columns(const problem *p, const machine *m)
{
    const walk n = WALK(p->spec.n, p->spec.n_n, b);
    const int64_t spare = ((int64_t)m->registers - (int64_t)p->lanes) / 2;
    const int64_t most = spare < MOST_TRANSPOSED ? spare : MOST_TRANSPOSED;
    problem joined = *p;
    contract_join_products(&joined);
    return p->parts == 1 && n.n == 1 && n.step[0] != 1 && (p->b.load || is_plain(p, &p->b)) &&
           joined.products.n == 1 && joined.products.b[0] == 1 && p->m <= most && p->bytes >= 4 &&
           p->lanes <= 16;
}

/* How B is read; it is packed when that is B_PANELS. */
static b_form choose_b(const problem *p, const machine *m, int64_t rows, bool is_stage)
{
    const contract_spec *s = &p->spec;
    const walk n = WALK(s->n, s->n_n, b), k = WALK(s->k, s->n_k, b);
    const int64_t times = p->has_any_rows ? FEW_ROWS : (p->m + rows - 1) / rows; /* B is read */
    if (has_strips(p) && times == 1)
        return B_ROWS;
    if ((!is_plain(p, &p->b) && times > 1) || p->parts == 2 || n.n > 1)
        return B_PANELS;
    if (n.n == 0 || n.step[0] == 1) {
        if (s->b_is_constant && (times > 1 || contract_is_read_once(p)))
            return B_PANELS;
        int64_t reach = k.n ? (k.extent[k.n - 1] * k.step[k.n - 1]) * p->bytes : 0;
        if (has_any_order(p)) /* other sizes reach further */
            reach = INT64_MAX;
        /* A stage reads all columns of a block before the next rows. */
        const bool is_dense = is_stage && k.n == 1 && k.step[0] == p->n;
        return times < FEW_ROWS || is_dense || (reach <= 64 << 10 && reach >= 0) ? B_ROWS
                                                                                 : B_PANELS;
    }
    return may_read_columns(p, m) && !s->b_is_constant && !p->has_any_rows ? B_COLUMNS : B_PANELS;
}

/* The same, as asked for where that can be. */
static b_form find_b(const problem *p, const machine *m, int64_t rows, bool is_stage)
{
    if (p->has_pairs)
        return B_PANELS;
    switch (p->spec.wanted.right) {
    case RIGHT_PANELS:
    case RIGHT_INSIDE:
        return B_PANELS;
    case RIGHT_ROWS:
    case RIGHT_SWEPT:
        if (may_read_rows(p))
            return B_ROWS;
        break;
    case RIGHT_COLUMNS:
        if (may_read_columns(p, m))
            return B_COLUMNS;
        break;
    case RIGHT_ANY:
    case RIGHT_TILES:
    case CONTRACT_RIGHTS:
        break;
    }
    return choose_b(p, m, rows, is_stage);
}

/* Do the rows that panels meet stay in the second-level cache beside one of them? */
static bool are_rows_near(const problem *p, const machine *m, uint64_t packed_a_bytes)
{
    const double rows = packed_a_bytes
                            ? (double)packed_a_bytes / (double)p->batch
                            : (double)p->m * (double)p->k * (double)(p->bytes * p->parts);
    const double part = m->level == LEVEL_AVX2 ? m->l2 * 3.0 / 4.0 : m->l2 / 2.0;
    return rows <= part && panel_bytes(p) <= m->l2 / 2;
}

/* Is each panel packed just before it is used? Not where panels would be packed repeatedly, or
 * where few items would be left; and only if the rows that are multiplied by it stay in the cache.
 */
static bool packs_inside(const problem *p, const machine *m, uint64_t packed_a_bytes)
{
    if (has_any_order(p) || contract_has_dynamic(p->spec.m, p->spec.n_m))
        return false;
    if (p->spec.wanted.right == RIGHT_PANELS)
        return false;
    if (p->spec.wanted.right == RIGHT_INSIDE && panel_bytes(p) <= MOST_INSIDE)
        return true;
    const double flops = 2.0 * (double)p->batch * (double)p->m * (double)p->n * (double)p->k;
    const int64_t enough = flops < SMALL ? 1 : flops < MEDIUM ? FEWER_PANELS : ENOUGH_PANELS;
    return !p->spec.b_is_constant && are_rows_near(p, m, packed_a_bytes) &&
           p->batch * p->panels >= enough;
}

void contract_choose_order(problem *p, const machine *m)
{
    const int64_t blocks = p->is_dynamic ? INT64_MAX : p->outer * p->split;
    const double panel = (double)panel_bytes(p), half = m->l2 / 2;
    const double height = p->is_dynamic ? (double)most_rows(p) : (double)p->m / (double)blocks;
    const double rows = height * (double)p->k * (double)(p->bytes * p->parts);
    p->group = 1;
    if (p->spec.wanted.group > 0)
        p->group = p->spec.wanted.group < blocks ? p->spec.wanted.group : blocks;
    else if (panel * (double)panels_of(p) > half && rows > 0)
        p->group = half / rows < 1                ? 1
                   : half / rows > (double)blocks ? blocks
                                                  : (int64_t)(half / rows);
}

/* Code for any number of columns, or of products, is made where B is in panels, or read in place:
 * column by column for any number of these, row by row for any number of products; where nothing
 * else in the code depends on these. A sweep has the number of columns in its code. */
static void choose_dynamic(problem *p, bool sweeps)
{
    const bool in_columns = p->b_form == B_COLUMNS && !sweeps;
    p->has_dynamic_n = p->has_dynamic_n &&
                       (in_columns || (p->b_form == B_PANELS && p->unpacked.n.n == 1)) &&
                       p->c_n.n <= 1 && p->lanes > 1;
    p->has_dynamic_k = p->has_dynamic_k && p->b_form != B_COLUMNS && p->products.n == 1;
}

/* Does all of A stay in the second-level cache, in place, so that panels of all products meet it,
 * one after the other? While that happens the next one is fetched; tiles wait for what they pack or
 * read. With dynamic rows other sizes could be answered otherwise, and need code of their own. */
static bool prefers_panels(const problem *p, const machine *m, int64_t rows, const walk *a_k)
{
    return a_k->step[0] == 1 && !contract_has_dynamic(p->spec.m, p->spec.n_m) &&
           choose_b(p, m, rows, false) == B_PANELS &&
           (p->spec.b_is_constant ? are_rows_near(p, m, 0) : packs_inside(p, m, 0));
}

/* Is P, which could be, computed in tiles? A_M and A_K: how A walks; ROWS: of a block. */
static bool is_tiled(const problem *p, const machine *m, int64_t rows, const walk *a_m,
                     const walk *a_k)
{
    const contract_right wanted = p->spec.wanted.right;
    return wanted == RIGHT_TILES ? contract_may_tile(p, a_m, a_k)
                                 : wanted == RIGHT_ANY && contract_can_tile(p, m, a_m, a_k) &&
                                       !prefers_panels(p, m, rows, a_k);
}

/* How B is read where it is swept. */
static b_form swept_form(const problem *p)
{
    return may_read_rows(p) ? B_ROWS : B_COLUMNS;
}

/* Are there so many rows that packing panels pays? A sweep loads and stores sums for every few rows
 * of B; with few registers that takes longer than packing. With more, the rows must stay near while
 * panels meet them. */
static bool outweighs_packing(const problem *p, const machine *m)
{
    enum { MANY_ROWS = 64, FEWER_ROWS = 48, WIDE = 512 };
    enum { PARTS = 8, MOST_PARTS = 3 }; /* of the second-level cache */
    if (m->level == LEVEL_AVX2 && p->m > FEWER_ROWS && p->n >= WIDE)
        return true;
    const walk a = WALK(p->spec.k, p->spec.n_k, a);
    const double rows = (double)p->m * (double)p->k * (double)(p->bytes * p->parts);
    return p->m > MANY_ROWS && a.n == 1 && a.step[0] == 1 && is_plain(p, &p->b) &&
           rows * PARTS <= (double)m->l2 * MOST_PARTS && packs_inside(p, m, 0);
}

/* Is B, though there are too many rows to read it once from memory as blocks of rows do, better
 * swept? */
static bool prefers_sweep(const problem *p, const machine *m, bool is_stage)
{
    const contract_spec *s = &p->spec;
    const bool is_asked = s->wanted.right == RIGHT_SWEPT;
    if (is_stage || s->b_is_constant || p->has_pairs ||
        (s->wanted.right != RIGHT_ANY && !is_asked) || s->wanted.left != LEFT_ANY ||
        p->m <= FEW_ROWS || has_any_order(p) || contract_has_dynamic(s->m, s->n_m))
        return false;
    problem whole = *p;
    contract_drop_windows(&whole);
    contract_join_products(&whole);
    whole.b_form = swept_form(p);
    whole.b_n = WALK(s->n, s->n_n, b);
    if (is_asked)
        return contract_may_sweep(&whole);
    return contract_can_sweep(&whole) && !outweighs_packing(p, m);
}

static bool pack_a(problem *p, arena *memory, contract_plan *plan, const char **fault)
{
    if (p->k == 0)
        return true;
    contract_step *step = &plan->steps[plan->n_steps++];
    return (p->is_im2col ? contract_write_rows : contract_pack_a)(p, memory, step,
                                                                  &plan->packed_a_bytes, fault);
}

/* Are the results one line, of windows that move along a line by one element each? Then they are
 * better a row of columns than a column of rows: their windows are read in place, whole vectors at
 * a time. */
static bool is_line_of_windows(const problem *p)
{
    const contract_spec *s = &p->spec;
    const contract_schedule *w = &s->wanted;
    if (p->n != 1 || p->m == 1 || p->k == 0 || p->parts != 1 || s->n_windows == 0 ||
        !is_plain(p, &p->b) || contract_has_dynamic(s->m, s->n_m) ||
        contract_has_dynamic(s->n, s->n_n) || w->left != LEFT_ANY || w->right != RIGHT_ANY)
        return false;
    problem flat = *p;
    contract_drop_windows(&flat);
    const walk a = WALK(flat.spec.m, flat.spec.n_m, a), c = WALK(s->m, s->n_m, c);
    return a.n == 1 && a.step[0] == 1 && c.n == 1;
}

/* The lanes that hold all columns where these are few: processors whose multipliers are half as
 * wide as their vectors take twice as long for the wider ones. Squares stay as they are. */
static uint32_t choose_lanes(const problem *p, const machine *m)
{
    enum { LEAST_BYTES = 16 };
    uint32_t lanes = p->lanes;
    if (p->c_n.n > 1)
        return 1; /* a vector would leave its row of C */
    while (!p->has_dynamic_n && !may_read_columns(p, m) && lanes * p->bytes > LEAST_BYTES &&
           lanes / 2 >= p->n)
        lanes /= 2;
    return lanes;
}

/* Are the rows of a constant A, which many columns meet, better copied once? Where their products
 * are several axes, or reach too many lines of memory. */
static bool suits_copy(const problem *p, int64_t rows)
{
    const walk k = WALK(p->spec.k, p->spec.n_k, a);
    return contract_copies_once(p) && p->m >= FEW_ROWS && p->n > (int64_t)p->lanes &&
           (k.n > 1 || is_scattered(p) || is_crowded(p, rows));
}

bool contract_choose(problem *p, const machine *m, bool is_stage, arena *memory,
                     contract_plan *plan, int64_t *rows, const char **fault)
{
    contract_spec *s = &p->spec;
    if (!is_stage && is_line_of_windows(p)) {
        if ((contract_has_border(p) || !is_plain(p, &p->a)) && !pack_a(p, memory, plan, fault))
            return false;
        contract_drop_windows(p);
        contract_exchange(p);
    }
    p->c_n = WALK(s->n, s->n_n, c);
    p->c_m = WALK(s->m, s->n_m, c);
    p->lanes = choose_lanes(p, m);
    *rows = choose_block(p, m);
    const bool has_parts = suits_parts(p, m);
    p->panel_nv = p->nv;
    p->panels = panels_of(p);

    const bool sweeps = prefers_sweep(p, m, is_stage);
    const contract_left left = s->a_in_scratch ? LEFT_IN_PLACE : s->wanted.left;
    p->is_im2col = !is_stage && (left == LEFT_IM2COL ? contract_may_write_rows(p)
                                 : left == LEFT_ANY  ? contract_wants_rows(p, m, *rows)
                                                     : false);
    p->has_channels_last = !is_stage && !p->is_im2col &&
                           (left == LEFT_CHANNELS ? contract_may_join_channels(p)
                            : left == LEFT_ANY    ? contract_wants_channels(p, m)
                                                  : false);
    const bool is_packed = p->is_im2col || p->has_channels_last || contract_has_border(p) ||
                           !is_plain(p, &p->a) || left == LEFT_PACKED ||
                           (left == LEFT_ANY && !is_stage && !sweeps && suits_copy(p, *rows));
    if (is_packed && !pack_a(p, memory, plan, fault))
        return false;
    const walk a_m = WALK(s->m, s->n_m, a), a_k = WALK(s->k, s->n_k, a);
    p->is_tiled = !is_stage && !has_parts && !sweeps && s->n_windows == 0 && p->k > 0 &&
                  is_tiled(p, m, *rows, &a_m, &a_k);
    const bool packs_rows = p->is_tiled && a_k.step[0] != 1; /* of A, in each tile */
    const bool may_crowd = !sweeps && !is_packed && (p->m >= FEW_ROWS || p->has_any_rows) &&
                           !s->a_in_scratch && !packs_rows;
    const bool crowds = may_crowd && is_crowded(p, *rows);
    if (crowds && p->is_tiled && left == LEFT_ANY && s->wanted.rows == 0) {
        *rows = *rows < SET_ROWS ? *rows : SET_ROWS;
    } else if ((crowds || (may_crowd && is_scattered(p))) && left == LEFT_ANY &&
               p->panels >= MANY_PANELS) {
        if (!pack_a(p, memory, plan, fault))
            return false;
    } else if (crowds && !p->is_tiled && s->wanted.rows == 0 && *rows > CROWDED_ROWS &&
               p->nv * CROWDED_ROWS >= FEW_CHAINS) {
        *rows = CROWDED_ROWS;
    }
    contract_drop_windows(p);
    if (packs_rows)
        contract_tile_a(p, *rows);
    /* The steps of A are final now, and say which axes of K can be one. */
    p->b_form = p->is_tiled ? B_PANELS : sweeps ? swept_form(p) : find_b(p, m, *rows, is_stage);
    if (p->b_form == B_COLUMNS && !sweeps)
        contract_choose_squares(p, m);
    const uint32_t wide = p->nv;
    /* What is packed inside is one panel, as wide as the block. */
    if (s->b_is_constant && p->b_form == B_PANELS && s->wanted.vectors == 0 &&
        s->wanted.right != RIGHT_INSIDE)
        p->nv = constant_vectors(p);
    p->panel_nv = p->nv;
    p->panels = panels_of(p);
    if (p->b_form == B_PANELS && p->k > 0)
        contract_use_panels(p);
    contract_join_products(p);
    choose_dynamic(p, sweeps);
    if (p->b_form == B_PANELS && p->k > 0) {
        p->packs_inside = !is_stage && !p->is_tiled && packs_inside(p, m, plan->packed_a_bytes);
        const bool packs_before = p->is_tiled ? s->b_is_constant : !p->packs_inside;
        if (packs_before && !contract_pack_b(p, memory, &plan->steps[plan->n_steps++],
                                             &plan->packed_b_bytes, fault))
            return false;
    }
    p->at_once = *rows == TWO_PARTS && may_have_parts(p, m) ? TWO_PARTS / 2 : CONTRACT_MOST_ROWS;
    p->side = wide / p->nv;
    p->nv *= p->side;
    p->panels = panels_of(p);

    p->a_batch = WALK(s->batch, s->n_batch, a);
    p->a_m = WALK(s->m, s->n_m, a);
    p->b_batch = WALK(s->batch, s->n_batch, b);
    p->b_n = WALK(s->n, s->n_n, b);
    p->c_batch = WALK(s->batch, s->n_batch, c);
    return true;
}
