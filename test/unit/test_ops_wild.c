/* Every op with random operands and random, often absurd attributes: it is rejected, fails with a
 * report, or gives results; nothing else. Most useful with sanitizers. */
#include "ops_ptir_case.h"

enum { ROUNDS = 25000, LIMIT = 1 << 14 };

static uint64_t state = 12345;

static uint64_t pick(uint64_t n)
{
    return next_random(&state) % n;
}

static int64_t wild_int(void)
{
    static const int64_t absurd[] = {
        INT64_MIN, INT64_MIN + 1, INT64_MIN / 2,   -7, -2, 5, 7, 1 << 20,
        INT32_MAX, INT64_MAX,     (int64_t)1 << 40};
    if (pick(20) == 0)
        return absurd[pick(sizeof absurd / sizeof absurd[0])];
    return (int64_t)pick(6) - 1;
}

static tn_dtype wild_dtype(void)
{
    static const tn_dtype usual[] = {TN_F32, TN_F32, TN_SI32, TN_SI64, TN_I1};
    return pick(3) ? usual[pick(5)] : (tn_dtype)pick(TN_DTYPE_COUNT);
}

static const type *wild_type(use *u)
{
    dim dims[5];
    const uint32_t rank = (uint32_t)pick(5);
    for (uint32_t i = 0; i < rank; i++) {
        dims[i] = (dim)pick(5);
        if (pick(60) == 0)
            dims[i] = dim_symbol(&u->m->types, module_string(u->m, pick(2) ? "A" : "B", 1));
    }
    return type_of(&u->m->types, wild_dtype(), dims, rank);
}

static value_id wild_operand(use *u, const type *t)
{
    char data[256 * 16];
    if (t->count < 0) {
        attr entries[] = {{.key = KEY_NAME, .v.s = module_string(u->m, "x", 1)},
                          {.key = KEY_TYPE, .v.type = t}};
        return build_node(&u->b, OP_INPUT, NULL, 0, entries, 2);
    }
    random_elements(&state, t->dtype, data, t->count <= 256 ? (size_t)t->count : 0, true);
    if (t->count <= 256)
        return build_constant(&u->b, t->dtype, t->dims, t->rank, data);
    return build_splat(&u->b, t->dtype, t->dims, t->rank, scalar_of_int(1));
}

/* Room for the lists and scalars of one node's attributes. */
typedef struct wild {
    int64_t ints[8][8];
    scalar scalars[4];
    const type *types[4];
    uint32_t n_ints, n_scalars;
} wild;

static attr wild_attr(use *u, wild *w, attr_key key, uint32_t rank)
{
    static const char *const maps[] = {"i0;i1",        "i0",       "i0 % 2; i1 // 2", "2 - i0; 0",
                                       "i0*i1",        "A; i0",    "(i0+i1)%3",       "i0//-1",
                                       "i0;i1;i2;i3;", "i0 + + 1", "1;1;1",           ""};
    attr a = {.key = (uint8_t)key};
    switch (attr_keys[key].kind) {
    case ATTR_INT:
    case ATTR_FUNCTION:
        a.v.i = wild_int();
        break;
    case ATTR_BOOL:
        a.v.i = (int64_t)pick(2);
        break;
    case ATTR_FLOAT:
        a.v.f = (double)wild_int() / 8;
        break;
    case ATTR_INTS: {
        int64_t *ints = w->ints[w->n_ints++];
        a.n = pick(8) ? rank : (uint32_t)pick(8);
        if (rank > 2 && pick(4) == 0)
            a.n = rank - 2;
        if (key == KEY_PADS && pick(8))
            a.n = rank > 2 && pick(2) ? 2 * rank - 4 : 2 * rank;
        if ((key == KEY_AXES || key == KEY_CONTRACT_LHS || key == KEY_CONTRACT_RHS) && pick(4))
            a.n = (uint32_t)pick(3);
        a.n = a.n > 8 ? 8 : a.n;
        for (uint32_t i = 0; i < a.n; i++)
            ints[i] = pick(3) ? (int64_t)pick(3) : wild_int();
        a.v.ints = ints;
        break;
    }
    case ATTR_WORD:
        a.v.i = pick(10) ? (int64_t)pick(4) : wild_int();
        break;
    case ATTR_DTYPE:
        a.v.i = pick(10) ? (int64_t)wild_dtype() : wild_int();
        break;
    case ATTR_STRING: {
        const char *text = key == KEY_INDEX_MAP ? maps[pick(sizeof maps / sizeof maps[0])] : "x";
        a.v.s = module_string(u->m, text, strlen(text));
        break;
    }
    case ATTR_SCALAR: {
        scalar *s = &w->scalars[w->n_scalars++];
        *s = pick(2) ? scalar_of_float((double)wild_int() / 2) : scalar_of_int(wild_int());
        a.v.scalar = s;
        break;
    }
    case ATTR_TYPE:
        a.v.type = wild_type(u);
        break;
    case ATTR_TYPES:
        a.n = (uint32_t)pick(4);
        for (uint32_t i = 0; i < a.n; i++)
            w->types[i] = wild_type(u);
        a.v.types = w->types;
        break;
    case ATTR_LITERAL:
    case ATTR_DICT: /* empty */
        break;
    }
    return a;
}

