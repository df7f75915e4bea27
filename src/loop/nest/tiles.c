/* Nests of kernels that read along one axis and write along another: square tiles are transposed in
 * registers, so that both sides move whole vectors (J. O. Eklundh, "A fast computer method for
 * matrix transposing", 1972). Records of a few contiguous fields, whose fields become rows, have
 * tiles of as many rows as fields, whose vectors are loaded contiguously. */
#include "loop/nest/map.h"

enum {
    MOST_SIDE = 32,
    MOST_TRANSPOSED = 4, /* reads that are transposed in one kernel */
    BAND = 64,           /* columns of one work item */
    STRETCH = 1024,      /* and its rows */
    FEW_NODES = 4,       /* a kernel of so few nodes is unrolled for each row of a tile */
};

typedef struct tiles {
    emitter e;
    const kernel *k;
    uint32_t across, last; /* the axes of a tile: reads go along the first, writes along the last */
    uint32_t side, rows;   /* columns and rows of a tile: as many, or as there are fields */
    emit_read transposed[MOST_TRANSPOSED];
    uint32_t n_transposed;
    loop_value kept[MOST_TRANSPOSED]; /* tiles in scratch memory */
    loop_value buffers[KERNEL_OUTPUTS];
    bool is_possible;
    bool has_records; /* the rows of a tile are the fields of records */
} tiles;

/* How many fields the records have that a read of STRIDES goes along; 0: that is not what it does.
 */
static uint32_t fields_of(const tiles *t, uint32_t axis, const int64_t *strides)
{
    enum { FEWEST = 5, MOST = 15 }; /* fewer are taken out of whole vectors (emit_memory.c) */
    const int64_t n = t->k->dims[axis];
    return strides[axis] == 1 && strides[t->last] == n && n >= FEWEST && n <= MOST &&
                   !nest_is_dynamic(t->k, axis)
               ? (uint32_t)n
               : 0;
}

static void find_turned(void *user, const access_expr *expr, const emit_read *read)
{
    tiles *t = user;
    int64_t constant, strides[TN_MAX_RANK] = {0};
    if (!read || read->v == NO_VALUE || read->is_by_data || read->map->n_guards > 0 ||
        dtype_is_complex(read->dtype) || !access_strides(expr, t->k->rank, &constant, strides) ||
        strides[t->last] == 0 || strides[t->last] == 1)
        return;
    uint32_t axis = 0;
    while (axis < t->last && strides[axis] != 1 && strides[axis] != -1)
        axis++;
    const uint32_t bytes = (uint32_t)dtype_bytes(read->dtype);
    const tn_dtype held = emit_dtype(&t->e, read->dtype);
    const bool is_short = bytes <= 2 && dtype_is_int(held) && !dtype_is_bool(held) &&
                          t->k->dims[axis] >= MOST_SIDE && t->k->dims[t->last] >= MOST_SIDE;
    const uint32_t side = bytes == 8 ? 8 : is_short ? MOST_SIDE : 16;
    const uint32_t fields = axis == t->last ? 0 : fields_of(t, axis, strides);
    const uint32_t rows = fields ? fields : side;
    if (axis == t->last ||
        (t->n_transposed > 0 &&
         (axis != t->across || side != t->side || (fields > 0) != t->has_records)) ||
        t->n_transposed == MOST_TRANSPOSED) {
        t->is_possible = t->is_possible && axis == t->last; /* one such read is gathered */
        return;
    }
    t->across = axis;
    t->side = side;
    t->rows = rows;
    t->has_records = fields > 0;
    t->transposed[t->n_transposed++] = *read;
}

void nest_transpose(loop_builder *b, element *x, uint32_t side)
{
    for (uint32_t d = side / 2; d > 0; d /= 2)
        for (uint32_t i = 0; i < side; i++) {
            uint8_t low[LOOP_MAX_LANES], high[LOOP_MAX_LANES];
            if (i & d)
                continue;
            for (uint32_t l = 0; l < side; l++) {
                low[l] = (uint8_t)(l & d ? side + l - d : l);
                high[l] = (uint8_t)(l & d ? side + l : l + d);
            }
            const element p = x[i], q = x[i + d];
            x[i] = element_shuffle(b, p, q, low, side);
            x[i + d] = element_shuffle(b, p, q, high, side);
        }
}

static void load_transposed(tiles *t, const emit_read *read, loop_value column, element *x)
{
    emitter *e = &t->e;
    if (t->has_records) { /* whole ones, in the order of memory */
        element vectors[MOST_SIDE];
        e->at[t->last] = column;
        for (uint32_t i = 0; i < t->rows; i++) {
            e->at[t->across] = loop_i64(e->b, (int64_t)i * t->side);
            vectors[i] = emit_load_along(e, read, t->across, t->side);
        }
        for (uint32_t i = 0; i < t->rows; i++)
            x[i] = map_unwoven(e->b, vectors, t->rows, i, t->side);
        return;
    }
    for (uint32_t i = 0; i < t->side; i++) {
        e->at[t->last] = loop_binary(e->b, LOOP_IADD, column, loop_i64(e->b, i));
        x[i] = emit_load_along(e, read, t->across, t->side);
    }
    nest_transpose(e->b, x, t->side);
}

