/* Access maps: random chains of movement agree, position by position, with what the evaluator
 * makes of them, and so do streams, with elementwise steps between; maps stay simple where nothing
 * needs division. */
#include "check.h"
#include "eval/eval.h"
#include "eval/kernels/stream.h"
#include "index/access.h"
#include "ops/build.h"

enum { LONGEST = 8, MOST_ELEMENTS = 3000 };

typedef struct chain {
    context *cx;
    module *m;
    builder b;
    value_id values[LONGEST + 1]; /* the input and after each step */
    uint32_t n;
    uint64_t random;
    const void *held; /* the elements of the input */
    bool computes;    /* not all steps are movement */
} chain;

static uint32_t below(chain *c, uint32_t n)
{
    c->random = c->random * 6364136223846793005U + 1442695040888963407U;
    return n ? (uint32_t)(c->random >> 33) % n : 0;
}

static void chain_init(chain *c, uint64_t seed, const int64_t *dims, uint32_t rank)
{
    *c = (chain){.random = seed};
    c->cx = context_new(NULL, NULL);
    c->m = module_new(c->cx);
    c->b = builder_on(module_add_function(c->m, "main", 4), NO_SPAN);
    attr entries[] = {{.key = KEY_NAME, .v.s = module_string(c->m, "x", 1)},
                      {.key = KEY_TYPE, .v.type = type_of(&c->m->types, TN_SI32, dims, rank)}};
    c->values[0] = build_node(&c->b, OP_INPUT, NULL, 0, entries, 2);
}

static void chain_release(chain *c)
{
    module_free(c->m);
    context_free(c->cx);
}

static void append(chain *c, op_id op, attr *entries, uint32_t n)
{
    c->values[c->n + 1] = build_node(&c->b, op, &c->values[c->n], 1, entries, n);
    c->n++;
}

static attr ints(attr_key key, const int64_t *at, uint32_t n)
{
    return (attr){.key = (uint8_t)key, .n = n, .v.ints = at};
}

static void add_reshape(chain *c, const type *t)
{
    int64_t dims[TN_MAX_RANK];
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->rank; i++) {
        const int64_t d = t->dims[i];
        const uint32_t how = below(c, 4);
        if (how == 0 && n > 0) {
            dims[n - 1] *= d; /* merge */
        } else if (how == 1 && d % 2 == 0) {
            dims[n++] = 2; /* split */
            dims[n++] = d / 2;
        } else {
            dims[n++] = d;
            if (how == 2 && n < 6)
                dims[n++] = 1;
        }
    }
    attr list[] = {ints(KEY_SHAPE, dims, n)};
    append(c, OP_RESHAPE, list, 1);
}

static void add_transpose(chain *c, const type *t)
{
    int64_t perm[TN_MAX_RANK];
    for (uint32_t i = 0; i < t->rank; i++) {
        const uint32_t k = below(c, i + 1);
        perm[i] = perm[k];
        perm[k] = i;
    }
    attr list[] = {ints(KEY_PERM, perm, t->rank)};
    append(c, OP_TRANSPOSE, list, 1);
}

static void add_broadcast(chain *c, const type *t)
{
    int64_t dims[TN_MAX_RANK], map[TN_MAX_RANK];
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->rank; i++) {
        if (below(c, 3) == 0)
            dims[n++] = 2;
        map[i] = n;
        dims[n++] = t->dims[i] == 1 ? 1 + below(c, 3) : t->dims[i];
    }
    attr list[] = {ints(KEY_SHAPE, dims, n), ints(KEY_DIMS, map, t->rank)};
    append(c, OP_BROADCAST, list, 2);
}

static void add_slice(chain *c, const type *t)
{
    int64_t starts[TN_MAX_RANK], ends[TN_MAX_RANK], steps[TN_MAX_RANK];
    for (uint32_t i = 0; i < t->rank; i++) {
        const int64_t d = t->dims[i];
        const bool back = below(c, 4) == 0;
        steps[i] = (int64_t)(1 + below(c, 2)) * (back ? -1 : 1);
        starts[i] = back ? d - 1 : below(c, (uint32_t)(d > 2 ? 2 : 1));
        ends[i] = back ? -1 - d : d;
    }
    attr list[] = {ints(KEY_STARTS, starts, t->rank), ints(KEY_ENDS, ends, t->rank),
                   ints(KEY_STEPS, steps, t->rank)};
    append(c, OP_SLICE, list, 3);
}

static void add_reverse(chain *c, const type *t)
{
    int64_t axis = below(c, t->rank);
    attr list[] = {ints(KEY_AXES, &axis, t->rank ? 1 : 0)};
    append(c, OP_REVERSE, list, 1);
}

