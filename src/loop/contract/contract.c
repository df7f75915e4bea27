/* Contractions: from the axes to a schedule and its programs. */
#include "loop/contract/contract.h"

#include <string.h>

#include "base/memory/checked.h"
#include "loop/contract/contract_direct.h"
#include "loop/contract/contract_multiply.h"

/* ---- the problem ---- */

static bool count_axes(const contract_axis *axes, uint32_t n, int64_t *count)
{
    int64_t extents[CONTRACT_MAX_AXES];
    for (uint32_t i = 0; i < n; i++)
        extents[i] = axes[i].extent;
    return product_i64(extents, n, count);
}

/* The axis field at FIELD, and what it is with other sizes at OTHER. */
static walk walk_of(const contract_axis *axes, uint32_t n, size_t field, size_t other)
{
    walk w;
    walk_init(&w);
    for (uint32_t i = 0; i < n; i++) {
        sized step;
        memcpy(&step.now, (const char *)&axes[i] + field, sizeof step.now);
        memcpy(&step.other, (const char *)&axes[i] + other, sizeof step.other);
        walk_add(&w, axis_extent(&axes[i]), step);
    }
    return w;
}

#define WALK(axes, n, field)                                                                       \
    walk_of(axes, n, offsetof(contract_axis, field), offsetof(contract_axis, field##_other))

static void exchange_axes(contract_axis *axes, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const sized a = axis_a(&axes[i]);
        axes[i].a = axes[i].b;
        axes[i].a_other = axes[i].b_other;
        axes[i].b = a.now;
        axes[i].b_other = a.other;
    }
}

/* Exchange the operands. Which of them a product takes first stays. */
static void transpose(problem *p)
{
    contract_spec *s = &p->spec;
    contract_axis m[CONTRACT_MAX_AXES];
    const contract_spec old = *s;
    exchange_axes(s->batch, s->n_batch);
    exchange_axes(s->m, s->n_m);
    exchange_axes(s->n, s->n_n);
    exchange_axes(s->k, s->n_k);
    memcpy(m, s->m, sizeof m);
    memcpy(s->m, s->n, sizeof m);
    memcpy(s->n, m, sizeof m);
    s->n_m = old.n_n;
    s->n_n = old.n_m;
    s->a = old.b;
    s->b = old.a;
    s->a_first = old.b_first;
    s->b_first = old.a_first;
    s->a_first_other = old.b_first_other;
    s->b_first_other = old.a_first_other;
    s->load_a = old.load_b;
    s->load_b = old.load_a;
    s->user_a = old.user_b;
    s->user_b = old.user_a;
    s->row_a = old.row_b;
    s->row_b = old.row_a;
    s->b_is_constant = false;
    s->is_transposed = !s->is_transposed;
    s->b_is_first = !s->b_is_first;
}

static bool is_any_dynamic(const contract_axis *axes, uint32_t n)
{
    bool any = false;
    for (uint32_t i = 0; i < n; i++)
        any = any || axis_is_dynamic(&axes[i]);
    return any;
}

static bool problem_init(problem *p, const contract_spec *spec, const machine *on)
{
    int64_t all;
    *p = (problem){.spec = *spec};
    contract_spec *s = &p->spec;
    p->form = dtype_compute(s->sum);
    p->elem = element_compute(p->form);
    p->parts = dtype_is_complex(p->form) ? 2 : 1;
    p->bytes = (int64_t)loop_elem_bytes(p->elem);
    if (!count_axes(s->batch, s->n_batch, &p->batch) || !count_axes(s->m, s->n_m, &p->m) ||
        !count_axes(s->n, s->n_n, &p->n) || !count_axes(s->k, s->n_k, &p->k) ||
        !product_i64((const int64_t[]){p->batch, p->m, p->n}, 3, &all) ||
        p->k > INT64_MAX / (1 << 16))
        return false;
    uint32_t buffer_a = CONTRACT_A, buffer_b = CONTRACT_B;
    const int64_t lanes = on->vector_bytes / p->bytes;
    p->lanes = (uint32_t)(lanes > LOOP_MAX_LANES ? LOOP_MAX_LANES : lanes < 1 ? 1 : lanes);
    /* A result of one column becomes one row, whose elements are contiguous. Not for complex
     * numbers: their chains distinguish the factors. */
    if (p->n == 1 && p->m > 1 && p->parts == 1 && s->n_windows == 0 && !contract_is_dots(s, on)) {
        transpose(p);
        p->n = p->m;
        p->m = 1;
        buffer_a = CONTRACT_B;
        buffer_b = CONTRACT_A;
    }
    p->has_dynamic_n = is_any_dynamic(s->n, s->n_n);
    p->has_dynamic_k = is_any_dynamic(s->k, s->n_k);
    p->a = (factors){.dtype = s->a, .buffer = buffer_a, .load = s->load_a, .user = s->user_a};
    p->b = (factors){.dtype = s->b, .buffer = buffer_b, .load = s->load_b, .user = s->user_b};
    p->a.row = s->row_a;
    p->b.row = s->row_b;
    return true;
}

static bool has_border(problem *p)
{
    contract_spec *s = &p->spec;
    for (uint32_t i = 0; i < s->n_windows; i++)
        if (window_has_border(s, &s->windows[i]))
            return true;
    return false;
}

/* Windows that stay inside of A become strides. */
static void drop_windows(problem *p)
{
    contract_spec *s = &p->spec;
    for (uint32_t i = 0; i < s->n_windows; i++) {
        const contract_window *w = &s->windows[i];
        for (uint32_t k = 0; k < w->n; k++) {
            contract_axis *x = window_axis(s, w, k);
            x->a += w->walkers[k].by * w->step;
            x->a_other = other_add(x->a_other, other_mul(w->walkers[k].by_other, w->step_other));
        }
        s->a_first -= w->low * w->step;
        s->a_first_other = other_add(s->a_first_other, other_mul(-w->low_other, w->step_other));
    }
    s->n_windows = 0;
}

static void join_products(problem *p)
{
    const contract_spec *s = &p->spec;
    product_axes *k = &p->products;
    k->n = 0;
    for (uint32_t i = 0; i < s->n_k; i++) {
        const contract_axis *x = &s->k[i];
        if (x->extent == 1)
            continue;
        if (k->n > 0 && k->a[k->n - 1] == x->extent * x->a && k->b[k->n - 1] == x->extent * x->b) {
            const uint32_t last = k->n - 1;
            k->extent[last] *= x->extent;
            k->extent_other[last] = other_mul(k->extent_other[last], x->extent_other);
        } else {
            k->extent[k->n] = x->extent;
            k->extent_other[k->n++] = x->extent_other;
        }
        k->a[k->n - 1] = x->a;
        k->b[k->n - 1] = x->b;
        k->a_other[k->n - 1] = x->a_other;
        k->b_other[k->n - 1] = x->b_other;
    }
    if (k->n == 0) {
        k->n = 1;
        k->extent[0] = k->extent_other[0] = p->k > 0 ? p->k : 1;
        k->a[0] = k->b[0] = k->a_other[0] = k->b_other[0] = 0;
    }
}

/* ---- the schedule ---- */

enum {
    MOST_TRANSPOSED = 8,   /* rows that meet columns of B transposed in registers */
    FEW_ROWS = 4,          /* B is read so rarely that packing it does not pay */
    STRIP_VECTORS = 4,     /* side by side */
    MANY_PANELS = 4,       /* A is read so often that packing it can pay */
    FEW_CHAINS = 6,        /* fewer do not keep the multipliers busy */
    CROWDED_ROWS = 6,      /* so many fit into one set of the first-level cache */
    ENOUGH_PANELS = 16,    /* for the threads */
    MOST_INSIDE = 1 << 22, /* bytes of a panel in scratch memory */
    SMALL = 1 << 21,       /* operations that one thread does alone */
    FAR = 256 << 10,       /* bytes: a larger B is better read sequentially */
    FAST = 8               /* operations in the time that a byte takes from memory */
};

/* Few rows times a B so large that reading it dominates. */
static bool is_read_once(const problem *p)
{
    const double bytes = (double)p->batch * (double)p->k * (double)p->n * (double)p->bytes;
    return p->m <= FEW_ROWS && bytes >= FAR;
}

/* The columns of a strip where B lies in strips, one behind the other; 0: it does not. */
static int64_t strip_of(const problem *p)
{
    const walk n = WALK(p->spec.n, p->spec.n_n, b);
    return p->parts == 1 && n.n == 2 && n.step[1] == 1 && n.dynamic == 0 ? n.extent[1] : 0;
}

/* The width of a register block in vectors, and the number of rows that fit: the sums, one row of B
 * and a factor of A are in registers. */
static int64_t choose_block(problem *p, const machine *m)
{
    const int64_t vectors = p->has_dynamic_n ? INT64_MAX : (p->n + p->lanes - 1) / p->lanes;
    /* Where registers are left, the next row of B and factors of A are loaded early: with two fewer
     * of 32, LLVM spills a sum. Blocks of any height are no faster so, and fewer sizes share them.
     */
    const int64_t many = is_any_dynamic(p->spec.m, p->spec.n_m) ? 6 : 8;
    const int64_t used = m->registers > 16 ? many : 4, room = (m->registers - used) / p->parts;
    int64_t nv = p->m < room / 2 && p->m > 0 ? room / p->m : 2;
    if (p->m >= room / 3 && vectors == 3)
        nv = 3;
    nv = nv > 16 ? 16 : nv;
    if (p->spec.b_is_constant && is_read_once(p))
        nv = 4; /* enough chains, and panels for the threads */
    nv = nv > vectors ? vectors : nv;
    const contract_schedule *wanted = &p->spec.wanted;
    if (p->m <= room / 2 && strip_of(p) > 0) { /* what is decoded needs registers, too */
        nv = nv < STRIP_VECTORS ? nv : STRIP_VECTORS;
        while (nv > 1 && strip_of(p) % (nv * p->lanes) != 0)
            nv--;
    }
    if (wanted->vectors > 0)
        nv = wanted->vectors < vectors ? wanted->vectors : vectors;
    p->nv = nv < 1 ? 1 : (uint32_t)nv;
    int64_t rows = wanted->rows > 0 ? wanted->rows : room / p->nv - (p->offset != 0);
    const int64_t most = CONTRACT_MOST_SUMS / p->nv;
    rows = rows > CONTRACT_MOST_ROWS ? CONTRACT_MOST_ROWS : rows > most ? most : rows;
    return rows < 1 ? 1 : rows;
}

/* Does A have another line of memory for each product? */
static bool is_scattered(const problem *p)
{
    problem flat = *p;
    drop_windows(&flat);
    const walk k = WALK(flat.spec.k, flat.spec.n_k, a);
    return k.n > 0 && k.step[k.n - 1] * p->bytes * p->parts >= LOOP_ALIGN;
}

/* Do the lines of ROWS rows of A fall into few sets of the first-level cache? */
static bool is_crowded(const problem *p, int64_t rows)
{
    problem flat = *p;
    drop_windows(&flat);
    const walk w = WALK(flat.spec.m, flat.spec.n_m, a);
    uint8_t in_set[64] = {0};
    uint8_t most = 0;
    if (p->m < rows)
        rows = p->m;
    for (int64_t r = 0, before = -1; r < rows; r++) {
        const int64_t line = walk_at(&w, r).now * p->bytes * p->parts / LOOP_ALIGN;
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
    join_products(&joined);
    return p->parts == 1 && n.n == 1 && n.step[0] != 1 && (p->b.load || is_plain(p, &p->b)) &&
           joined.products.n == 1 && joined.products.b[0] == 1 && p->m <= most && p->bytes >= 4 &&
           p->lanes <= 16;
}

/* How B is read; it is packed when that is B_PANELS. */
static b_form choose_b(const problem *p, const machine *m, int64_t rows, bool is_stage)
{
    const contract_spec *s = &p->spec;
    const walk n = WALK(s->n, s->n_n, b), k = WALK(s->k, s->n_k, b);
    const int64_t times = (p->m + rows - 1) / rows; /* that B is read */
    if (has_strips(p) && times == 1)
        return B_ROWS;
    if ((!is_plain(p, &p->b) && times > 1) || p->parts == 2 || n.n > 1)
        return B_PANELS;
    if (n.n == 0 || n.step[0] == 1) {
        if (s->b_is_constant && (times > 1 || is_read_once(p)))
            return B_PANELS;
        int64_t reach = k.n ? (k.extent[k.n - 1] * k.step[k.n - 1]) * p->bytes : 0;
        if (has_any_order(p)) /* other sizes reach further */
            reach = INT64_MAX;
        /* A stage reads all columns of a block before the next rows. */
        const bool is_dense = is_stage && k.n == 1 && k.step[0] == p->n;
        return times < FEW_ROWS || is_dense || (reach <= 64 << 10 && reach >= 0) ? B_ROWS
                                                                                 : B_PANELS;
    }
    return may_read_columns(p, m) && !s->b_is_constant ? B_COLUMNS : B_PANELS;
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

/* Vectors of columns that are read in place, one square at a time in registers: with a single row
 * of A one chain would wait for itself. Columns a multiple of PAGE apart share one set of the
 * first-level cache, which more than MOST_IN_SET evict. */
static uint32_t squares_of(const problem *p)
{
    enum { PAGE = 4096, MOST_IN_SET = 16, TWO = 2 };
    const walk n = WALK(p->spec.n, p->spec.n_n, b);
    const bool is_crowded = n.step[0] * p->bytes % PAGE == 0 && TWO * p->lanes > MOST_IN_SET;
    return p->m == 1 && p->n > p->lanes && !is_crowded && p->spec.wanted.vectors != 1 ? TWO : 1;
}

/* Do the rows that panels meet stay in the second-level cache beside one of them? */
static bool are_rows_near(const problem *p, const machine *m, uint64_t packed_a_bytes)
{
    const double rows = packed_a_bytes
                            ? (double)packed_a_bytes / (double)p->batch
                            : (double)p->m * (double)p->k * (double)(p->bytes * p->parts);
    return rows <= m->l2 / 2 && panel_bytes(p) <= m->l2 / 2;
}

/* Is each panel packed just before it is used? Not where panels would be packed repeatedly, or
 * where few items would be left; and only if the rows that are multiplied by it stay in the cache.
 */
static bool packs_inside(const problem *p, const machine *m, uint64_t packed_a_bytes)
{
    if (has_any_order(p) || is_any_dynamic(p->spec.m, p->spec.n_m))
        return false;
    if (p->spec.wanted.right == RIGHT_PANELS)
        return false;
    if (p->spec.wanted.right == RIGHT_INSIDE && panel_bytes(p) <= MOST_INSIDE)
        return true;
    const double flops = 2.0 * (double)p->batch * (double)p->m * (double)p->n * (double)p->k;
    return !p->spec.b_is_constant && are_rows_near(p, m, packed_a_bytes) &&
           (p->batch * p->panels >= ENOUGH_PANELS || flops < SMALL);
}

/* Where all of B stays in the cache, each block of rows is multiplied by all panels. Otherwise each
 * panel is multiplied by a group of row blocks that stays in the cache. */
static void choose_order(problem *p, const machine *m)
{
    const int64_t blocks = p->is_dynamic ? INT64_MAX : p->outer * p->split;
    const double panel = (double)panel_bytes(p), half = m->l2 / 2;
    const double height = p->is_dynamic ? (double)most_rows(p) : (double)p->m / (double)blocks;
    const double rows = height * (double)p->k * (double)(p->bytes * p->parts);
    p->group = 1;
    if (p->spec.wanted.group > 0)
        p->group = p->spec.wanted.group < blocks ? p->spec.wanted.group : blocks;
    else if (panel * (double)p->panels > half && rows > 0)
        p->group = half / rows < 1                ? 1
                   : half / rows > (double)blocks ? blocks
                                                  : (int64_t)(half / rows);
}

static uint64_t times3(int64_t a, int64_t b, int64_t c)
{
    return (uint64_t)a * (uint64_t)b * (uint64_t)c;
}

/* Code for any number of columns, or of products, is made where B is in panels, or read in place
 * for any number of products; where nothing else in the code depends on these. */
static void choose_dynamic(problem *p)
{
    p->has_dynamic_n = p->has_dynamic_n && p->b_form == B_PANELS && p->unpacked.n.n == 1 &&
                       p->c_n.n <= 1 && p->lanes > 1;
    p->has_dynamic_k = p->has_dynamic_k && p->b_form != B_COLUMNS && p->products.n == 1;
}

/* Does all of A stay in the second-level cache, in place, so that panels of all products meet it,
 * one after the other? While that happens the next one is fetched; tiles wait for what they pack or
 * read. With dynamic rows other sizes could be answered otherwise, and need code of their own. */
static bool prefers_panels(const problem *p, const machine *m, int64_t rows, const walk *a_k)
{
    return a_k->step[0] == 1 && !is_any_dynamic(p->spec.m, p->spec.n_m) &&
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

/* Is B, though there are too many rows to read it once from memory as blocks of rows do, better
 * swept? */
static bool prefers_sweep(const problem *p, bool is_stage)
{
    const contract_spec *s = &p->spec;
    if (is_stage || s->b_is_constant || p->has_pairs || s->wanted.right != RIGHT_ANY ||
        s->wanted.left != LEFT_ANY || p->m <= FEW_ROWS || has_any_order(p) ||
        is_any_dynamic(s->m, s->n_m) || !may_read_rows(p))
        return false;
    problem whole = *p;
    drop_windows(&whole);
    join_products(&whole);
    whole.b_form = B_ROWS;
    whole.b_n = WALK(s->n, s->n_n, b);
    return contract_can_sweep(&whole);
}

static bool pack_a(problem *p, bool writes_rows, arena *memory, contract_plan *plan,
                   const char **fault)
{
    if (p->k == 0)
        return true;
    contract_step *step = &plan->steps[plan->n_steps++];
    return (writes_rows ? contract_write_rows : contract_pack_a)(p, memory, step,
                                                                 &plan->packed_a_bytes, fault);
}

/* The schedule without the cut of rows into blocks; packing programs become steps of PLAN. *ROWS:
 * how many rows of a block stay in registers. */
static bool schedule(problem *p, const machine *m, bool is_stage, arena *memory,
                     contract_plan *plan, int64_t *rows, const char **fault)
{
    contract_spec *s = &p->spec;
    const walk c_n = WALK(s->n, s->n_n, c);
    if (c_n.n > 1)
        p->lanes = 1; /* a vector would leave its row of C */
    *rows = choose_block(p, m);
    p->panels = (p->n + columns_of(p) - 1) / columns_of(p);

    const bool sweeps = prefers_sweep(p, is_stage);
    const contract_left left = s->a_in_scratch ? LEFT_IN_PLACE : s->wanted.left;
    const bool writes_rows = !is_stage && left != LEFT_IN_PLACE && contract_wants_rows(p);
    const bool is_packed =
        writes_rows || has_border(p) || !is_plain(p, &p->a) || left == LEFT_PACKED;
    if (is_packed && !pack_a(p, writes_rows, memory, plan, fault))
        return false;
    const walk a_m = WALK(s->m, s->n_m, a), a_k = WALK(s->k, s->n_k, a);
    p->is_tiled =
        !is_stage && !sweeps && s->n_windows == 0 && p->k > 0 && is_tiled(p, m, *rows, &a_m, &a_k);
    const bool packs_rows = p->is_tiled && a_k.step[0] != 1; /* of A, in each tile */
    const bool may_crowd =
        !sweeps && !is_packed && p->m >= FEW_ROWS && !s->a_in_scratch && !packs_rows;
    const bool crowds = may_crowd && is_crowded(p, *rows);
    if ((crowds || (may_crowd && is_scattered(p))) && left == LEFT_ANY &&
        p->panels >= MANY_PANELS) {
        if (!pack_a(p, false, memory, plan, fault))
            return false;
    } else if (crowds && !p->is_tiled && s->wanted.rows == 0 && *rows > CROWDED_ROWS &&
               p->nv * CROWDED_ROWS >= FEW_CHAINS) {
        *rows = CROWDED_ROWS;
    }
    drop_windows(p);
    if (packs_rows)
        contract_tile_a(p, *rows);
    /* The steps of A are final now, and say which axes of K can be one. */
    p->b_form = p->is_tiled ? B_PANELS : sweeps ? B_ROWS : find_b(p, m, *rows, is_stage);
    if (p->b_form == B_COLUMNS)
        p->nv = squares_of(p);
    p->panels = (p->n + columns_of(p) - 1) / columns_of(p);
    p->c_n = c_n;
    if (p->b_form == B_PANELS && p->k > 0)
        contract_use_panels(p);
    join_products(p);
    choose_dynamic(p);
    if (p->b_form == B_PANELS && p->k > 0) {
        p->packs_inside = !is_stage && !p->is_tiled && packs_inside(p, m, plan->packed_a_bytes);
        const bool packs_before = p->is_tiled ? s->b_is_constant : !p->packs_inside;
        if (packs_before && !contract_pack_b(p, memory, &plan->steps[plan->n_steps++],
                                             &plan->packed_b_bytes, fault))
            return false;
    }

    p->a_batch = WALK(s->batch, s->n_batch, a);
    p->a_m = WALK(s->m, s->n_m, a);
    p->b_batch = WALK(s->batch, s->n_batch, b);
    p->b_n = WALK(s->n, s->n_n, b);
    p->c_batch = WALK(s->batch, s->n_batch, c);
    p->c_m = WALK(s->m, s->n_m, c);
    return true;
}

/* What was chosen, by hand or here. */
static contract_schedule chosen(const problem *p, bool sweeps, int64_t group)
{
    static const contract_right rights[] = {
        [B_PANELS] = RIGHT_PANELS, [B_ROWS] = RIGHT_ROWS, [B_COLUMNS] = RIGHT_COLUMNS};
    const int64_t rows = most_rows(p);
    return (contract_schedule){.rows = rows,
                               .vectors = p->nv,
                               .unroll = contract_unroll(p, (uint32_t)rows, p->nv),
                               .group = group,
                               .left =
                                   p->a.buffer == CONTRACT_PACKED_A ? LEFT_PACKED : LEFT_IN_PLACE,
                               .right = p->is_tiled       ? RIGHT_TILES
                                        : sweeps          ? RIGHT_SWEPT
                                        : p->packs_inside ? RIGHT_INSIDE
                                                          : rights[p->b_form],
                               .products = p->has_quads   ? PRODUCTS_QUADS
                                           : p->has_pairs ? PRODUCTS_PAIRS
                                                          : PRODUCTS_ANY};
}

static bool is_swept(const problem *p)
{
    const contract_right wanted = p->spec.wanted.right;
    return wanted == RIGHT_SWEPT ? contract_may_sweep(p) && !has_any_order(p)
                                 : wanted == RIGHT_ANY && contract_can_sweep(p);
}

contract_schedule contract_stage_schedule(const contract_stage *s, int64_t group)
{
    return chosen(&s->p, false, group);
}

static bool build(problem *p, const machine *m, arena *memory, contract_plan *plan,
                  const char **fault)
{
    const contract_spec *s = &p->spec;
    int64_t rows;
    contract_choose_pairs(p, m);
    if (!schedule(p, m, false, memory, plan, &rows, fault))
        return false;
    contract_split_rows(p, rows);
    if (p->is_tiled)
        contract_choose_tiles(p, m);
    else
        choose_order(p, m);

    const uint64_t results = times3(p->batch, p->m, p->n);
    const bool sweeps = is_swept(p);
    const int64_t blocks = p->is_tiled       ? contract_tile_count(p)
                           : sweeps          ? contract_sweep_tiles(p)
                           : p->packs_inside ? p->panels
                                             : p->outer * p->split * p->panels;
    contract_step *step = &plan->steps[plan->n_steps++];
    *step = (contract_step){.role = CONTRACT_MULTIPLIES,
                            .program = (p->is_tiled ? contract_tiles
                                        : sweeps    ? contract_sweep
                                                    : contract_multiply)(p, memory, fault),
                            .work = p->batch * blocks,
                            .flops = (p->has_quads   ? 8
                                      : p->has_pairs ? 4
                                                     : 2) *
                                     results * (uint64_t)p->k,
                            .bytes = results * dtype_bytes(s->c) +
                                     times3(p->batch, p->m, p->k) * (uint64_t)(p->bytes) +
                                     times3(p->batch, p->n, p->k) * (uint64_t)(p->bytes)};
    const uint64_t read = is_read_once(p) ? FAST * step->bytes : 0;
    const uint64_t an_item = (read > step->flops ? read : step->flops) / (uint64_t)step->work;
    step->grain = 1 + (int64_t)((1 << 19) / (an_item + 1));
    plan->schedule = chosen(p, sweeps, p->is_tiled ? p->tiles.blocks : p->group);
    plan->how = p->has_quads            ? "B in panels, products in fours"
                : p->has_pairs          ? "B in panels, products in pairs"
                : p->is_tiled           ? "tiles"
                : sweeps                ? "B swept in place"
                : p->b_form == B_PANELS ? "B in panels"
                : p->b_form == B_ROWS   ? "B in place"
                                        : "B transposed";
    return step->program != NULL;
}

static bool build_directly(const contract_spec *s, const machine *on, arena *memory,
                           contract_plan *plan, const char **fault)
{
    int64_t batch, m, n, k, all;
    if (!count_axes(s->batch, s->n_batch, &batch) || !count_axes(s->m, s->n_m, &m) ||
        !count_axes(s->n, s->n_n, &n) || !count_axes(s->k, s->n_k, &k) ||
        !product_i64((const int64_t[]){batch, m, n}, 3, &all))
        return false;
    if (all == 0)
        return true;
    contract_step *step = &plan->steps[plan->n_steps++];
    *step = (contract_step){.role = CONTRACT_MULTIPLIES};
    step->program = contract_direct(s, on, memory, &step->work, fault);
    if (!step->program)
        return false;
    step->flops = 2 * times3(batch, m, n) * (uint64_t)k;
    step->bytes = times3(batch, m, n) * (dtype_bytes(s->c) + dtype_bytes(s->a));
    step->grain = 1 + (int64_t)((1 << 19) / (step->flops / (uint64_t)step->work + 1));
    plan->how = "directly";
    return true;
}

/* As dots of rows. P has its axes as they are. */
static bool build_dots(problem *p, arena *memory, contract_plan *plan, const char **fault)
{
    const contract_spec *s = &p->spec;
    contract_step *step = &plan->steps[plan->n_steps++];
    p->a_batch = WALK(s->batch, s->n_batch, a);
    p->b_batch = WALK(s->batch, s->n_batch, b);
    p->c_batch = WALK(s->batch, s->n_batch, c);
    p->a_m = WALK(s->m, s->n_m, a);
    p->c_m = WALK(s->m, s->n_m, c);
    walk_init(&p->c_n);
    const uint64_t products = times3(p->batch, p->m, p->k);
    *step = (contract_step){.role = CONTRACT_MULTIPLIES,
                            .flops = 2 * products,
                            .bytes = products * (dtype_bytes(s->a) + dtype_bytes(s->b))};
    step->program = contract_dots(p, memory, &step->work, fault);
    if (!step->program)
        return false;
    step->grain = 1 + (int64_t)((1 << 19) / (FAST * step->flops / (uint64_t)step->work + 1));
    plan->how = "dots of rows";
    return true;
}

bool contract_build(const contract_spec *spec, const machine *on, arena *memory,
                    contract_plan *plan, const char **fault)
{
    problem *p = ARENA_NEW(memory, problem);
    const bool is_dots = contract_is_dots(spec, on);
    *plan = (contract_plan){.how = "nothing to do"};
    *fault = NULL;
    if (contract_is_direct(spec, on))
        return build_directly(spec, on, memory, plan, fault);
    if (!p || !problem_init(p, spec, on))
        return false;
    if (p->batch == 0 || p->m == 0 || p->n == 0)
        return true;
    if (is_dots && p->k > 0 && p->lanes > 1)
        return build_dots(p, memory, plan, fault);
    return build(p, on, memory, plan, fault);
}

const char *contract_how(const contract_plan *plan, uint32_t i)
{
    switch (plan->steps[i].role) {
    case CONTRACT_PACKS_A:
        return "A into panels";
    case CONTRACT_PACKS_B:
        return plan->steps[i].is_once ? "B into panels, once" : "B into panels";
    case CONTRACT_MULTIPLIES:
        break;
    }
    return plan->how;
}

/* ---- as a part of a larger program ---- */

contract_stage *contract_stage_new(const contract_spec *spec, const machine *on, arena *memory,
                                   contract_plan *plan, const char **fault)
{
    contract_stage *s = ARENA_NEW(memory, contract_stage);
    *plan = (contract_plan){.how = "blocks of rows"};
    *fault = NULL;
    if (!s || !problem_init(&s->p, spec, on) || s->p.spec.is_transposed ||
        !schedule(&s->p, on, true, memory, plan, &s->rows, fault))
        return NULL;
    /* Values that other stages keep in registers are live in the blocks, too: leave room for some,
     * or sums are spilled. */
    enum { MANY_ROWS = 6, SPARE = 6 };
    const int64_t room = ((int64_t)on->registers - SPARE) / s->p.parts;
    if (s->rows >= MANY_ROWS && s->rows * s->p.nv > room)
        s->rows--;
    if (s->p.spec.a_in_scratch && s->p.a.buffer != CONTRACT_A)
        return NULL; /* an operand that is made while the program runs cannot be packed before */
    return s;
}

void contract_stage_split(contract_stage *s, int64_t rows)
{
    contract_split_rows(&s->p, rows < s->rows ? rows : s->rows);
}

void contract_stage_split_like(contract_stage *s, const contract_stage *other)
{
    const problem *from = &other->p;
    s->p.outer = from->outer;
    s->p.split = from->split;
    s->p.base = from->base;
    s->p.longer = from->longer;
    s->p.has_one_height = from->has_one_height && !s->p.spec.a_in_scratch;
    s->p.unit = from->unit;
    s->p.is_dynamic = from->is_dynamic;
    s->p.least = from->least;
    s->p.most = from->most;
}
