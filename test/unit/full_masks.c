/* Masked loads, stores and gathers of vectors of all elements and lengths, for every level of CPU:
 * only the lanes that the mask has are touched, between guard pages, and they hold what is there.
 */
#include "../equality/guards.c"
#include "check.h"
#include "runtime/code.h"
#include "target/target.h"

enum { MASKS = 14, COUNTS = 11, MOST_LANES = LOOP_MAX_LANES, ROOM = 64 * 8 };

/* How memory is reached. */
typedef enum access_kind {
    WHERE,
    GATHER,
    FIRST,
    STORE_FIRST,
    KNOWN_FIRST, /* the program knows how many */
    STORE_KNOWN_FIRST,
    KINDS
} access_kind;

static const loop_elem elems[] = {LOOP_I8, LOOP_I16, LOOP_I32, LOOP_I64, LOOP_F32, LOOP_F64};
static const int64_t counts[COUNTS] = {0, 1, 2, 3, 5, 7, 8, 9, 16, 31, 64};

/* One function: an access under mask number MASK. */
typedef struct shape {
    access_kind kind;
    loop_elem elem;
    uint32_t lanes, mask;
} shape;

static bool is_known(const shape *s)
{
    return s->kind == KNOWN_FIRST || s->kind == STORE_KNOWN_FIRST;
}

/* How many lanes a program knows to be there: none, all and some between. */
static uint32_t known_count(const shape *s)
{
    return s->lanes * s->mask / (MASKS - 1);
}

static bool is_store(const shape *s)
{
    return s->kind == STORE_FIRST || s->kind == STORE_KNOWN_FIRST;
}

static bool lane_in(uint32_t mask, uint32_t lane, uint32_t lanes)
{
    switch (mask) {
    case 0:
        return lane < lanes / 2;
    case 1:
        return lane >= lanes / 2;
    case 2:
        return lane == 0 || lane + 1 == lanes;
    case 3:
        return lane % 3 == 0;
    case 4:
        return lane < lanes / 4 || lane == lanes / 2;
    case 5:
        return lane + 1 < lanes;
    default:
        return true;
    }
}

/* The lanes that mask number MASK has where the argument is N. */
static bool is_there(const shape *s, uint32_t lane, int64_t n)
{
    const uint32_t half = s->mask % 7;
    const bool is_in = lane_in(half, lane, s->lanes);
    if (is_known(s))
        return lane < known_count(s);
    if (s->kind == FIRST || s->kind == STORE_FIRST)
        return (int64_t)lane < (n < s->lanes ? n : s->lanes);
    return s->mask < 7 ? is_in && n > 2 : is_in && (int64_t)lane < n;
}

static loop_value table_mask(loop_builder *b, uint32_t mask, uint32_t lanes)
{
    uint8_t table[MOST_LANES];
    const loop_type type = loop_type_of(LOOP_MASK, lanes);
    for (uint32_t k = 0; k < lanes; k++)
        table[k] = lane_in(mask, k, lanes) ? 0 : (uint8_t)lanes;
    return loop_shuffle(b, loop_const(b, type, 1), loop_const(b, type, 0), table, lanes);
}

/* Half of the masks are constants under a condition, as of rows that are there or not. */
static loop_value make_mask(loop_builder *b, const shape *s, loop_value n)
{
    const loop_value all = table_mask(b, s->mask % 7, s->lanes);
    loop_value some = loop_splat(b, s->lanes, loop_binary(b, LOOP_ILT, loop_i64(b, 2), n));
    if (s->mask >= 7)
        some =
            loop_binary(b, LOOP_ILT, loop_ramp(b, LOOP_I64, s->lanes), loop_splat(b, s->lanes, n));
    return loop_binary(b, LOOP_AND, some, all);
}

/* f(buffers, n, ...): buffer 0 is masked, buffer 1 holds the whole vector. */
static const loop_program *make(const shape *s, arena *memory)
{
    loop_builder b;
    loop_init(&b, memory);
    const loop_type type = loop_type_of(s->elem, s->lanes);
    const uint32_t size = (uint32_t)loop_elem_bytes(s->elem);
    const loop_value n = loop_param_value(&b, LOOP_BEGIN);
    const loop_value masked = loop_buffer(&b, 0), whole = loop_buffer(&b, 1);
    const loop_value first =
        is_known(s) ? loop_i64(&b, known_count(s)) : loop_min(&b, n, loop_i64(&b, s->lanes));
    loop_value x = 0;
    if (s->kind == WHERE) {
        x = loop_load_where(&b, s->elem, masked, make_mask(&b, s, n));
    } else if (s->kind == FIRST || s->kind == KNOWN_FIRST) {
        x = loop_load_first(&b, type, masked, first, size);
    } else if (s->kind == GATHER) {
        const loop_value each = loop_const(&b, loop_type_of(LOOP_I64, s->lanes), size);
        const loop_value at = loop_binary(&b, LOOP_IMUL, loop_ramp(&b, LOOP_I64, s->lanes), each);
        x = loop_gather(&b, s->elem, masked, at, make_mask(&b, s, n));
    }
    if (is_store(s))
        loop_store_first(&b, masked, loop_load(&b, type, whole, size), first, size);
    else
        loop_store(&b, whole, x, size);
    return loop_finish(&b);
}