/* Padding of step k holds -1 - k. */
static void add_pad(chain *c, const type *t)
{
    int64_t low[TN_MAX_RANK], high[TN_MAX_RANK], none[TN_MAX_RANK] = {0};
    const scalar value = scalar_of_int(-1 - (int64_t)c->n);
    for (uint32_t i = 0; i < t->rank; i++) {
        low[i] = below(c, 2);
        high[i] = below(c, 2);
    }
    attr list[] = {ints(KEY_LOW, low, t->rank),
                   ints(KEY_HIGH, high, t->rank),
                   ints(KEY_INTERIOR, none, t->rank),
                   {.key = KEY_PAD_VALUE, .v.scalar = &value}};
    append(c, OP_PAD, list, 4);
}

static void add_pool(chain *c, const type *t)
{
    const int64_t d = t->rank ? t->dims[t->rank - 1] : 0;
    int64_t window = 2, stride = 1 + below(c, 2), dilation = 1;
    if (d < 3)
        return;
    attr list[] = {ints(KEY_WINDOW, &window, 1), ints(KEY_STRIDES, &stride, 1),
                   ints(KEY_DILATION, &dilation, 1)};
    append(c, OP_POOL, list, 3);
}

static void add_tile(chain *c, const type *t)
{
    int64_t repeats[TN_MAX_RANK];
    for (uint32_t i = 0; i < t->rank; i++)
        repeats[i] = 1 + below(c, 2);
    attr list[] = {ints(KEY_REPEATS, repeats, t->rank)};
    append(c, OP_TILE, list, 1);
}

static void add_view(chain *c, const type *t)
{
    char text[256];
    int length = 0;
    for (uint32_t i = 0; i < t->rank; i++)
        length += snprintf(text + length, sizeof text - (size_t)length,
                           below(c, 2) ? "%si%u // 2 + i%u %% 2 - i%u %% 2" : "%si%u", i ? ";" : "",
                           i, i, i);
    attr list[] = {ints(KEY_SHAPE, t->dims, t->rank),
                   {.key = KEY_INDEX_MAP, .v.s = module_string(c->m, text, (size_t)length)}};
    append(c, OP_VIEW, list, 2);
}

static void add_neg(chain *c, const type *t)
{
    (void)t;
    c->computes = true;
    append(c, OP_NEG, NULL, 0);
}

static void add_step(chain *c)
{
    static void (*const steps[])(chain *, const type *) = {
        add_reshape, add_transpose, add_broadcast, add_slice, add_reverse,
        add_pad,     add_pool,      add_tile,      add_view,  add_neg};
    const type *t = build_type(&c->b, c->values[c->n]);
    if (t->count <= MOST_ELEMENTS / 4 && t->rank <= 6)
        steps[below(c, sizeof steps / sizeof steps[0] - c->n % 2)](c, t);
}

/* The map from the last value to the input; fills are the numbers of steps. */
static bool whole_map(const chain *c, arena *memory, access_map *map)
{
    const function *f = c->b.f;
    const type *t = value_type(f, c->values[c->n]);
    bool ok = access_identity(t->dims, t->rank, memory, map);
    for (uint32_t k = c->n; ok && k > 0; k--) {
        const node *n = node_of(f, c->values[k]);
        access_map one;
        ok = access_of_node(f, n, memory, &one);
        for (uint32_t g = 0; ok && g < one.n_guards; g++)
            one.guards[g].fill = k - 1;
        ok = ok && access_compose(map, &one, memory, map);
    }
    return ok;
}

static void compare(const chain *c, const access_map *map, const int32_t *got, arena *memory)
{
    const function *f = c->b.f;
    const type *out = value_type(f, c->values[c->n]);
    const access_expr *offset = access_offset(map, access_extents_of(f, c->values[0]), memory);
    int64_t at[TN_MAX_RANK] = {0};
    if (!CHECK(offset))
        return;
    for (int64_t i = 0; i < out->count; i++) {
        const int64_t fill = access_padding(map, at);
        const int64_t want = fill >= 0 ? -1 - fill : access_value(offset, at);
        if (!CHECK_INT(got[i], want))
            return;
        for (uint32_t k = out->rank; k-- > 0;) {
            if (++at[k] < out->dims[k])
                break;
            at[k] = 0;
        }
    }
}

/* The input is all that is held. */
static const void *held(const void *user, value_id v)
{
    const chain *c = user;
    return v == c->values[0] ? c->held : NULL;
}

