/* Programs with symbolic sizes, each compiled once and run with many sizes in one process, always
 * with the bits of the evaluator; and a second choice of sizes compiles nothing. Random programs:
 * elementwise ops, sums and softmax along and across symbolic axes, products over them and with
 * them as rows and columns, attention. */
#include <math.h>

#include "api_fixture.h"
#include "target/target.h"

/* ---- random programs ---- */

enum { S = -1, T = -2, MOST_VALUES = 40, MOST_INPUTS = 16, MOST_RANK = 3 };

typedef struct shape {
    uint32_t rank;
    int64_t dims[MOST_RANK]; /* S and T are symbols */
} shape;

typedef struct sample {
    uint64_t state;
    char inputs[2048], body[8192];
    size_t n_inputs_text, n_body;
    uint32_t n_inputs;
    shape input[MOST_INPUTS];
    uint32_t n; /* values, and how each is called */
    shape shapes[MOST_VALUES];
    char names[MOST_VALUES][8];
    char text[12288];
    shape result;
} sample;

static uint32_t draw(sample *s, uint32_t below)
{
    s->state = s->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(s->state >> 33) % below;
}

static int64_t extent(sample *s)
{
    static const int64_t some[] = {S, S, T, 1, 5, 16, 40};
    return some[draw(s, sizeof some / sizeof some[0])];
}

static shape any_shape(sample *s)
{
    shape x = {.rank = 1 + draw(s, MOST_RANK)};
    for (uint32_t i = 0; i < x.rank; i++)
        x.dims[i] = extent(s);
    return x;
}

static const char *dim_name(int64_t d, char *room, size_t n)
{
    (void)snprintf(room, n, d == S ? "?S" : d == T ? "?T" : "%d", (int)d);
    return room;
}

/* `2x?S`, or `2, ?S` with SEPARATOR ", ". */
static const char *dims_of(const shape *x, const char *separator, char *room, size_t n)
{
    char one[16];
    size_t at = 0;
    room[0] = '\0';
    for (uint32_t i = 0; i < x->rank; i++)
        at += (size_t)snprintf(room + at, n - at, "%s%s", i ? separator : "",
                               dim_name(x->dims[i], one, sizeof one));
    return room;
}

static uint32_t put_input(sample *s, shape x)
{
    char room[64];
    const uint32_t i = s->n++;
    (void)snprintf(s->names[i], sizeof s->names[i], "%%x%u", (unsigned)s->n_inputs);
    s->n_inputs_text += (size_t)snprintf(
        s->inputs + s->n_inputs_text, sizeof s->inputs - s->n_inputs_text, "%s%s: tensor<f32, %s>",
        s->n_inputs ? ", " : "", s->names[i], dims_of(&x, "x", room, sizeof room));
    s->input[s->n_inputs++] = x;
    s->shapes[i] = x;
    return i;
}

