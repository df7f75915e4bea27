/* Nests of several stages: an item is a few blocks of rows, and each block goes through all stages
 * before the next one. What a stage passes to the next is in scratch memory. */
#include <string.h>

#include "loop/nest/products.h"
#include "loop/nest/rows_stage.h"
#include "ops/law.h"

enum {
    ENOUGH_ITEMS = 16,     /* for the threads */
    MOST_SCRATCH = 1 << 24 /* bytes of an item, where its blocks are chosen by hand */
};

/* One stage. */
typedef struct part {
    const kernel *k;
    uint32_t *numbers; /* of the program's buffers, by those of K; UINT32_MAX: left to the next */
    product product;
    contract_stage *contract; /* NULL: rows */
    rows_stage *rows;
    uint32_t temps; /* CONTRACT: its first temporary */
    /* What it leaves to the next. */
    value_id left;
    int64_t size, pitch; /* bytes of an element, and elements from row to row */
    int64_t pitch_other; /* with other sizes */
    loop_value memory;
} part;

typedef struct stages {
    const function *f;
    const kernel *k;
    uint32_t n;
    part at[KERNEL_STAGES_MOST];
    const part *first; /* the first contraction: its blocks are those of all */
    int64_t group;     /* blocks of an item */
    int64_t items;     /* of a batch */
} stages;

static uint32_t number_of(const value_id *list, uint32_t n, value_id v)
{
    uint32_t i = 0;
    while (i < n && list[i] != v)
        i++;
    return i;
}

/* The program's buffers are those of the whole kernel. */
static bool number_buffers(const kernel *whole, part *p, arena *memory)
{
    const uint32_t own = emit_buffer_count(p->k);
    p->numbers = ARENA_ARRAY(memory, uint32_t, own);
    for (uint32_t i = 0; p->numbers && i < p->k->n_in; i++) {
        const uint32_t n = number_of(whole->in, whole->n_in, p->k->in[i]);
        p->numbers[i] = n < whole->n_in ? n : UINT32_MAX;
    }
    for (uint32_t i = 0; p->numbers && i < p->k->n_out; i++) {
        uint32_t *to = &p->numbers[emit_output_buffer(p->k, i)];
        *to = UINT32_MAX;
        for (uint32_t o = 0; o < whole->n_out && p->left == NO_VALUE; o++)
            if (whole->out[o].into == p->k->out[i].into)
                *to = emit_output_buffer(whole, o);
    }
    return p->numbers != NULL;
}

/* Rows are aligned to cache lines, have room for whole vectors, and are padded so that they do not
 * fall into few sets of a cache. */
static int64_t pitch_of(int64_t length, int64_t size)
{
    const int64_t line = LOOP_ALIGN / size, vector = line > SUM_LANES ? line : SUM_LANES;
    const int64_t pitch = (length + vector - 1) / vector * vector;
    return pitch * size % 1024 == 0 ? pitch + line : pitch;
}

/* The length of the rows that P passes on. */
static sized length_of(const part *p)
{
    const contract_spec *spec = &p->product.spec;
    sized n = sized_of(1);
    for (uint32_t i = 0; p->k->kind == KERNEL_ROWS && i < p->k->rank; i++)
        n = p->k->reduced >> i & 1 ? sized_mul(n, nest_extent(p->k, i)) : n;
    for (uint32_t i = 0; i < spec->n_n; i++) /* none in rows */
        n = sized_mul(n, (sized){spec->n[i].extent, spec->n[i].extent_other});
    return n;
}

static sized pitch_in(const part *p)
{
    return (sized){p->pitch, p->pitch_other};
}

/* Rows of PITCH elements one after the other, from the first of an item on. */
static void use_a_in_scratch(contract_spec *spec, sized pitch)
{
    sized step = sized_of(1);
    for (uint32_t i = spec->n_k; i-- > 0;) {
        contract_axis *x = &spec->k[i];
        x->a = step.now;
        x->a_other = step.other;
        step = sized_mul(step, (sized){x->extent, x->extent_other});
    }
    for (uint32_t i = 0; i < spec->n_batch; i++)
        spec->batch[i].a = spec->batch[i].a_other = 0;
    for (uint32_t i = spec->n_m; i-- > 0;) {
        contract_axis *x = &spec->m[i];
        x->a = pitch.now;
        x->a_other = pitch.other;
        pitch = sized_mul(pitch, (sized){x->extent, x->extent_other});
    }
    spec->n_windows = 0;
    spec->a_first = spec->a_first_other = 0;
    spec->a_in_scratch = true;
}