/* The chain as a stream, read in pieces. */
static void compare_stream(const chain *c, const int32_t *want, arena *memory)
{
    const function *f = c->b.f;
    const type *t = value_type(f, c->values[c->n]);
    const stream_values values = {f, c, held};
    access_map map;
    if (!CHECK(access_identity(t->dims, t->rank, memory, &map)))
        return;
    stream *s = stream_of(&values, c->values[c->n], &map, memory);
    if (!CHECK(s))
        return;
    for (int64_t start = 0; start < t->count;) {
        int64_t n = 1 + start % 37;
        n = n < t->count - start ? n : t->count - start;
        const int32_t *got = stream_read(s, start, (size_t)n);
        if (!CHECK(memcmp(got, want + start, (size_t)n * sizeof *got) == 0))
            return;
        start += n;
    }
}

/* Padding can make something of nothing, for which there is no map. */
static bool has_elements(const chain *c)
{
    for (uint32_t k = 0; k <= c->n; k++)
        if (build_type(&c->b, c->values[k])->count == 0)
            return false;
    return true;
}

static void test_chain(uint64_t seed)
{
    static const int64_t shapes[][4] = {{4, 6, 1, 2}, {2, 3, 4, 1}, {12, 1, 1, 1}, {1, 5, 2, 2}};
    int32_t data[64];
    chain c;
    arena memory;
    access_map map;
    tensor x = {NULL, data}, out = {NULL, NULL};
    chain_init(&c, seed * 77 + 5, shapes[seed % 4], 4);
    const uint32_t steps = 1 + below(&c, LONGEST);
    for (uint32_t k = 0; k < steps; k++)
        add_step(&c);
    CHECK_INT(c.b.status, TN_OK);
    CHECK_INT(function_add_output(c.b.f, c.values[c.n]), TN_OK);
    const type *t = build_type(&c.b, c.values[c.n]);
    for (int32_t i = 0; i < 64; i++)
        data[i] = i;
    x.type = build_type(&c.b, c.values[0]);
    arena_init(&memory, &memory_system);
    if (has_elements(&c)) {
        eval_run run = {.cx = c.cx, .bytes_limit = UINT64_MAX};
        if (CHECK_INT(evaluate(&run, c.b.f, &x, &out), TN_OK)) {
            if (!c.computes && CHECK(whole_map(&c, &memory, &map)))
                compare(&c, &map, out.data, &memory);
            c.held = data;
            compare_stream(&c, out.data, &memory);
            memory_free(&c.cx->allocator, out.data, (size_t)t->count * 4);
        }
    }
    arena_release(&memory);
    chain_release(&c);
}

/* Merging and splitting back, cutting a border again, repeating: nothing is left to divide. */
static void test_simple(void)
{
    int64_t dims[] = {4, 6}, flat[] = {24}, split[] = {2, 2, 6}, constant = -1;
    int64_t strides[TN_MAX_RANK] = {0};
    chain c;
    arena memory;
    access_map map;
    arena_init(&memory, &memory_system);
    chain_init(&c, 1, dims, 2);
    attr to_flat[] = {ints(KEY_SHAPE, flat, 1)};
    append(&c, OP_RESHAPE, to_flat, 1);
    attr to_split[] = {ints(KEY_SHAPE, split, 3)};
    append(&c, OP_RESHAPE, to_split, 1);
    if (CHECK(whole_map(&c, &memory, &map))) {
        const access_expr *e = access_offset(&map, access_extents_of(c.b.f, c.values[0]), &memory);
        CHECK(e && access_strides(e, 3, &constant, strides));
        CHECK_INT(constant, 0);
        CHECK_INT(strides[0], 12);
        CHECK_INT(strides[1], 6);
        CHECK_INT(strides[2], 1);
    }
    chain_release(&c);

    int64_t low[] = {1, 0}, none[] = {0, 0}, starts[] = {1, 0}, ends[] = {5, 6}, steps[] = {1, 1};
    const scalar value = scalar_of_int(-1);
    chain_init(&c, 1, dims, 2);
    attr pad[] = {ints(KEY_LOW, low, 2),
                  ints(KEY_HIGH, none, 2),
                  ints(KEY_INTERIOR, none, 2),
                  {.key = KEY_PAD_VALUE, .v.scalar = &value}};
    append(&c, OP_PAD, pad, 4);
    attr cut[] = {ints(KEY_STARTS, starts, 2), ints(KEY_ENDS, ends, 2), ints(KEY_STEPS, steps, 2)};
    append(&c, OP_SLICE, cut, 3);
    if (CHECK(whole_map(&c, &memory, &map)))
        CHECK_INT(map.n_guards, 0);
    chain_release(&c);
    arena_release(&memory);
}

