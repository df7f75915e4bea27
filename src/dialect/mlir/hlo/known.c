/* What is known of results because it is known of operands: shapes are computed by operations on
 * small integers, from what get_dimension_size gives. A known number stands beside the data; a
 * value with sizes has no data until some are asked for. */
#include "dialect/mlir/hlo/lower.h"

#include "graph/literal.h"

enum { MOST_ELEMENTS = 64 }; /* larger values are no shapes */

known_room shlo_room(shlo_reader *r)
{
    return (known_room){&r->memory, &r->m->types, r->least_size, &r->no_memory};
}

dim shlo_dim(shlo_call *c, dim_op op, dim a, dim b)
{
    const dim r = dim_combine(&c->r->m->types, op, a, b);
    if (r != DIM_NO_MEMORY)
        return r;
    (void)shlo_no_memory(c->r);
    return 0;
}

/* ---- operands ---- */

static bool is_small(tn_dtype d, const int64_t *dims, uint32_t rank)
{
    int64_t n = 1;
    bool small = rank <= 2 && known_keeps(d) && !dtype_is_float(d);
    for (uint32_t i = 0; small && i < rank; i++) {
        small = dims[i] >= 0 && dims[i] <= MOST_ELEMENTS;
        n *= small ? dims[i] : 1;
    }
    return small && n <= MOST_ELEMENTS;
}

/* Of a constant, which is read once more for this. */
static const known_value *known_constant(shlo_call *c, const shlo_value *v)
{
    literal l;
    const type *t = v->type;
    if (!t || !is_small(t->dtype, t->dims, t->rank) ||
        !shlo_dense(c->r, v->dense, t, c->op->at, &l))
        return NULL;
    known_value *k = known_new(&c->r->memory, t->dtype, t->dims, t->rank);
    for (uint32_t i = 0; k && i < k->n; i++) {
        const scalar s = scalar_load(t->dtype, literal_element(&l, i));
        k->at[i].i = dtype_is_signed(t->dtype) ? s.i : (int64_t)s.u;
    }
    if (!k)
        (void)shlo_no_memory(c->r);
    return k;
}

const known_value *shlo_known(shlo_call *c, uint32_t k)
{
    shlo_value *v = &c->frame->values[c->op->in[k]->number];
    if (!v->known && v->dense)
        v->known = known_constant(c, v);
    return v->known;
}

bool shlo_known_number(shlo_call *c, uint32_t k, int64_t *out)
{
    const known_value *known = shlo_known(c, k);
    if (!known || known->n != 1 || known->at[0].is_size)
        return false;
    *out = known->at[0].i;
    return true;
}

bool shlo_unknown_shape(shlo_call *c, const char *what)
{
    (void)shlo_refuse(c, DIAG_ShapeUnknown, "%s is not known while the text is read", what);
    shlo_advise(c->r, arena_printf(&c->r->memory, "give the sizes that it depends on: %s NAME=N",
                                   diag_setting_name(&c->r->m->cx->diag, SETTING_BINDINGS)));
    return false;
}

/* Operand K as a list of N numbers and sizes. */
bool shlo_shape_in(shlo_call *c, uint32_t k, const char *what, bool is_signed, int64_t *out,
                   uint32_t *n)
{
    const known_value *known = shlo_known(c, k);
    if (!known)
        return shlo_unknown_shape(c, what);
    if (known->rank != 1 || known->n > TN_MAX_RANK)
        return shlo_refuse(c, DIAG_RankMismatch, "%s is no list of at most %d numbers", what,
                           TN_MAX_RANK);
    for (uint32_t i = 0; i < known->n; i++) {
        out[i] = known->at[i].i;
        if (!known->at[i].is_size && (out[i] > INT32_MAX * INT64_C(1024) || out[i] < INT32_MIN ||
                                      (out[i] < 0 && !is_signed)))
            return shlo_refuse(c, DIAG_InvalidDimension, "%s has an entry that is out of range",
                               what);
    }
    *n = known->n;
    return true;
}

/* ---- results ---- */

bool shlo_give_known(shlo_call *c, uint32_t k, const known_value *known)
{
    const shlo_value v = {.known = known, .is_of_sizes = true};
    return known ? shlo_give_value(c, k, &v) : shlo_no_memory(c->r);
}

const known_value *shlo_known_size(shlo_reader *r, tn_dtype d, dim size)
{
    known_value *k = known_new(&r->memory, d, NULL, 0);
    if (k)
        k->at[0] = known_extent(size);
    else
        (void)shlo_no_memory(r);
    return k;
}