static void use_c_in_scratch(contract_spec *spec, sized pitch)
{
    for (uint32_t i = 0; i < spec->n_batch; i++)
        spec->batch[i].c = spec->batch[i].c_other = 0;
    for (uint32_t i = spec->n_m; i-- > 0;) {
        contract_axis *x = &spec->m[i];
        x->c = pitch.now;
        x->c_other = pitch.other;
        pitch = sized_mul(pitch, (sized){x->extent, x->extent_other});
    }
    spec->c_first = 0;
    spec->c_in_scratch = true;
}

/* What the parts are, without the programs. */
static bool open_parts(stages *s, arena *memory)
{
    for (uint32_t i = 0; i < s->n; i++) {
        part *p = &s->at[i];
        p->k = &s->k->stages[i];
        p->left = i + 1 < s->n ? p->k->out[0].into : NO_VALUE;
        if (!number_buffers(s->k, p, memory))
            return false;
        if (p->k->kind == KERNEL_CONTRACT) {
            /* Operands are in memory, or from the stage before. One that seems to be computed was
             * not followed to where it is, for lack of memory. */
            if (!product_begin(s->f, p->k, true, memory, &p->product) || p->product.operands[0] ||
                p->product.operands[1])
                return false;
            p->product.spec.a_first = product_a(&p->product)->first;
            p->product.spec.b_first = product_b(&p->product)->first;
            p->product.spec.a_first_other = product_a(&p->product)->first_other;
            p->product.spec.b_first_other = product_b(&p->product)->first_other;
        }
        if (p->left == NO_VALUE)
            continue;
        p->size = (int64_t)dtype_bytes(value_type(s->f, p->left)->dtype);
        p->pitch = pitch_of(length_of(p).now, p->size);
        p->pitch_other = pitch_of(length_of(p).other, p->size);
    }
    for (uint32_t i = 0; i < s->n; i++) {
        part *p = &s->at[i];
        if (p->k->kind == KERNEL_CONTRACT && i > 0)
            use_a_in_scratch(&p->product.spec, pitch_in(&s->at[i - 1]));
        if (p->k->kind == KERNEL_CONTRACT && p->left != NO_VALUE)
            use_c_in_scratch(&p->product.spec, pitch_in(p));
    }
    return true;
}

/* ---- schedules ---- */

/* The steps that pack the operands of P. */
static void add_packing(const stages *s, part *p, const contract_plan *plan, nest *out)
{
    const uint32_t own = emit_buffer_count(s->k);
    p->temps = out->n_temps;
    out->temps[out->n_temps++] = plan->packed_a_bytes;
    out->temps[out->n_temps++] = plan->packed_b_bytes;
    for (uint32_t i = 0; i < plan->n_steps; i++) {
        nest_step *step = &out->steps[out->n_steps++];
        const bool is_a = plan->steps[i].role == CONTRACT_PACKS_A;
        *step = (nest_step){.program = plan->steps[i].program,
                            .n_buffers = CONTRACT_MORE,
                            .n_read = 2,
                            .is_once = plan->steps[i].is_once,
                            .constant = is_a ? CONTRACT_A : CONTRACT_B,
                            .packs = p->temps + (is_a ? 0 : NEST_PACKED),
                            .work = plan->steps[i].work,
                            .grain = plan->steps[i].grain,
                            .flops = plan->steps[i].flops,
                            .bytes = plan->steps[i].bytes,
                            .how = contract_how(plan, i)};
        const uint32_t a = number_of(s->k->in, s->k->n_in, product_a(&p->product)->base);
        const uint32_t b = number_of(s->k->in, s->k->n_in, product_b(&p->product)->base);
        const uint32_t list[] = {a < s->k->n_in ? a : b, b, s->k->n_in, own + p->temps,
                                 own + p->temps + NEST_PACKED};
        memcpy(step->buffers, list, sizeof list);
    }
}

/* Does P, number I, write its rows over those that it reads? */
static bool is_in_place(const part *p, uint32_t i)
{
    return i > 0 && p->left != NO_VALUE && p->k->kind == KERNEL_ROWS && p[-1].size == p->size &&
           p[-1].pitch == p->pitch;
}