/* Functions 1 and 2: f32[2] to itself, and i1[] beside it. */
static void add_regions(use *u)
{
    const dim two = 2;
    const uint8_t no = 0;
    for (int k = 0; k < 2; k++) {
        function *f = module_add_function(u->m, k ? "b" : "a", 1);
        f->is_region = true;
        builder b = builder_on(f, NO_SPAN);
        attr entries[] = {{.key = KEY_NAME, .v.s = module_string(u->m, "0", 1)},
                          {.key = KEY_TYPE, .v.type = type_of(&u->m->types, TN_F32, &two, 1)}};
        const value_id x = build_node(&b, OP_INPUT, NULL, 0, entries, 2);
        if (k)
            CHECK_INT(function_add_output(f, build_constant(&b, TN_I1, RANK0, &no)), TN_OK);
        CHECK_INT(function_add_output(f, x), TN_OK);
    }
}

/* A type for operand K that OP may well take, given that of operand 0. */
static const type *likely_type(use *u, op_id op, uint32_t k, const type *first)
{
    type_table *t = &u->m->types;
    const dim rank = first->rank, rows = first->rank ? first->dims[0] : 2;
    switch ((int)op) {
    case OP_CONV2D:
    case OP_CONV2D_GRAD_INPUT:
    case OP_CONV2D_GRAD_FILTER:
        return type_of(t, TN_F32, (const dim[]){(dim)pick(3) + 1, 3, 2, 2}, 4);
    case OP_EXTRACT_PATCHES:
        return type_of(t, TN_F32, (const dim[]){2, 4, 4, 2}, 3 + (uint32_t)pick(2));
    case OP_SCATTER_ADD:
        return k == 1 ? type_of(t, TN_SI32, (const dim[]){2}, 1)
                      : type_of(t, TN_F32, (const dim[]){2, 3}, 2 - (uint32_t)pick(2));
    case OP_SEGMENT_REDUCE:
        return k ? type_of(t, TN_SI32, &rows, 1) : wild_type(u);
    case OP_DYNAMIC_SLICE:
        return k ? type_of(t, TN_SI64, &rank, 1) : wild_type(u);
    case OP_DYNAMIC_UPDATE_SLICE:
        return k == 2 ? type_of(t, TN_SI64, &rank, 1) : k == 1 ? first : wild_type(u);
    case OP_COND:
        return k ? type_of(t, TN_F32, (const dim[]){2}, 1) : type_scalar(t, TN_I1);
    case OP_WHILE:
        return type_of(t, TN_F32, (const dim[]){2}, 1);
    case OP_SCAN:
        return type_of(t, TN_F32, (const dim[]){3, 2}, 2);
    default:
        return k ? type_with_dtype(t, first, first->dtype) : wild_type(u);
    }
}

/* True when the op gave results. */
static bool try_op(op_id op)
{
    const op_info *info = &op_table[op];
    const uint32_t most = info->max_in == ARITY_ANY ? info->min_in + 2u : info->max_in;
    uint32_t n_in = info->min_in + (uint32_t)pick(most - info->min_in + 1);
    attr entries[16];
    uint32_t n_attrs = 0;
    wild w = {.n_ints = 0};
    use u;
    use_init(&u);
    add_regions(&u);
    n_in = n_in > MOST ? MOST : n_in;
    const type *first = likely_type(&u, op, 0, type_scalar(&u.m->types, TN_F32));
    for (uint32_t k = 0; k < n_in; k++) {
        const tn_dtype d = k == 1 && (info->traits & T_INDEXES) && pick(4) ? TN_SI32 : first->dtype;
        const type *t = k == 0    ? first
                        : pick(3) ? likely_type(&u, op, k, first)
                        : pick(4) ? type_with_dtype(&u.m->types, first, d)
                                  : wild_type(&u);
        u.in[k] = wild_operand(&u, t);
    }
    for (uint32_t k = 0; k < info->n_attrs && n_attrs < 8; k++)
        if (pick(20) < (info->attrs[k].required ? 19 : 6))
            entries[n_attrs++] = wild_attr(&u, &w, info->attrs[k].key, first->rank);
    const value_id v = build_node(&u.b, op, u.in, n_in, entries, n_attrs);
    bool done = false;
    if (u.b.status != TN_OK) {
        diag_flush(&u.cx->diag);
        CHECK(u.kind[0] != '\0');
        CHECK(strcmp(u.kind, "InternalError") != 0);
    } else if (v < u.b.f->values.n) {
        eval_run r = {.cx = u.cx, .bytes_limit = LIMIT};
        const uint32_t n = node_of(u.b.f, v)->n_results;
        tensor out[256] = {{0}};
        bool is_static = u.b.f->inputs.n == 0;
        for (uint32_t i = 0; i < n; i++) {
            CHECK_INT(function_add_output(u.b.f, v + i), TN_OK);
            is_static = is_static && type_is_static(value_type(u.b.f, v + i));
        }
        CHECK_INT(module_verify(u.m, NULL), TN_OK);
        if (is_static) {
            done = evaluate(&r, u.b.f, NULL, out) == TN_OK;
            diag_flush(&u.cx->diag);
            CHECK(done || u.kind[0] != '\0');
            CHECK_INT(r.bytes_alive, 0);
        }
        for (uint32_t i = 0; done && i < n; i++) {
            size_t bytes = 0;
            CHECK(type_bytes(out[i].type, &bytes));
            memory_free(&u.cx->allocator, out[i].data, bytes);
        }
    }
    use_free(&u);
    return done;
}

int main(void)
{
    uint32_t done[OP_COUNT] = {0};
    for (int i = 0; i < ROUNDS; i++) {
        const op_id op = (op_id)pick(OP_COUNT);
        if (op != OP_INPUT && op != OP_CONSTANT)
            done[op] += try_op(op);
    }
    for (int op = 0; op < OP_COUNT; op++)
        if (done[op] == 0 && op != OP_INPUT && op != OP_CONSTANT)
            printf("%s was never accepted\n", op_table[op].text);
    return check_result();
}
