/* Runs loop programs lane by lane, slowly and in the plainest way, so that what makes them can be
 * tested without a compiler and compilers can be judged. Beside computing it checks what a program
 * promises: aligned addresses, divisors, lane counts, variables. */
#ifndef TEST_LOOP_INTERPRETER_H
#define TEST_LOOP_INTERPRETER_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "loop/ir/loop.h"

typedef struct loop_frame {
    const loop_program *program;
    uint64_t *lanes; /* of all values: zero-extended bits; masks are 0 or 1 */
    size_t *first;   /* by value: where its lanes begin */
    uint32_t *match; /* FOR, IF: their ELSE or END; ELSE: its END; END: what it closes */
    char **locals;   /* by value: the memory of a LOCAL, freed at the end */
    const char *fault;
    int32_t status;
    bool stopped; /* by a poll */
} loop_frame;

static inline uint64_t loop_width_mask(loop_elem e)
{
    const size_t bytes = e == LOOP_MASK ? 0 : loop_elem_bytes(e);
    return e == LOOP_MASK ? 1 : bytes >= 8 ? UINT64_MAX : ((uint64_t)1 << 8 * bytes) - 1;
}

static inline int64_t loop_signed(uint64_t bits, loop_elem e)
{
    const unsigned shift = 64 - 8 * (unsigned)loop_elem_bytes(e);
    return (int64_t)(bits << shift) >> shift;
}

static inline double loop_as_f64(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline float loop_as_f32(uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    float x;
    memcpy(&x, &low, sizeof x);
    return x;
}

static inline uint64_t loop_of_f64(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof x);
    return bits;
}

static inline uint64_t loop_of_f32(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof x);
    return bits;
}

static inline float loop_float_op32(loop_op op, float a, float b, float c)
{
    return op == LOOP_FADD    ? a + b
           : op == LOOP_FSUB  ? a - b
           : op == LOOP_FMUL  ? a * b
           : op == LOOP_FDIV  ? a / b
           : op == LOOP_FMA   ? fmaf(a, b, c)
           : op == LOOP_FSQRT ? sqrtf(a)
           : op == LOOP_FRINT ? rintf(a)
                              : truncf(a);
}

static inline double loop_float_op64(loop_op op, double a, double b, double c)
{
    return op == LOOP_FADD    ? a + b
           : op == LOOP_FSUB  ? a - b
           : op == LOOP_FMUL  ? a * b
           : op == LOOP_FDIV  ? a / b
           : op == LOOP_FMA   ? fma(a, b, c)
           : op == LOOP_FSQRT ? sqrt(a)
           : op == LOOP_FRINT ? rint(a)
                              : trunc(a);
}

static inline bool loop_compare_floats(loop_op op, double a, double b)
{
    return op == LOOP_FLT   ? a < b
           : op == LOOP_FLE ? a <= b
           : op == LOOP_FEQ ? a == b
                            : isnan(a) || isnan(b);
}

/* Out of range the result is whatever: a pattern that is unlikely to be right by chance. */
static inline uint64_t loop_float_to_integer(bool is_signed, unsigned bits, double x)
{
    const uint64_t junk = UINT64_C(0x5bd1e995a7c3f10d);
    const double low = is_signed ? -ldexp(1, (int)bits - 1) : 0,
                 high = ldexp(1, is_signed ? (int)bits - 1 : (int)bits), whole = trunc(x);
    if (!(whole >= low && whole < high))
        return junk;
    return is_signed ? (uint64_t)(int64_t)whole : (uint64_t)whole;
}

/* One lane of a division. */
static inline uint64_t loop_divide(loop_frame *f, loop_op op, uint64_t a, uint64_t b, loop_elem e)
{
    if (b == 0) {
        f->fault = "division by zero";
        return 0;
    }
    if (op == LOOP_UDIV)
        return a / b;
    if (op == LOOP_UREM)
        return a % b;
    const int64_t x = loop_signed(a, e), y = loop_signed(b, e);
    if (y == -1) {
        if ((a & (a - 1)) == 0 && x < 0)
            f->fault = "division of the least integer by -1";
        return op == LOOP_SDIV ? 0 - a : 0;
    }
    return (uint64_t)(op == LOOP_SDIV ? x / y : x % y);
}

