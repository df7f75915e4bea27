/* What the files that make nests of reductions share. */
#ifndef LOOP_NEST_ROWS_PARTS_H
#define LOOP_NEST_ROWS_PARTS_H

#include "eval/parts/fold.h"
#include "loop/nest/nest.h"

typedef struct reduction {
    const node *n;
    fold_kind kind;
    tn_dtype in, sum, out;
    tn_dtype keyed; /* extrema of this float are formed of keys, of dtype `sum`; TN_I1: not */
    value_id x;     /* what is added up: the operand of `n`, or what a cast makes that of */
    tn_dtype lane;  /* in which a lane of a block is formed, and ... */
    tn_dtype block; /* ... the lanes combine: where few bits suffice they are fewer than in `sum` */
    uint32_t pass;
    element acc;         /* a variable, of one lane of the law for each vector lane */
    loop_value nans;     /* a variable: ones where a NaN was met that wins; of plain extrema */
    loop_value lanes;    /* column mode: SUM_LANES vectors, or strips, in scratch memory */
    loop_value partials; /* one value, vector or strip for each block, in scratch memory */
} reduction;

/* Elements of a row, one after the other. */
typedef struct row_part {
    loop_value first; /* i64 */
    int64_t count;
    loop_value n; /* i64: how many when the program runs; LOOP_NO_VALUE: COUNT is known */
} row_part;

typedef struct rows {
    emitter e;
    const kernel *k;
    int64_t length;        /* of a row */
    bool is_dynamic;       /* the length is known when the program runs: `length` is that of now */
    uint32_t axis;         /* the reduced one, the last */
    bool columns;          /* vectors lie across rows, along the last kept axis */
    int64_t strip;         /* column mode: the number of vectors in a strip, ... */
    loop_value strip_size; /* ... where there is any number of columns, else LOOP_NO_VALUE */
    reduction r[KERNEL_REDUCTIONS];
    uint32_t n, passes;
    bool has_mask_registers; /* longer vectors of truth values are good */
    bool is_any_order;       /* column mode: extrema of strips of columns, by rows_any_order.c */
    bool is_plain;           /* the extrema that are being made may get the sign of a zero wrong */
    uint32_t stored;         /* mask over e.kept: values that the current pass stores */
    /* By position in k->nodes: 1 + the pass that its value waits for; 0: unknown. */
    uint8_t *levels;
    /* The same: the passes that compute it (rows_passes_with). */
    uint32_t *computed;
    loop_value out[KERNEL_OUTPUTS];
    bool is_sequential; /* not pipelined */
    bool in_scratch;    /* a stage: the only output is the row at out[0] in scratch memory */
    bool is_lent;       /* a stage: what is kept from pass to pass lies where that says */
    bool is_costly;     /* functions of many instructions are computed */
    bool stores_early;  /* column mode: results that wait for no reduction are all that there is
                           besides those of one element a row, and are stored as operands of the
                           only pass are computed */
} rows;

static inline bool rows_reduces(const node *n)
{
    return (op_table[n->op].traits & T_REDUCES) != 0;
}

/* Everything of the row where the emitter stands. */
void rows_emit_row(rows *s);
/* The same in parts: a pass, after which RESULTS has those of its reductions, by their numbers, and
 * they are known; what is stored when all are. */
void rows_emit_pass(rows *s, uint32_t pass, element *results);
void rows_emit_stores(rows *s);
/* How many lanes vectors have along the row. */
uint32_t rows_lanes(const rows *s);
/* A number that depends on the length, under one of these names (loop_size). */
enum { ROWS_LENGTH = 1, ROWS_BLOCKS, ROWS_ALL_BLOCKS, ROWS_LEVELS }; /* BLOCKS: before the last */
loop_value rows_size(const rows *s, uint32_t name, int64_t value);
/* The whole row, block number BLOCK (i64), which is not the last one, and the last one. */
row_part rows_all(const rows *s);
row_part rows_block(const rows *s, loop_value block);
row_part rows_last_block(const rows *s);
/* The elements of PART that are whole vectors of LANES, from the first to before the one that is
 * returned; *REST: how many follow, LOOP_NO_VALUE if there are none. */
loop_value rows_whole(const rows *s, const row_part *part, uint32_t lanes, loop_value *rest);
/* The REST of PART, which may be empty when the program runs, is worked on between these. */
void rows_open_rest(rows *s, const row_part *part, loop_value rest);
void rows_close_rest(rows *s, const row_part *part);
/* Scratch memory for what a row needs. */
void rows_make_room(rows *s);