/* The contractions, their blocks, and how many of them make an item. */
static bool schedule(stages *s, const nest_options *o, arena *memory, nest *out)
{
    int64_t rows = INT64_MAX, row_bytes = 0;
    uint64_t operands = 0;
    const char *fault;
    for (uint32_t i = 0; i < s->n; i++) {
        part *p = &s->at[i];
        contract_plan plan;
        row_bytes += is_in_place(p, i) ? 0 : p->pitch * p->size;
        if (p->k->kind != KERNEL_CONTRACT)
            continue;
        p->product.spec.wanted = o->schedule;
        p->contract = contract_stage_new(&p->product.spec, &o->on, memory, &plan, &fault);
        if (!p->contract)
            return false;
        add_packing(s, p, &plan, out);
        const int64_t most = contract_stage_rows(p->contract);
        rows = most < rows ? most : rows;
        operands += contract_stage_operand(p->contract);
    }
    for (uint32_t i = 0; i < s->n; i++) {
        part *p = &s->at[i];
        if (p->contract && s->first)
            contract_stage_split_like(p->contract, s->first->contract);
        else if (p->contract)
            contract_stage_split(p->contract, rows);
        if (p->contract && !s->first)
            s->first = p;
    }
    if (!s->first)
        return false;
    /* Operands that do not stay in the cache are read once for several blocks. */
    const int64_t blocks = contract_stage_blocks(s->first->contract);
    const int64_t block_bytes = contract_stage_height(s->first->contract) * row_bytes;
    const int64_t batches = contract_stage_batches(s->first->contract);
    const int64_t half = o->on.l2 / 2, wanted = o->schedule.group;
    s->group = 1;
    if (wanted > 0 && block_bytes > 0)
        s->group = wanted < MOST_SCRATCH / block_bytes ? wanted : MOST_SCRATCH / block_bytes;
    else if (operands > (uint64_t)half && block_bytes > 0)
        s->group = half / block_bytes;
    s->group = s->group > blocks ? blocks : s->group;
    while (wanted == 0 && s->group > 1 &&
           batches * ((blocks + s->group - 1) / s->group) < ENOUGH_ITEMS)
        s->group--;
    s->group = s->group < 1 ? 1 : s->group;
    s->items = (blocks + s->group - 1) / s->group;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->at[i].contract)
            out->schedules[out->n_schedules++] =
                contract_stage_schedule(s->at[i].contract, s->group);
    return true;
}

/* ---- the program ---- */

static void open_contraction(const stages *s, uint32_t i, loop_builder *b)
{
    const part *p = &s->at[i];
    const uint32_t own = emit_buffer_count(s->k) + p->temps;
    const uint32_t in_b = number_of(s->k->in, s->k->n_in, product_b(&p->product)->base);
    loop_value at[CONTRACT_MORE];
    at[CONTRACT_A] =
        i > 0 ? s->at[i - 1].memory
              : loop_buffer(b, number_of(s->k->in, s->k->n_in, product_a(&p->product)->base));
    at[CONTRACT_B] = loop_buffer(b, in_b);
    at[CONTRACT_C] = p->left != NO_VALUE ? p->memory
                     : p->product.follow ? 0
                                         : loop_buffer(b, p->numbers[p->k->n_in]);
    at[CONTRACT_PACKED_A] = loop_buffer(b, own);
    at[CONTRACT_PACKED_B] = loop_buffer(b, own + NEST_PACKED);
    if (p->product.follow) {
        p->product.follow->numbers = p->numbers;
        p->product.follow->scratch = p->left != NO_VALUE ? p->memory : LOOP_NO_VALUE;
    }
    contract_stage_open(p->contract, b, at);
}

/* The bytes of MOST rows that P passes on. */
static sized scratch_of(const part *p, sized most)
{
    const sized rows = sized_mul(most, pitch_in(p));
    return sized_mul(sized_add(rows, sized_of(2 * LOOP_MAX_LANES)), sized_of(p->size));
}

/* Scratch memory for the rows that stages pass on, and everything that is computed once. */
static bool open_program(stages *s, const nest_options *o, loop_builder *b, arena *memory)
{
    contract_stage *first = s->first->contract;
    const sized most = contract_stage_sized(first, contract_stage_height(first) * s->group);
    for (uint32_t i = 0; i < s->n; i++) {
        part *p = &s->at[i];
        part *before = i > 0 ? p - 1 : NULL;
        /* Vectors are read whole, also at the end of a row. */
        p->memory = LOOP_NO_VALUE;
        if (is_in_place(p, i))
            p->memory = before->memory;
        else if (p->left != NO_VALUE)
            p->memory = loop_sized_scratch(b, scratch_of(p, most));
        if (p->contract) {
            open_contraction(s, i, b);
            continue;
        }
        p->rows = rows_stage_new(s->f, p->k, p->numbers, before ? before->left : NO_VALUE,
                                 contract_stage_height(first) * s->group, o, b, memory);
        if (!p->rows)
            return false;
    }
    return true;
}

/* Row ROW of the item's rows at P's memory, of which FIRST is the first. */
static loop_value row_at(loop_builder *b, const part *p, loop_value row, loop_value first)
{
    const loop_value n = loop_binary(b, LOOP_ISUB, row, first);
    const sized pitch_bytes = sized_mul(pitch_in(p), sized_of(p->size));
    return loop_offset(b, p->memory, loop_binary(b, LOOP_IMUL, n, loop_sized(b, pitch_bytes)));
}