static inline uint64_t loop_convert_lane(const loop_inst *i, loop_elem from, uint64_t a)
{
    const loop_elem to = (loop_elem)i->type.elem;
    const bool is_f32 = from == LOOP_F32;
    const double x = is_f32 ? (double)loop_as_f32(a) : loop_as_f64(a);
    const unsigned bits = 8 * (unsigned)loop_elem_bytes(to);
    if (i->op == LOOP_SEXT)
        return from == LOOP_MASK ? 0 - a : (uint64_t)loop_signed(a, from);
    if (i->op == LOOP_FCONVERT)
        return to == LOOP_F32 ? loop_of_f32((float)x) : loop_of_f64(x);
    if (i->op == LOOP_S_TO_F) {
        const int64_t n = loop_signed(a, from);
        return to == LOOP_F32 ? loop_of_f32((float)n) : loop_of_f64((double)n);
    }
    if (i->op == LOOP_U_TO_F)
        return to == LOOP_F32 ? loop_of_f32((float)a) : loop_of_f64((double)a);
    if (i->op == LOOP_F_TO_S || i->op == LOOP_F_TO_U)
        return loop_float_to_integer(i->op == LOOP_F_TO_S, bits, x);
    return a; /* BITCAST, TRUNCATE, ZEXT */
}

/* One lane of an operation that treats all lanes alike. */
static inline uint64_t loop_lane_op(loop_frame *f, const loop_inst *i, loop_elem e, uint64_t a,
                                    uint64_t b, uint64_t c)
{
    const unsigned bits = e < LOOP_NONE ? 8 * (unsigned)loop_elem_bytes(e) : 64;
    const uint64_t sign = (uint64_t)1 << (bits - 1);
    const loop_op op = (loop_op)i->op;
    switch ((int)op) { /* an int: not every operation is one of these */
    case LOOP_FADD:
    case LOOP_FSUB:
    case LOOP_FMUL:
    case LOOP_FDIV:
    case LOOP_FMA:
    case LOOP_FSQRT:
    case LOOP_FRINT:
    case LOOP_FTRUNC:
        if (e == LOOP_F32)
            return loop_of_f32(loop_float_op32(op, loop_as_f32(a), loop_as_f32(b), loop_as_f32(c)));
        return loop_of_f64(loop_float_op64(op, loop_as_f64(a), loop_as_f64(b), loop_as_f64(c)));
    case LOOP_SCALE:
        if (e == LOOP_F32)
            return loop_of_f32(ldexpf(loop_as_f32(a), (int32_t)((uint32_t)b - 0x4b400000)));
        return loop_of_f64(ldexp(loop_as_f64(a), (int)(int64_t)(b - (UINT64_C(0x4338) << 48))));
    case LOOP_FNEG:
        return a ^ sign;
    case LOOP_FABS:
        return a & ~sign;
    case LOOP_FLT:
    case LOOP_FLE:
    case LOOP_FEQ:
    case LOOP_FUNO:
        if (e == LOOP_F32)
            return loop_compare_floats(op, (double)loop_as_f32(a), (double)loop_as_f32(b));
        return loop_compare_floats(op, loop_as_f64(a), loop_as_f64(b));
    case LOOP_IADD:
        return a + b;
    case LOOP_ISUB:
        return a - b;
    case LOOP_IMUL:
        return a * b;
    case LOOP_DOT_PAIRS:
        return (uint64_t)(int16_t)a * (uint64_t)(int16_t)b +
               (uint64_t)(int16_t)(a >> 16) * (uint64_t)(int16_t)(b >> 16) + c;
    case LOOP_DOT_QUADS:
        for (unsigned byte = 0; byte < 4; byte++)
            c += (uint64_t)(uint8_t)(a >> 8 * byte) * (uint64_t)(int8_t)(b >> 8 * byte);
        return c;
    case LOOP_DOT_BF16: /* cases have numbers of which this is exact */
        return loop_of_f32(loop_as_f32(a << 16) * loop_as_f32(b << 16) +
                           loop_as_f32(a & 0xffff0000) * loop_as_f32(b & 0xffff0000) +
                           loop_as_f32(c));
    case LOOP_SDIV:
    case LOOP_UDIV:
    case LOOP_SREM:
    case LOOP_UREM:
        return loop_divide(f, op, a, b, e);
    case LOOP_AND:
        return a & b;
    case LOOP_OR:
        return a | b;
    case LOOP_XOR:
        return a ^ b;
    case LOOP_NOT:
        return ~a;
    case LOOP_SHL:
        return a << (b & (bits - 1));
    case LOOP_LSHR:
        return a >> (b & (bits - 1));
    case LOOP_ASHR:
        return (uint64_t)(loop_signed(a, e) >> (b & (bits - 1)));
    case LOOP_IEQ:
        return a == b;
    case LOOP_ILT:
        return loop_signed(a, e) < loop_signed(b, e);
    case LOOP_IULT:
        return a < b;
    default:
        return loop_convert_lane(i, e, a);
    }
}