/* Finds the reductions and their passes; false when there are too many. */
bool rows_find_passes(rows *s);
/* Bytes of the widest elements that are read. */
size_t rows_widest(const rows *s);
/* From now on the blocks of sums of short integers are formed with few bits; not in columns. */
void rows_use_short_lanes(rows *s);
/* A result of one element a row. */
static inline bool rows_is_row_value(const rows *s, const kernel_output *out)
{
    return !((access_axes(out->from) | access_axes(out->to)) >> s->axis & 1);
}
/* Is all that is read and written fewer than BYTES, whatever the sizes? */
bool rows_are_within(const rows *s, uint64_t bytes);
/* Is PASS bound by memory? (Where later passes compute on rows that are already in the cache, the
 * hardware prefetcher has time for the next ones.) */
bool rows_runs_ahead(const rows *s, uint32_t pass);
/* Can results of an element for each position be stored in the first pass? */
bool rows_can_store_early(const rows *s);
/* Decides what is kept from pass to pass, and makes room for it, unless that is lent. */
void rows_plan_kept(rows *s);
void rows_keep_room(rows *s);
/* The passes in which node NODE_INDEX is computed: bit 0 for the stores at the end, then one for
 * each pass. */
uint32_t rows_passes_with(const rows *s, uint32_t node_index);
/* Store the values of the current pass that a later pass needs. */
void rows_keep(rows *s);

/* The operand of R where the emitter stands, in all lanes, as R adds it up. */
element rows_operand(rows *s, const reduction *r);
/* From now on R, if it is an extremum of floats, works with element_fold_key. */
void rows_use_keys(reduction *r);
/* ACC combined with X. */
element rows_join(rows *s, const reduction *r, element acc, element x);
/* The identity of R, with which it starts. */
element rows_identity(rows *s, const reduction *r, uint32_t lanes);
/* Compute what the operands of PASS need before its loops. */
void rows_hoist_operands(rows *s, uint32_t pass);
/* The elements of PART, at most a block, to one of PASS's. */
void rows_reduce_block(rows *s, uint32_t pass, const row_part *part, element *results);
/* The same with vectors across rows. */
void rows_reduce_column_block(rows *s, uint32_t pass, const row_part *part, element *results);
/* May vectors of columns be reduced together: are rows long, is there one pass, and are all results
 * of one element a row, or stored early? How many are, of WIDTH columns in vectors of LANES. */
bool rows_have_strips(const rows *s);
int64_t rows_strip(const rows *s, int64_t width, int64_t lanes);
int64_t rows_most_strip(const rows *s); /* of any number of columns */
/* FULL vectors of columns, at most those of a strip, from column number LOW on, each no further
 * than LAST, unless this is LOOP_NO_VALUE. */
typedef struct rows_columns {
    loop_value low, full, last;
} rows_columns;
/* These columns and their results. STORE stores what is known of one vector. */
void rows_reduce_strip(rows *s, const rows_columns *c, void (*store)(rows *s));
/* Columns of one long matrix may have the blocks of the law as items: then a strip is wide, so that
 * memory is read in long streams. Sets the number of its vectors, and returns how many strips there
 * are; the columns of strip NUMBER (i64). Its BLOCK (i64) to the place of that in r->partials; what
 * these come to. */
bool rows_may_split_strips(const rows *s);
int64_t rows_wide_strips(rows *s);
rows_columns rows_wide_strip(const rows *s, loop_value number);
void rows_reduce_strip_block(rows *s, const rows_columns *c, loop_value block);
void rows_finish_strip(rows *s, const rows_columns *c, void (*store)(rows *s));
/* TIMES as many as a strip has vectors; the emitter moves to vector V of C. */
loop_value rows_of_strip(const rows *s, int64_t times);
void rows_move_to(rows *s, const rows_columns *c, loop_value v);
/* The same where all are extrema, in any order: whether that may be; how many strips each keeps in
 * scratch memory; PART of the columns C, and what R came to in vector V of them. */
bool rows_may_be_any_order(const rows *s);
bool rows_notes_nans(const rows *s); /* beside the extrema, in as many registers */
uint64_t rows_any_order_places(void);
void rows_reduce_any_order(rows *s, const rows_columns *c, const row_part *part);
element rows_any_order_result(rows *s, const reduction *r, loop_value v);
/* Extrema are the same in any order: those of PART, which may be longer than a block. */
bool rows_are_extrema(const rows *s, uint32_t pass);
void rows_reduce_extrema(rows *s, uint32_t pass, const row_part *part, element *results);