static void emit_rows(const stages *s, uint32_t i, loop_builder *b, loop_value batch,
                      loop_value first, loop_value end, sized m)
{
    const part *p = &s->at[i];
    const int64_t group = rows_stage_group(p->rows);
    loop_value low = first, high = end;
    if (group > 1) {
        low = loop_for(b, first, end, group);
        high = loop_min(b, loop_binary(b, LOOP_IADD, low, loop_i64(b, group)), end);
    }
    for (uint32_t phase = 0; phase < rows_stage_phases(p->rows); phase++) {
        const loop_value row = loop_for(b, low, high, 1);
        const loop_value number =
            loop_binary(b, LOOP_IADD, row, loop_binary(b, LOOP_IMUL, batch, loop_sized(b, m)));
        const loop_value from = i > 0 ? row_at(b, p - 1, row, first) : LOOP_NO_VALUE;
        const loop_value to = p->left != NO_VALUE ? row_at(b, p, row, first) : LOOP_NO_VALUE;
        rows_stage_emit(p->rows, phase, loop_binary(b, LOOP_ISUB, row, low), number, from, to);
        loop_end(b);
    }
    if (group > 1)
        loop_end(b);
}

static sized batch_rows(const contract_spec *spec)
{
    sized m = sized_of(1);
    for (uint32_t i = 0; i < spec->n_m; i++)
        m = sized_mul(m, (sized){spec->m[i].extent, spec->m[i].extent_other});
    return m;
}

static void emit_item(const stages *s, loop_builder *b, loop_value item)
{
    contract_stage *first = s->first->contract;
    const loop_value items = contract_stage_items(first, b, s->items);
    const loop_value batch = loop_binary(b, LOOP_UDIV, item, items);
    const loop_value part_of = loop_binary(b, LOOP_UREM, item, items);
    const loop_value group = contract_stage_group(first, b, s->group);
    const loop_value low = loop_binary(b, LOOP_IMUL, part_of, group);
    const loop_value high =
        loop_min(b, loop_binary(b, LOOP_IADD, low, group), contract_stage_end(first, b));
    const loop_value row = contract_stage_row(first, low), end = contract_stage_row(first, high);
    for (uint32_t i = 0; i < s->n; i++)
        if (s->at[i].contract)
            contract_stage_emit(s->at[i].contract, batch, low, high, row);
        else
            emit_rows(s, i, b, batch, row, end, batch_rows(&s->first->product.spec));
}

static bool has_failed(const stages *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->at[i].rows ? rows_stage_failed(s->at[i].rows)
                          : s->at[i].product.follow && s->at[i].product.follow->e.failed)
            return true;
    return false;
}

/* Roughly what all of it costs, in cheap operations. */
static uint64_t cost_of(const stages *s)
{
    const contract_spec *first = &s->first->product.spec;
    const uint64_t rows =
        (uint64_t)contract_stage_batches(s->first->contract) * (uint64_t)batch_rows(first).now;
    uint64_t cost = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        const contract_spec *spec = &s->at[i].product.spec;
        uint64_t each = 2;
        for (uint32_t a = 0; a < spec->n_n; a++)
            each *= (uint64_t)spec->n[a].extent;
        for (uint32_t a = 0; a < spec->n_k; a++)
            each *= (uint64_t)spec->k[a].extent;
        cost += rows * (s->at[i].rows ? rows_stage_cost(s->at[i].rows) : each);
    }
    return cost;
}

bool nest_of_stages(const function *f, const kernel *k, const nest_options *o, arena *memory,
                    nest *out)
{
    stages *s = ARENA_NEW(memory, stages);
    loop_builder b;
    if (!s)
        return false;
    *s = (stages){.f = f, .k = k, .n = k->n_stages};
    loop_init(&b, memory);
    if (!open_parts(s, memory) || !schedule(s, o, memory, out) || !open_program(s, o, &b, memory))
        return false;
    emit_item(s, &b,
              loop_for(&b, loop_param_value(&b, LOOP_BEGIN), loop_param_value(&b, LOOP_END_AT), 1));
    loop_end(&b);
    nest_step *step = &out->steps[out->n_steps++];
    *step = (nest_step){
        .program = has_failed(s) ? NULL : loop_finish_or_fault(&b),
        .work = contract_stage_batches(s->first->contract) * s->items,
        .how = arena_printf(memory, "%u stages, %u rows at a time", (unsigned)s->n,
                            (unsigned)(contract_stage_height(s->first->contract) * s->group))};
    step->grain = contract_grain(cost_of(s), step->work);
    return step->program && step->how;
}