static inline const uint64_t *loop_lanes_of(const loop_frame *f, loop_value v)
{
    return f->lanes + f->first[v];
}

static inline char *loop_pointer(const loop_frame *f, loop_value v)
{
    return (char *)(uintptr_t)loop_lanes_of(f, v)[0]; /* NOLINT(performance-no-int-to-ptr) */
}

static inline void loop_check_aligned(loop_frame *f, const char *at, size_t align)
{
    if ((uintptr_t)at % align != 0)
        f->fault = "an address is less aligned than the program says";
}

static inline size_t loop_check_count(loop_frame *f, loop_value n, uint32_t lanes)
{
    const uint64_t count = loop_lanes_of(f, n)[0];
    if (count > lanes) {
        f->fault = "load_first or store_first of a negative number of lanes or of too many";
        return 0;
    }
    return count;
}

static inline uint64_t loop_read(const char *at, size_t bytes)
{
    uint64_t x = 0;
    memcpy(&x, at, bytes);
    return x;
}

static inline void loop_memory_op(loop_frame *f, const loop_inst *i, uint64_t *out)
{
    const bool is_store =
        i->op == LOOP_STORE || i->op == LOOP_STORE_FIRST || i->op == LOOP_STORE_NONTEMPORAL;
    const loop_type t = is_store ? f->program->at[i->in[1]].type : i->type;
    const size_t bytes = loop_elem_bytes((loop_elem)t.elem);
    char *at = loop_pointer(f, i->in[0]);
    size_t n = t.lanes;

    if (i->op == LOOP_GATHER) {
        const uint64_t *offset = loop_lanes_of(f, i->in[1]), *mask = loop_lanes_of(f, i->in[2]);
        for (size_t k = 0; k < n; k++) {
            if (mask[k])
                loop_check_aligned(f, at + (int64_t)offset[k], bytes);
            out[k] = mask[k] ? loop_read(at + (int64_t)offset[k], bytes) : 0;
        }
        return;
    }
    if (i->op == LOOP_LOAD_WHERE) {
        const uint64_t *mask = loop_lanes_of(f, i->in[1]);
        loop_check_aligned(f, at, bytes);
        for (size_t k = 0; k < n; k++)
            out[k] = mask[k] ? loop_read(at + k * bytes, bytes) : 0;
        return;
    }
    loop_check_aligned(f, at, (size_t)1 << i->log_align);
    if (i->op == LOOP_STORE_NONTEMPORAL)
        loop_check_aligned(f, at, bytes * n);
    if (i->op == LOOP_LOAD_FIRST)
        n = loop_check_count(f, i->in[1], t.lanes);
    if (i->op == LOOP_STORE_FIRST)
        n = loop_check_count(f, i->in[2], t.lanes);
    if (is_store) {
        const uint64_t *x = loop_lanes_of(f, i->in[1]);
        for (size_t k = 0; k < n; k++)
            memcpy(at + k * bytes, &x[k], bytes); /* little endian */
        return;
    }
    for (size_t k = 0; k < t.lanes; k++)
        out[k] = k < n ? loop_read(at + k * bytes, bytes) : 0;
}