/* Plain RESULTS of PART again, exactly, when one is 0, whose sign may be wrong. */
void rows_mend_extrema(rows *s, uint32_t pass, const row_part *part, element *results);

/* The blocks of a matrix of COLUMNS columns, over which S walks as one line: their results. */
int64_t rows_emit_narrow(rows *s, int64_t columns);

/* Elements where the emitter stands join the accumulators of PASS; the lanes of one, by halving. */
void rows_join_vector(rows *s, uint32_t pass);
/* The accumulators of R for a row or a block, and what their lanes come to. */
void rows_start(rows *s, reduction *r);
element rows_total(rows *s, const reduction *r);
/* The results: what can be computed before they are stored (whether there are any but those of one
 * element a row), a vector of them where the emitter stands, those of one element. */
bool rows_hoist_results(rows *s);
void rows_store_vector(rows *s, bool nontemporal);
void rows_store_row_values(rows *s);

/* Whether vectors lie across rows, how long they are, and what follows from that. */
void rows_choose_vectors(rows *s);
/* Bytes of what R keeps for a row, or for a STRIP of vectors of columns. */
uint64_t rows_slot_bytes(const rows *s, const reduction *r, int64_t strip);
/* How many such there are beside those of blocks: the lanes of the law, or what extrema need. */
uint64_t rows_places(const rows *s);
/* Step by step of the nest OUT: the buffers of its program, and the program of ITEMS work items,
 * EACH of so many cheap operations, which people know as HOW. */
void rows_open_buffers(rows *s);
void rows_add_step(rows *s, nest *out, int64_t items, uint64_t each, const char *how);
/* Does K compute functions of many instructions? */
bool rows_are_costly(const function *f, const kernel *k);

/* ---- rows_split.c ---- */

/* The blocks of long rows, each an item, their results to a temporary; the same for a matrix of few
 * COLUMNS, which is walked over as one line; and the results of rows from that temporary. */
bool rows_split_blocks(rows *s, nest *out);
bool rows_split_columns(rows *s, nest *out, int64_t columns);
bool rows_split_results(rows *s, nest *out);
/* The blocks of wide strips of columns, each an item, and the results of these. For S as it is
 * after rows_choose_vectors. */
bool rows_split_strips(rows *s, nest *out);
bool rows_split_strip_results(rows *s, nest *out);

/* ---- rows_streams.c ---- */

/* Are rows, or blocks of long ones, so many that reading them takes most of the time? Then four are
 * read in turn. One function reduces and stores rows, the other the whole blocks of the only
 * reduction, of BLOCKS each row (i64), to its partials. Both begin with number BEGIN and return the
 * first one before END that is left, because there are not four more. */
bool rows_may_be_streams(const rows *s);
loop_value rows_emit_streams(rows *s, loop_value begin, loop_value end);
loop_value rows_emit_block_streams(rows *s, loop_value begin, loop_value end, loop_value blocks);

/* Software pipelining: ITEMS rows of S, from BEGIN to END; and the fewest rows that are worth a
 * call. */
bool rows_can_pipeline(const rows *s, int64_t items);
void rows_emit_pipeline(rows *s, loop_value begin, loop_value end);
int64_t rows_pipeline_grain(int64_t grain);

/* Scratch memory: element, or vector, number INDEX of those at BASE. */
loop_value rows_slot(rows *s, const reduction *r, loop_value base, loop_value index);
element rows_load_slot(rows *s, const reduction *r, loop_value base, loop_value index);
void rows_store_slot(rows *s, const reduction *r, loop_value base, loop_value index, element x);

/* The blocks of a row: how many, their results to scratch memory and from there to one, and what
 * comes after the last element. */
int64_t rows_blocks(const rows *s);
loop_value rows_all_blocks(const rows *s);
sized rows_sized_blocks(const rows *s);
/* The levels on which any number of blocks combine, one iteration each: N blocks become HALF ones,
 * and where they are odd, between OPEN_ODD and CLOSE, the LAST moves behind them. */
typedef struct rows_level {
    loop_value left, n, half, above, last;
} rows_level;
rows_level rows_open_level(rows *s);
void rows_open_odd(rows *s, rows_level *l);
void rows_close_level(rows *s, const rows_level *l);
/* Is there one block, whatever the length? */
static inline bool rows_are_one_block(const rows *s)
{
    return !s->is_dynamic && rows_blocks(s) == 1;
}
void rows_store_partials(rows *s, uint32_t pass, loop_value block, const element *results);
element rows_combine_blocks(rows *s, const reduction *r);
element rows_finish(rows *s, const reduction *r, element x);

#endif