/* A value of shape X: what FORMAT says. */
static uint32_t put_op(sample *s, shape x, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static uint32_t put_op(sample *s, shape x, const char *format, ...)
{
    char room[64];
    va_list args;
    const uint32_t i = s->n++;
    (void)snprintf(s->names[i], sizeof s->names[i], "%%v%u", (unsigned)i);
    s->n_body +=
        (size_t)snprintf(s->body + s->n_body, sizeof s->body - s->n_body, "  %s = ", s->names[i]);
    va_start(args, format);
    s->n_body += (size_t)vsnprintf(s->body + s->n_body, sizeof s->body - s->n_body, format, args);
    va_end(args);
    s->n_body += (size_t)snprintf(s->body + s->n_body, sizeof s->body - s->n_body,
                                  " -> tensor<f32, %s>\n", dims_of(&x, "x", room, sizeof room));
    s->shapes[i] = x;
    return i;
}

static uint32_t broadcast(sample *s, uint32_t v, shape x)
{
    char room[64];
    return put_op(s, x, "broadcast_to(%s) result_shape[%s]", s->names[v],
                  dims_of(&x, ", ", room, sizeof room));
}

static uint32_t reduce(sample *s, uint32_t v, uint32_t axis, const char *op)
{
    shape x = s->shapes[v];
    x.dims[axis] = 1;
    return put_op(s, x, "reduce_%s(%s) axes[%u] keepdims[true]", op, s->names[v], (unsigned)axis);
}

static uint32_t binary(sample *s, const char *op, uint32_t a, uint32_t b)
{
    return put_op(s, s->shapes[a], "%s(%s, %s)", op, s->names[a], s->names[b]);
}

static uint32_t softmax(sample *s, uint32_t v, uint32_t axis)
{
    const shape x = s->shapes[v];
    const uint32_t most = broadcast(s, reduce(s, v, axis, "max"), x);
    const uint32_t less = binary(s, "sub", v, most);
    const uint32_t e = put_op(s, x, "exp(%s)", s->names[less]);
    return binary(s, "div", e, broadcast(s, reduce(s, e, axis, "sum"), x));
}

/* V times an input, over AXIS of V, which has no batch. */
static uint32_t product(sample *s, uint32_t v, uint32_t axis)
{
    const shape x = s->shapes[v];
    const shape w = {2, {x.dims[axis], extent(s)}};
    shape y = {.rank = 0};
    for (uint32_t i = 0; i < x.rank; i++)
        if (i != axis)
            y.dims[y.rank++] = x.dims[i];
    y.dims[y.rank++] = w.dims[1];
    const uint32_t by = put_input(s, w);
    return put_op(s, y, "dot_general(%s, %s) contract_lhs[%u] contract_rhs[0]", s->names[v],
                  s->names[by], (unsigned)axis);
}

/* Attention of queries of length S or T over keys and values of length S. */
static uint32_t attention(sample *s)
{
    static const int64_t widths[] = {8, 16, 24};
    const int64_t heads = 1 + draw(s, 3), width = widths[draw(s, 3)], from = draw(s, 2) ? S : T;
    const shape x = {3, {heads, S, width}}, y = {3, {heads, from, width}};
    const uint32_t q = put_input(s, y), k = put_input(s, x), v = put_input(s, x);
    const uint32_t scores =
        put_op(s, (shape){3, {heads, from, S}},
               "dot_general(%s, %s) batch_lhs[0] batch_rhs[0] contract_lhs[2] contract_rhs[2]",
               s->names[q], s->names[k]);
    const uint32_t p = softmax(s, scores, 2);
    return put_op(s, y,
                  "dot_general(%s, %s) batch_lhs[0] batch_rhs[0] contract_lhs[2] contract_rhs[1]",
                  s->names[p], s->names[v]);
}

static uint32_t transpose(sample *s, uint32_t v)
{
    const shape x = s->shapes[v];
    if (x.rank == 2)
        return put_op(s, (shape){2, {x.dims[1], x.dims[0]}}, "transpose(%s) perm[1, 0]",
                      s->names[v]);
    return put_op(s, (shape){3, {x.dims[2], x.dims[0], x.dims[1]}}, "transpose(%s) perm[2, 0, 1]",
                  s->names[v]);
}

/* A value from V, or V itself. */
static uint32_t grow(sample *s, uint32_t v)
{
    static const char *const unary[] = {"tanh", "exp", "neg", "abs"};
    static const char *const reductions[] = {"sum", "max", "min"};
    const shape x = s->shapes[v];
    const uint32_t axis = draw(s, x.rank);
    switch (draw(s, 8)) {
    case 0:
        return put_op(s, x, "%s(%s)", unary[draw(s, 4)], s->names[v]);
    case 1:
        return binary(s, draw(s, 2) ? "add" : "mul", v, put_input(s, x));
    case 2:
        return softmax(s, v, axis);
    case 3:
        return broadcast(s, reduce(s, v, axis, reductions[draw(s, 3)]), x);
    case 4:
        return reduce(s, v, axis, reductions[draw(s, 3)]);
    case 5:
    case 6:
        return x.rank > 1 ? product(s, v, axis) : v;
    default:
        return x.rank > 1 ? transpose(s, v) : v;
    }
}

static void make_sample(sample *s, uint64_t seed)
{
    char room[64];
    memset(s, 0, sizeof *s);
    s->state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    uint32_t v = draw(s, 3) ? put_input(s, any_shape(s)) : attention(s);
    for (uint32_t i = 1 + draw(s, 4); i > 0 && s->n_inputs < MOST_INPUTS - 3 && s->n < 28; i--)
        v = grow(s, v);
    /* Both symbols are known from inputs. */
    const uint32_t known = put_input(s, (shape){2, {S, T}});
    const uint32_t all = reduce(s, reduce(s, known, 0, "sum"), 1, "sum");
    const uint32_t one = put_op(s, (shape){1, {1}}, "reshape(%s) new_shape[1]", s->names[all]);
    s->result = s->shapes[v];
    if (s->result.rank == 1)
        v = binary(s, "add", v, broadcast(s, one, s->result));
    (void)snprintf(s->text, sizeof s->text,
                   "func @main(%s) -> (tensor<f32, %s>, tensor<f32, 1>) {\n%s  return %s, %s\n}\n",
                   s->inputs, dims_of(&s->result, "x", room, sizeof room), s->body, s->names[v],
                   s->names[one]);
}

/* ---- running them ---- */

typedef struct sizes {
    int64_t s, t;
} sizes;

static int64_t bound(int64_t dim, sizes z)
{
    return dim == S ? z.s : dim == T ? z.t : dim;
}

static int64_t count(const shape *x, sizes z)
{
    int64_t n = 1;
    for (uint32_t i = 0; i < x->rank; i++)
        n *= bound(x->dims[i], z);
    return n;
}

static tn_buffer tensor(const shape *x, sizes z)
{
    tn_buffer b = {.type = {.dtype = TN_F32, .rank = x->rank}};
    for (uint32_t i = 0; i < x->rank; i++)
        b.type.dims[i] = bound(x->dims[i], z);
    b.bytes = (size_t)count(x, z) * sizeof(float);
    b.data = malloc(b.bytes + 1);
    return b;
}

static bool is_same(const float *a, const float *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (memcmp(&a[i], &b[i], sizeof a[i]) != 0 && !(isnan(a[i]) && isnan(b[i])))
            return false;
    return true;
}

/* Counts the compilations of a run. */
static void see(void *user, const tn_profile_event *e)
{
    unsigned *compilations = user;
    *compilations += strcmp(e->kind, "compile") == 0 && strcmp(e->name, "machine code") == 0;
}

/* Run P, and the evaluator's program REF, with sizes Z: are the bits the same? */
static bool agrees(const sample *s, const tn_program *p, const tn_program *ref, sizes z,
                   unsigned *compilations)
{
    tn_buffer in[MOST_INPUTS], got[2] = {{0}, {0}}, want[2] = {{0}, {0}};
    const tn_profiler profiler = {see, compilations};
    const tn_run_options o = {.profiler = compilations ? &profiler : NULL, .threads = 2};
    for (uint32_t i = 0; i < s->n_inputs; i++) {
        in[i] = tensor(&s->input[i], z);
        CHECK_INT(tn_program_random_input(p, i, i + 1, &in[i]), TN_OK);
    }
    const tn_status a = tn_program_run(p, in, s->n_inputs, got, 2, &o);
    const tn_status b = tn_program_run(ref, in, s->n_inputs, want, 2, NULL);
    bool same = a == TN_OK && b == TN_OK;
    for (int i = 0; same && i < 2; i++)
        same = got[i].bytes == want[i].bytes &&
               is_same(got[i].data, want[i].data, got[i].bytes / sizeof(float));
    for (int i = 0; i < 2; i++) {
        tn_buffer_release(p, &got[i]);
        tn_buffer_release(ref, &want[i]);
    }
    for (uint32_t i = 0; i < s->n_inputs; i++)
        free(in[i].data);
    return same;
}

static tn_program *compile(tn_context *cx, const char *text, const char *engine, const char *cpu)
{
    static const tn_cache_options off = {.off = true};
    const tn_compile_options o = {.engine = engine, .cpu = cpu, .cache = &off, .threads = 2};
    const tn_read_options read = {.dialect = "ptir-text"};
    tn_module *m = NULL;
    tn_program *p = NULL;
    CHECK_INT(tn_module_read(cx, &read, text, strlen(text), &m), TN_OK);
    const tn_status status = m ? tn_program_compile(m, &o, &p) : TN_OK;
    CHECK(status == TN_OK || (cpu && status == TN_ERR_UNAVAILABLE)); /* another kind of machine */
    tn_module_free(m);
    return p;
}

static void test_random(tn_context *cx, uint64_t first, uint64_t n)
{
    static const sizes all[] = {{100, 40}, {77, 130}, {0, 5}, {1, 1},   {3, 17},
                                {33, 32},  {257, 2},  {5, 0}, {130, 64}};
    static const char *const cpus[] = {"x86-64", "x86-64-v2", "x86-64-v3", NULL};
    sample *s = malloc(sizeof *s);
    for (uint64_t seed = first; s && seed < first + n; seed++) {
        make_sample(s, seed);
        tn_program *ref = compile(cx, s->text, "ref", NULL);
        tn_program *p = compile(cx, s->text, NULL, cpus[seed % 4]);
        for (size_t i = 0; p && ref && i < sizeof all / sizeof all[0]; i++) {
            const bool same = agrees(s, p, ref, all[i], NULL);
            CHECK(same);
            if (!same)
                printf("seed %u, S=%d, T=%d:\n%s", (unsigned)seed, (int)all[i].s, (int)all[i].t,
                       s->text);
        }
        tn_program_free(p);
        tn_program_free(ref);
    }
    free(s);
}

/* ---- programs that are compiled once ---- */

static void begin(sample *s)
{
    memset(s, 0, sizeof *s);
    s->state = 1;
}

static void finish(sample *s, uint32_t v)
{
    char room[64];
    s->result = s->shapes[v];
    const char *result = dims_of(&s->result, "x", room, sizeof room);
    (void)snprintf(s->text, sizeof s->text,
                   "func @main(%s) -> (tensor<f32, %s>, tensor<f32, %s>) {\n%s  return %s, %s\n}\n",
                   s->inputs, result, result, s->body, s->names[v], s->names[v]);
}

static uint32_t elementwise_of(sample *s)
{
    const uint32_t x = put_input(s, (shape){2, {S, 40}});
    return binary(s, "mul", put_op(s, s->shapes[x], "tanh(%s)", s->names[x]), x);
}

static uint32_t sums_of(sample *s)
{
    return reduce(s, put_input(s, (shape){2, {40, S}}), 1, "sum");
}

static uint32_t columns_of(sample *s)
{
    return reduce(s, put_input(s, (shape){2, {S, 30}}), 0, "sum");
}

static uint32_t softmax_of(sample *s)
{
    return softmax(s, put_input(s, (shape){2, {T, S}}), 1);
}

static uint32_t product_of(sample *s)
{
    const uint32_t x = put_input(s, (shape){2, {64, S}}), w = put_input(s, (shape){2, {S, 48}});
    return put_op(s, (shape){2, {64, 48}}, "dot_general(%s, %s) contract_lhs[1] contract_rhs[0]",
                  s->names[x], s->names[w]);
}

static uint32_t attention_of(sample *s)
{
    const shape x = {3, {2, S, 16}};
    const uint32_t q = put_input(s, x), k = put_input(s, x), v = put_input(s, x);
    const uint32_t scores =
        put_op(s, (shape){3, {2, S, S}},
               "dot_general(%s, %s) batch_lhs[0] batch_rhs[0] contract_lhs[2] contract_rhs[2]",
               s->names[q], s->names[k]);
    const uint32_t p = softmax(s, scores, 2);
    return put_op(s, x,
                  "dot_general(%s, %s) batch_lhs[0] batch_rhs[0] contract_lhs[2] contract_rhs[1]",
                  s->names[p], s->names[v]);
}

static void test_second_binding(tn_context *cx, uint32_t make(sample *s), const char *what)
{
    static const sizes some[] = {{200, 100}, {170, 60}, {333, 77}};
    sample *s = malloc(sizeof *s);
    if (!s)
        return;
    begin(s);
    finish(s, make(s));
    tn_program *ref = compile(cx, s->text, "ref", NULL), *p = compile(cx, s->text, NULL, NULL);
    for (int i = 0; p && ref && i < 3; i++) {
        unsigned compilations = 0;
        CHECK(agrees(s, p, ref, some[i], &compilations));
        CHECK_INT(compilations, i == 0 && target_llvm_is_installed());
        if (i > 0 && compilations)
            printf("%s: S=%d is compiled\n", what, (int)some[i].s);
    }
    tn_program_free(p);
    tn_program_free(ref);
    free(s);
}

int main(int argc, char **argv)
{
    const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    const uint64_t n = argc > 2 ? strtoull(argv[2], NULL, 10) : 24;
    tn_context *cx = tn_context_new(NULL, NULL);
    test_second_binding(cx, elementwise_of, "elementwise");
    test_second_binding(cx, sums_of, "sums");
    test_second_binding(cx, columns_of, "sums of columns");
    test_second_binding(cx, softmax_of, "softmax");
    test_second_binding(cx, product_of, "product");
    test_second_binding(cx, attention_of, "attention");
    test_random(cx, first, n);
    tn_context_free(cx);
    return check_result();
}