/* Everything but control flow. */
static inline void loop_step(loop_frame *f, uint32_t v)
{
    const loop_inst *at = f->program->at, *i = &at[v];
    const uint32_t lanes = i->type.lanes, operands = loop_op_operands((loop_op)i->op);
    const uint64_t width = loop_width_mask((loop_elem)i->type.elem);
    const uint64_t *a = operands > 0 ? loop_lanes_of(f, i->in[0]) : NULL,
                   *b = operands > 1 ? loop_lanes_of(f, i->in[1]) : NULL,
                   *c = operands > 2 ? loop_lanes_of(f, i->in[2]) : NULL;
    uint64_t *out = f->lanes + f->first[v];

    switch ((int)i->op) {
    case LOOP_PARAM: /* set before the first instruction */
    case LOOP_PREFETCH:
        return;
    case LOOP_CONST:
    case LOOP_RAMP:
        for (uint32_t k = 0; k < lanes; k++)
            out[k] = (i->op == LOOP_RAMP ? k : i->imm) & width;
        return;
    case LOOP_SELECT: {
        const bool by_lane = at[i->in[0]].type.lanes == lanes;
        for (uint32_t k = 0; k < lanes; k++)
            out[k] = a[by_lane ? k : 0] ? b[k] : c[k];
        return;
    }
    case LOOP_SPLAT:
        for (uint32_t k = 0; k < lanes; k++)
            out[k] = a[0];
        return;
    case LOOP_LANE:
        out[0] = a[i->imm];
        return;
    case LOOP_SHUFFLE: {
        const uint32_t n = at[i->in[0]].type.lanes;
        const uint8_t *table = f->program->tables + i->imm;
        for (uint32_t k = 0; k < lanes; k++)
            out[k] = table[k] < n ? a[table[k]] : b[table[k] - n];
        return;
    }
    case LOOP_OFFSET:
        out[0] = a[0] + b[0];
        return;
    case LOOP_ADDRESS:
        out[0] = a[0];
        return;
    case LOOP_LOCAL:
        if (!f->locals[v]) {
            f->locals[v] =
                aligned_alloc(LOOP_ALIGN, (i->imm + LOOP_ALIGN) / LOOP_ALIGN * LOOP_ALIGN);
            if (!f->locals[v]) {
                f->fault = "no memory";
                return;
            }
            memset(f->locals[v], 0xa5, i->imm);
        }
        out[0] = (uintptr_t)f->locals[v];
        return;
    case LOOP_LOAD:
    case LOOP_LOAD_FIRST:
    case LOOP_GATHER:
    case LOOP_LOAD_WHERE:
    case LOOP_STORE:
    case LOOP_STORE_FIRST:
    case LOOP_STORE_NONTEMPORAL:
        loop_memory_op(f, i, out);
        return;
    case LOOP_VAR:
    case LOOP_GET: /* a variable's lanes are those of its VAR */
        memcpy(out, a, sizeof *out * lanes);
        return;
    case LOOP_SET:
        memcpy(f->lanes + f->first[i->in[0]], b, sizeof *b * at[i->in[0]].type.lanes);
        return;
    case LOOP_POLL: {
        int32_t (*stop)(const void *self);
        memcpy(&stop, (const void *)(uintptr_t)a[0], sizeof stop);
        const int32_t status = stop((const void *)(uintptr_t)a[0]);
        f->stopped = status != 0;
        f->status = f->stopped ? status : f->status;
        return;
    }
    case LOOP_FAIL:
        if (a[0])
            f->status = (int32_t)(uint32_t)i->imm;
        return;
    default:
        for (uint32_t k = 0; k < lanes; k++)
            out[k] = loop_lane_op(f, i, (loop_elem)at[i->in[0]].type.elem, a[k],
                                  operands > 1 ? b[k] : 0, operands > 2 ? c[k] : 0) &
                     width;
    }
}