/* The tile at ROW and COLUMN, with every row written out. */
static void small_tile(tiles *t, loop_value row, loop_value column, bool nontemporal)
{
    emitter *e = &t->e;
    element x[MOST_TRANSPOSED][MOST_SIDE];
    e->at[t->across] = row;
    for (uint32_t r = 0; r < t->n_transposed; r++)
        load_transposed(t, &t->transposed[r], column, x[r]);
    e->at[t->last] = column;
    for (uint32_t i = 0; i < t->rows; i++) {
        const uint32_t mark = emit_mark(e);
        e->at[t->across] = loop_binary(e->b, LOOP_IADD, row, loop_i64(e->b, i));
        for (uint32_t r = 0; r < t->n_transposed; r++)
            emit_know(e, t->transposed[r].v, t->transposed[r].map, x[r][i]);
        map_body(e, t->buffers, nontemporal);
        emit_forget(e, mark);
    }
}

/* The same with transposed tiles in memory and a loop over their rows. */
static void large_tile(tiles *t, loop_value row, loop_value column, bool nontemporal)
{
    emitter *e = &t->e;
    loop_builder *b = e->b;
    element x[MOST_SIDE];
    const uint32_t mark = emit_mark(e);
    e->at[t->across] = row;
    for (uint32_t r = 0; r < t->n_transposed; r++) {
        const int64_t bytes = (int64_t)t->side * (int64_t)dtype_bytes(t->transposed[r].dtype);
        load_transposed(t, &t->transposed[r], column, x);
        for (uint32_t i = 0; i < t->rows; i++)
            element_store(b, loop_at(b, t->kept[r], (int64_t)i * bytes), x[i], (uint32_t)bytes);
    }
    e->at[t->last] = column;
    const loop_value i = loop_for(b, loop_i64(b, 0), loop_i64(b, t->rows), 1);
    e->at[t->across] = loop_binary(b, LOOP_IADD, row, i);
    for (uint32_t r = 0; r < t->n_transposed; r++) {
        const tn_dtype d = emit_dtype(e, t->transposed[r].dtype);
        const int64_t bytes = (int64_t)t->side * (int64_t)dtype_bytes(d);
        const loop_value from =
            loop_offset(b, t->kept[r], loop_binary(b, LOOP_IMUL, i, loop_i64(b, bytes)));
        emit_know(e, t->transposed[r].v, t->transposed[r].map,
                  element_load(b, d, from, t->side, (uint32_t)bytes));
    }
    map_body(e, t->buffers, nontemporal);
    loop_end(b);
    emit_forget(e, mark);
}

/* The positions of one work item: rows and columns LOW .. HIGH. */
typedef struct band {
    loop_value row_low, row_high, low, high;
} band;

/* Whole tiles, in the order in which reads are contiguous; writes need no prefetching and may jump.
 */
static void whole_tiles(tiles *t, const band *a, bool nontemporal)
{
    loop_builder *b = t->e.b;
    const loop_value row = loop_for(b, a->row_low, a->row_high, t->rows);
    const loop_value column = loop_for(b, a->low, a->high, t->side);
    const uint32_t mark = emit_mark(&t->e);
    if (t->k->n_nodes <= FEW_NODES)
        small_tile(t, row, column, nontemporal);
    else
        large_tile(t, row, column, nontemporal);
    emit_forget(&t->e, mark);
    loop_end(b);
    loop_end(b);
}

/* The names (loop_size) of the positions in whole tiles, beside those of lines (map.c). */
enum { WHOLE_ROWS = 8, WHOLE_COLUMNS };