tn_value shlo_known_data(shlo_reader *r, const known_value *k)
{
    if (known_has_sizes(k))
        return known_sizes_data(&r->b, &r->memory, k);
    void *data = arena_alloc_aligned(&r->memory, k->n * dtype_bytes(k->dtype) + 1, 16);
    if (!data) {
        (void)shlo_no_memory(r);
        return tn_no_value();
    }
    known_store(k, data);
    return tn_constant(&r->b, k->dtype, (tn_ints){k->dims, k->rank}, data);
}

/* ---- operations ---- */

typedef const known_value *known_result(shlo_call *c, int arg);

static bool same_dims(const known_value *x, const known_value *y)
{
    return x->rank == y->rank &&
           (x->rank == 0 || memcmp(x->dims, y->dims, x->rank * sizeof *x->dims) == 0);
}

static const known_value *binary(shlo_call *c, int how)
{
    const known_room room = shlo_room(c->r);
    const known_value *x = shlo_known(c, 0), *y = shlo_known(c, 1);
    const bool is_logical = how == KNOWN_AND || how == KNOWN_OR;
    if ((x && y && !same_dims(x, y)) || (shlo_out_type(c, 0)->dtype == TN_I1) != is_logical)
        return NULL;
    return known_binary(&room, (known_arithmetic)how, x, y, shlo_out_type(c, 0)->dtype);
}

static const known_value *unary(shlo_call *c, int how)
{
    const known_room room = shlo_room(c->r);
    if ((shlo_out_type(c, 0)->dtype == TN_I1) != (how == KNOWN_NOT))
        return NULL;
    return known_unary(&room, (known_arithmetic)how, shlo_known(c, 0));
}

static const known_value *compare(shlo_call *c, int arg)
{
    static const struct {
        const char *word;
        known_arithmetic how;
    } directions[] = {{"EQ", KNOWN_EQUAL},   {"NE", KNOWN_NOT_EQUAL},
                      {"LT", KNOWN_LESS},    {"LE", KNOWN_LESS_OR_EQUAL},
                      {"GT", KNOWN_GREATER}, {"GE", KNOWN_GREATER_OR_EQUAL}};
    const known_room room = shlo_room(c->r);
    const known_value *x = shlo_known(c, 0), *y = shlo_known(c, 1);
    const mir_text word = shlo_word(c, "comparison_direction");
    (void)arg;
    if (!x || !y || !same_dims(x, y))
        return NULL;
    for (size_t i = 0; i < sizeof directions / sizeof *directions; i++)
        if (mir_is(word, directions[i].word))
            return known_binary(&room, directions[i].how, x, y, TN_I1);
    return NULL;
}

static const known_value *select_by(shlo_call *c, int arg)
{
    const known_room room = shlo_room(c->r);
    const known_value *p = shlo_known(c, 0), *x = shlo_known(c, 1), *y = shlo_known(c, 2);
    (void)arg;
    return p && x && y && same_dims(x, y) ? known_select(&room, p, x, y) : NULL;
}

static const known_value *clamp(shlo_call *c, int arg)
{
    const known_room room = shlo_room(c->r);
    const known_value *low = shlo_known(c, 0), *x = shlo_known(c, 1), *high = shlo_known(c, 2);
    (void)arg;
    x = x ? known_binary(&room, KNOWN_MAX, x, low, x->dtype) : NULL;
    return x ? known_binary(&room, KNOWN_MIN, x, high, x->dtype) : NULL;
}

static const known_value *convert(shlo_call *c, int arg)
{
    const known_room room = shlo_room(c->r);
    const known_value *x = shlo_known(c, 0);
    (void)arg;
    return shlo_out_type(c, 0)->dtype == TN_I1 ? NULL
                                               : known_cast(&room, x, shlo_out_type(c, 0)->dtype);
}

static const known_value *reshape(shlo_call *c, int arg)
{
    const mir_type *t = shlo_out_type(c, 0);
    const known_value *x = shlo_known(c, 0);
    int64_t n = 1;
    (void)arg;
    for (uint32_t i = 0; i < t->rank; i++)
        n *= t->dims[i]; /* small, or this is not asked */
    return x && n == (int64_t)x->n ? known_shaped(&c->r->memory, x, t->dims, t->rank) : NULL;
}