static inline void loop_walk(loop_frame *f)
{
    const loop_program *p = f->program;
    for (uint32_t v = 0; v < p->n && !f->fault && !f->stopped; v++) {
        const loop_inst *i = &p->at[v];
        if (i->op == LOOP_FOR) {
            f->lanes[f->first[v]] = loop_lanes_of(f, i->in[0])[0];
            if ((int64_t)f->lanes[f->first[v]] >= (int64_t)loop_lanes_of(f, i->in[1])[0])
                v = f->match[v];
        } else if (i->op == LOOP_IF) {
            if (!loop_lanes_of(f, i->in[0])[0])
                v = f->match[v]; /* to what stands after ELSE or END */
        } else if (i->op == LOOP_ELSE) {
            v = f->match[v]; /* from the end of the first part */
        } else if (i->op == LOOP_LEAVE) {
            if (loop_lanes_of(f, i->in[0])[0])
                v = f->match[f->match[v]];
        } else if (i->op == LOOP_END) {
            const uint32_t open = f->match[v];
            const loop_inst *o = &p->at[open];
            if (o->op != LOOP_FOR)
                continue;
            uint64_t *turn = f->lanes + f->first[open];
            *turn += o->imm;
            if ((int64_t)*turn < (int64_t)loop_lanes_of(f, o->in[1])[0])
                v = open;
        } else {
            loop_step(f, v);
        }
    }
}

static inline void loop_match_regions(loop_frame *f)
{
    uint32_t open[LOOP_MAX_DEPTH], opener[LOOP_MAX_DEPTH], depth = 0;
    for (uint32_t v = 0; v < f->program->n; v++) {
        const loop_op op = (loop_op)f->program->at[v].op;
        if (op == LOOP_FOR || op == LOOP_IF) {
            open[depth] = opener[depth] = v;
            depth++;
        } else if (op == LOOP_LEAVE) {
            f->match[v] = open[depth - 1];
        } else if (op == LOOP_ELSE) {
            f->match[open[depth - 1]] = v;
            open[depth - 1] = v;
        } else if (op == LOOP_END) {
            depth--;
            f->match[open[depth]] = v;
            f->match[v] = opener[depth];
        }
    }
}

/* Call P; NULL, and the result in STATUS, or what was wrong with P. SCRATCH may be NULL: memory is
 * found then. */
static inline const char *loop_interpret(const loop_program *p, char *const *buffers, int64_t begin,
                                         int64_t end, char *scratch, int32_t *status)
{
    loop_frame f = {.program = p};
    const size_t scratch_bytes = (p->scratch_bytes + LOOP_ALIGN) / LOOP_ALIGN * LOOP_ALIGN;
    char *own = scratch ? NULL : aligned_alloc(LOOP_ALIGN, scratch_bytes);
    size_t n_lanes = 0;

    f.first = malloc(sizeof *f.first * ((size_t)p->n + 1));
    f.match = malloc(sizeof *f.match * ((size_t)p->n + 1));
    f.locals = calloc((size_t)p->n + 1, sizeof *f.locals);
    for (uint32_t v = 0; f.first && v < p->n; v++) {
        f.first[v] = n_lanes;
        n_lanes += p->at[v].type.lanes;
    }
    f.lanes = malloc(sizeof *f.lanes * (n_lanes + 1));
    if (!f.first || !f.match || !f.locals || !f.lanes || (!own && !scratch)) {
        f.fault = "no memory";
    } else {
        memset(f.lanes, 0xa5, sizeof *f.lanes * (n_lanes + 1));
        if (own)
            memset(own, 0xa5, scratch_bytes);
        const uint64_t params[] = {(uintptr_t)buffers, (uint64_t)begin, (uint64_t)end,
                                   (uintptr_t)(own ? own : scratch)};
        for (uint32_t v = 0; v < p->n; v++)
            if (p->at[v].op == LOOP_PARAM)
                f.lanes[f.first[v]] = params[p->at[v].imm];
        loop_match_regions(&f);
        loop_walk(&f);
    }
    for (uint32_t v = 0; f.locals && v < p->n; v++)
        free(f.locals[v]);
    free(f.lanes);
    free(f.locals);
    free(f.match);
    free(f.first);
    free(own);
    *status = f.status;
    return f.fault;
}

#endif