/* Tiles, then the columns and the rows that make no whole tile. */
static void emit_band(tiles *t, const band *a)
{
    emitter *e = &t->e;
    loop_builder *b = e->b;
    const int64_t rows = t->k->dims[t->across], columns = t->k->dims[t->last];
    const bool any_rows = nest_is_dynamic(t->k, t->across),
               any_columns = nest_is_dynamic(t->k, t->last);
    const loop_value rows_end = nest_number(b, any_rows, WHOLE_ROWS, rows - rows % t->rows);
    const loop_value end = nest_number(b, any_columns, WHOLE_COLUMNS, columns - columns % t->side);
    const band whole = {a->row_low, loop_min(b, a->row_high, rows_end), a->low,
                        loop_min(b, a->high, end)};
    e->lanes = t->side;
    const loop_value aligned = map_aligned(e, t->buffers);
    for (int nontemporal = aligned != LOOP_NO_VALUE; nontemporal >= 0; nontemporal--) {
        if (nontemporal)
            loop_if(b, aligned);
        whole_tiles(t, &whole, nontemporal);
        if (nontemporal)
            loop_else(b);
    }
    if (aligned != LOOP_NO_VALUE)
        loop_end(b);
    if (any_columns || columns % t->side) {
        loop_if(b, any_columns ? loop_binary(b, LOOP_ILT, whole.high, a->high)
                               : loop_binary(b, LOOP_IEQ, a->high, loop_i64(b, columns)));
        e->at[t->across] = loop_for(b, whole.row_low, whole.row_high, 1);
        map_line(e, whole.high, a->high, t->buffers);
        loop_end(b);
        loop_end(b);
    }
    if (any_rows || rows % t->rows) {
        e->at[t->across] = loop_for(b, whole.row_high, a->row_high, 1);
        map_line(e, a->low, a->high, t->buffers);
        loop_end(b);
    }
}

/* The axes but the two of the tile. */
static void decode(tiles *t, loop_value item)
{
    loop_builder *b = t->e.b;
    for (uint32_t i = t->last; i-- > 0;) {
        const loop_value extent = loop_sized(b, nest_extent(t->k, i));
        if (i == t->across)
            continue;
        t->e.at[i] = loop_binary(b, LOOP_UREM, item, extent);
        item = loop_binary(b, LOOP_UDIV, item, extent);
    }
}

static bool start(tiles *t, loop_builder *b, const function *f, const kernel *k,
                  const nest_options *o, arena *memory)
{
    *t = (tiles){.k = k, .last = k->rank - 1, .is_possible = true};
    loop_init(b, memory);
    if (!emit_init(&t->e, b, f, k, memory))
        return false;
    t->e.rank = k->rank;
    t->e.cached = o->on.cached;
    t->e.vector_axis = t->last;
    for (uint32_t i = 0; i < k->n_out; i++)
        if (!emit_visit_reads(&t->e, k->out[i].value, k->out[i].from, find_turned, t))
            return false;
    return true;
}

bool nest_of_tiles(const function *f, const kernel *k, const nest_options *o, arena *memory,
                   nest *out, bool *applies)
{
    loop_builder b;
    tiles *t = ARENA_NEW(memory, tiles);
    *applies = false;
    if (k->rank < 2 || k->n_out > KERNEL_OUTPUTS)
        return true;
    if (!t || !start(t, &b, f, k, o, memory))
        return false;
    *applies = t->is_possible && t->n_transposed > 0 && k->dims[t->across] >= t->rows &&
               k->dims[t->last] >= t->side;
    if (!*applies)
        return true;
    int64_t outer = 1;
    for (uint32_t i = 0; i < t->last; i++)
        outer *= i == t->across ? 1 : k->dims[i];
    const int64_t rows = k->dims[t->across];
    const sized bands = nest_parts(nest_extent(k, t->last), BAND),
                stretches = nest_parts(nest_extent(k, t->across), STRETCH);
    for (uint32_t i = 0; i < k->n_out; i++)
        t->buffers[i] = loop_buffer(&b, emit_output_buffer(k, i));
    for (uint32_t r = 0; r < t->n_transposed && k->n_nodes > FEW_NODES; r++)
        t->kept[r] =
            loop_scratch(&b, (uint64_t)t->rows * t->side * dtype_bytes(t->transposed[r].dtype));
    const loop_value item =
        loop_for(&b, loop_param_value(&b, LOOP_BEGIN), loop_param_value(&b, LOOP_END_AT), 1);
    const loop_value of_bands = loop_sized(&b, bands), of_stretches = loop_sized(&b, stretches);
    const loop_value rest = loop_binary(&b, LOOP_UDIV, item, of_bands);
    decode(t, loop_binary(&b, LOOP_UDIV, rest, of_stretches));
    band a;
    nest_part(&b, loop_binary(&b, LOOP_UREM, item, of_bands), BAND, nest_extent(k, t->last), &a.low,
              &a.high);
    nest_part(&b, loop_binary(&b, LOOP_UREM, rest, of_stretches), STRETCH,
              nest_extent(k, t->across), &a.row_low, &a.row_high);
    emit_band(t, &a);
    loop_end(&b);
    const uint64_t each =
        (uint64_t)nest_cost(f, k) * BAND * (uint64_t)(rows < STRETCH ? rows : STRETCH);
    out->steps[0] = (nest_step){.program = t->e.failed ? NULL : loop_finish_or_fault(&b),
                                .work = outer * bands.now * stretches.now,
                                .grain = nest_grain(each),
                                .how = "tiles that are transposed in registers"};
    out->n_steps = 1;
    return out->steps[0].program != NULL;
}