/* Of one element, or with the axes that it has. */
static const known_value *broadcast_in_dim(shlo_call *c, int arg)
{
    const known_room room = shlo_room(c->r);
    const mir_type *t = shlo_out_type(c, 0);
    const known_value *x = shlo_known(c, 0);
    int64_t axes[TN_MAX_RANK];
    uint32_t n;
    (void)arg;
    if (!x || (x->n != 1 && x->rank != t->rank) ||
        !shlo_axes(c, "broadcast_dimensions", t->rank, axes, &n))
        return NULL;
    for (uint32_t i = 0; x->n != 1 && i < n; i++)
        if (axes[i] != (int64_t)i)
            return NULL;
    if (x->n == 1)
        x = known_shaped(&c->r->memory, x, NULL, 0);
    return known_broadcast(&room, x, t->dims, t->rank);
}

static const known_value *concatenate(shlo_call *c, int arg)
{
    const known_room room = shlo_room(c->r);
    const known_value *in[MOST_ELEMENTS];
    const mir_type *t = shlo_out_type(c, 0);
    int64_t axis;
    (void)arg;
    if (c->op->n_in > MOST_ELEMENTS || !shlo_int(c, "dimension", 0, &axis) || axis != 0)
        return NULL;
    for (uint32_t i = 0; i < c->op->n_in; i++) {
        in[i] = shlo_known(c, i);
        if (in[i] && in[i]->rank == 2) /* rows, which lie one after the other, too */
            in[i] = known_shaped(&c->r->memory, in[i], (int64_t[]){in[i]->n}, 1);
    }
    const known_value *all = known_concat(&room, in, c->op->n_in);
    return all && t->rank == 2 && (int64_t)all->n == t->dims[0] * t->dims[1]
               ? known_shaped(&c->r->memory, all, t->dims, 2)
               : all;
}

static const known_value *slice(shlo_call *c, int arg)
{
    const known_room room = shlo_room(c->r);
    const known_value *x = shlo_known(c, 0);
    int64_t start, end, step;
    (void)arg;
    if (!x || x->rank != 1 || !shlo_ints_or(c, "start_indices", 1, 0, &start) ||
        !shlo_ints_or(c, "limit_indices", 1, 0, &end) || !shlo_ints_or(c, "strides", 1, 1, &step) ||
        start < 0 || start > end || end > (int64_t)x->n || step < 1)
        return NULL;
    return known_slice(&room, x, 0, start, step, end > start ? (end - start - 1) / step + 1 : 0);
}

static const struct {
    const char *name;
    known_result *result;
    int arg;
} rows[] = {
    {"stablehlo.add", binary, KNOWN_ADD},
    {"stablehlo.subtract", binary, KNOWN_SUB},
    {"stablehlo.multiply", binary, KNOWN_MUL},
    {"stablehlo.divide", binary, KNOWN_DIV},
    {"stablehlo.remainder", binary, KNOWN_REM},
    {"stablehlo.maximum", binary, KNOWN_MAX},
    {"stablehlo.minimum", binary, KNOWN_MIN},
    {"stablehlo.and", binary, KNOWN_AND},
    {"stablehlo.or", binary, KNOWN_OR},
    {"stablehlo.negate", unary, KNOWN_NEG},
    {"stablehlo.sign", unary, KNOWN_SIGN},
    {"stablehlo.abs", unary, KNOWN_ABS},
    {"stablehlo.not", unary, KNOWN_NOT},
    {"stablehlo.compare", compare, 0},
    {"stablehlo.select", select_by, 0},
    {"stablehlo.clamp", clamp, 0},
    {"stablehlo.convert", convert, 0},
    {"stablehlo.reshape", reshape, 0},
    {"stablehlo.broadcast_in_dim", broadcast_in_dim, 0},
    {"stablehlo.concatenate", concatenate, 0},
    {"stablehlo.slice", slice, 0},
};

/* Are all operands known, or computed from what is? */
static bool is_of_sizes(const shlo_call *c)
{
    bool all = true;
    for (uint32_t k = 0; all && k < c->op->n_in; k++)
        all = shlo_value_of(c, k)->is_of_sizes || shlo_value_of(c, k)->dense;
    return all;
}

const known_value *shlo_known_result(shlo_call *c, bool *of_sizes)
{
    const mir_op *o = c->op;
    *of_sizes = false;
    if (o->n_out != 1 || shlo_out_type(c, 0)->kind != MIR_TENSOR ||
        !is_small(shlo_out_type(c, 0)->dtype, shlo_out_type(c, 0)->dims, shlo_out_type(c, 0)->rank))
        return NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!mir_is(o->name, rows[i].name))
            continue;
        const known_value *k = rows[i].result(c, rows[i].arg);
        *of_sizes = k || is_of_sizes(c);
        return k && k->dtype == shlo_out_type(c, 0)->dtype ? k : NULL;
    }
    return NULL;
}