/* Axes that lie side by side on both sides of a reshape are one: the rows of a transposed image
 * need no more than one quotient and one remainder. */
static void test_digits(void)
{
    int64_t dims[] = {2, 3, 5, 7}, order[] = {1, 0, 2, 3}, flat[] = {3, 70};
    chain c;
    arena memory;
    access_map map;
    arena_init(&memory, &memory_system);
    chain_init(&c, 1, dims, 4);
    attr transposed[] = {ints(KEY_PERM, order, 4)};
    append(&c, OP_TRANSPOSE, transposed, 1);
    attr to_rows[] = {ints(KEY_SHAPE, flat, 2)};
    append(&c, OP_RESHAPE, to_rows, 1);
    if (CHECK(whole_map(&c, &memory, &map))) {
        const access_expr *e = access_offset(&map, access_extents_of(c.b.f, c.values[0]), &memory);
        if (CHECK(e != NULL)) {
            CHECK_INT(e->n, 3); /* 35 i0 + 105 (i1 // 35) + i1 % 35 */
            for (uint32_t i = 0; i < e->n; i++)
                CHECK(e->at[i].kind == ACCESS_AXIS || e->at[i].by == 35);
            for (int64_t row = 0; row < 3; row++)
                for (int64_t k = 0; k < 70; k++)
                    CHECK_INT(access_value(e, (const int64_t[]){row, k}),
                              k / 35 * 105 + row * 35 + k % 35);
        }
    }
    chain_release(&c);
    arena_release(&memory);
}

/* The rows of x[ROWS, 6] from the last one on, turned and written as one line. */
static void begin_line(chain *c, int64_t rows)
{
    const int64_t dims[] = {rows, 6}, line = 6 * rows, first = 0, turned[] = {1, 0};
    chain_init(c, 1, dims, 2);
    attr back[] = {ints(KEY_AXES, &first, 1)};
    append(c, OP_REVERSE, back, 1);
    attr turn[] = {ints(KEY_PERM, turned, 2)};
    append(c, OP_TRANSPOSE, turn, 1);
    attr flat[] = {ints(KEY_SHAPE, &line, 1)};
    append(c, OP_RESHAPE, flat, 1);
}

/* Are the numbers of E with other sizes those of LIKE? */
static void compare_beside(const access_expr *e, const access_expr *like)
{
    CHECK_INT(e->constant_other, like->constant);
    if (!CHECK_INT(e->n, like->n))
        return;
    for (uint32_t i = 0; i < e->n; i++) {
        CHECK_INT(e->at[i].factor_other, like->at[i].factor);
        if (e->at[i].kind == ACCESS_AXIS)
            continue;
        CHECK_INT(e->at[i].by_other, like->at[i].by);
        compare_beside(e->at[i].of, like->at[i].of);
    }
}

/* Beside each number of a map stands what it is with other sizes. */
static void test_other_sizes(void)
{
    chain c, like;
    arena memory;
    access_map map, other;
    arena_init(&memory, &memory_system);
    begin_line(&c, 4);
    begin_line(&like, 9);
    c.b.f->like = like.b.f;
    if (CHECK(whole_map(&c, &memory, &map)) && CHECK(whole_map(&like, &memory, &other))) {
        const access_expr *x = access_offset(&map, access_extents_of(c.b.f, c.values[0]), &memory);
        const access_expr *y =
            access_offset(&other, access_extents_of(like.b.f, like.values[0]), &memory);
        if (CHECK(x && y)) {
            CHECK_INT(x->constant, 18);
            CHECK_INT(x->constant_other, 48);
            compare_beside(x, y);
        }
    }
    chain_release(&c);
    chain_release(&like);
    arena_release(&memory);
}

/* Factors that do not fit have no map. */
static void test_limits(void)
{
    const int64_t large = INT64_MAX / 2;
    int64_t dims[] = {1}, wide[] = {large, 3};
    arena memory;
    access_map map;
    arena_init(&memory, &memory_system);
    CHECK(access_identity(wide, 2, &memory, &map));
    const int64_t both[] = {large, large};
    CHECK(!access_offset(&map, (access_extents){2, both, both}, &memory));
    dims[0] = 0;
    CHECK(!access_identity(dims, 1, &memory, &map));
    arena_release(&memory);
}

int main(void)
{
    for (uint64_t seed = 0; seed < 400; seed++)
        test_chain(seed);
    test_simple();
    test_digits();
    test_other_sizes();
    test_limits();
    return check_result();
}