typedef struct one_call {
    code_function *run;
    char *buffers[2];
    int64_t n;
} one_call;

static void call(void *user)
{
    const one_call *c = user;
    (void)c->run(c->buffers, c->n, 0, NULL);
}

/* Where the vector begins so that its first or last lane that is there touches a guard page. */
static char *place(guards *g, const shape *s, int64_t n, size_t size)
{
    uint32_t first = s->lanes, last = 0;
    for (uint32_t k = 0; k < s->lanes; k++)
        if (is_there(s, k, n)) {
            first = k < first ? k : first;
            last = k;
        }
    const size_t bytes = first < s->lanes ? (last + 1 - first) * size : 0;
    return guards_take(g, bytes, bytes ? 1 : 8) - (first < s->lanes ? first * size : 0);
}

static bool is_right(guards *g, const shape *s, code_function *run, int64_t n)
{
    const size_t size = loop_elem_bytes(s->elem);
    _Alignas(64) char whole[ROOM];
    char before[ROOM];
    char *at = place(g, s, n, size);
    one_call c = {run, {at, whole}, n};
    for (size_t i = 0; i < sizeof whole; i++)
        whole[i] = before[i] = (char)(i * 7 + 1);
    for (uint32_t k = 0; k < s->lanes; k++)
        for (size_t i = 0; is_there(s, k, n) && i < size; i++)
            at[k * size + i] = (char)(k * 5 + i);
    bool ok = guards_call(call, &c);
    for (uint32_t k = 0; ok && k < s->lanes; k++)
        for (size_t i = 0; i < size; i++) {
            const size_t b = k * size + i;
            if (is_store(s))
                ok = ok && (!is_there(s, k, n) || at[b] == before[b]);
            else
                ok = ok && whole[b] == (is_there(s, k, n) ? (char)(k * 5 + i) : 0);
        }
    guards_clear(g);
    return ok;
}

static void check_shape(guards *g, const shape *s, code_function *run, const char *cpu)
{
    for (size_t i = 0; i < COUNTS; i++)
        for (int side = 0; side < 2; side++) {
            g->at_end = side == 0;
            if (CHECK(is_right(g, s, run, counts[i])))
                continue;
            printf("    %s, access %d, %s x %u, mask %u, n %d\n", cpu, (int)s->kind,
                   loop_elem_name(s->elem), s->lanes, s->mask, (int)counts[i]);
            return;
        }
}

static size_t list_shapes(shape *out)
{
    size_t n = 0;
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t e = 0; e < sizeof elems / sizeof *elems; e++)
            for (uint32_t lanes = 2; lanes <= 32; lanes *= 2)
                for (uint32_t m = 0; m < (kind == FIRST || kind == STORE_FIRST ? 1 : MASKS); m++)
                    out[n++] = (shape){(access_kind)kind, elems[e], lanes, m};
    return n;
}

/* Every STEP-th shape. */
static void test_cpu(guards *g, const char *cpu, size_t step)
{
    static shape shapes[KINDS * 6 * 5 * MASKS];
    static char names[KINDS * 6 * 5 * MASKS][16];
    static target_function functions[KINDS * 6 * 5 * MASKS];
    const size_t all = list_shapes(shapes);
    size_t n = 0;
    for (size_t k = 0; k < all; k += step)
        shapes[n++] = shapes[k];
    context *cx = context_new(NULL, NULL);
    const target_options o = {.cpu = cpu, .runs_here = true};
    arena memory;
    text_buffer object;
    code *c = NULL;
    arena_init(&memory, &memory_system);
    text_init(&object, &memory_system);
    for (size_t k = 0; k < n; k++) {
        (void)snprintf(names[k], sizeof names[k], "f%zu", k);
        functions[k] = (target_function){names[k], make(&shapes[k], &memory)};
        if (!CHECK(functions[k].program != NULL))
            return;
    }
    const tn_status status = target_llvm(cx, functions, n, &o, &object);
    if (status == TN_ERR_UNAVAILABLE)
        printf("skipped: %s does not run here\n", cpu);
    else if (CHECK_INT(status, TN_OK) &&
             CHECK_INT(code_load(&memory_system, object.at, object.n, &c), TN_OK))
        for (size_t k = 0; k < n; k++)
            check_shape(g, &shapes[k], code_find(c, names[k]), cpu);
    code_free(c);
    text_release(&object);
    arena_release(&memory);
    context_free(cx);
}

int main(void)
{
    /* LLVM has a way of its own for each; what AVX and AVX2 do is ours (masks.c). */
    static const struct cpu {
        const char *name;
        size_t step;
    } cpus[] = {{"x86-64", 7},  {"x86-64-v2", 7}, {"sandybridge", 3}, {"x86-64-v3", 1},
                {"skylake", 5}, {"x86-64-v4", 3}, {"native", 5}};
    guards g;
    if (!target_llvm_is_installed()) {
        printf("skipped: LLVM is not there\n");
        return 0;
    }
    CHECK(guards_init(&g));
    for (size_t k = 0; k < sizeof cpus / sizeof *cpus; k++)
        test_cpu(&g, cpus[k].name, cpus[k].step);
    guards_release(&g);
    return check_result();
}
