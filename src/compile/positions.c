/* Reproducible data to try programs out on. Each element is a hash of (seed, input, element), so
 * nothing depends on the order in which elements are made. */
#include "base/checked.h"
#include "compile/program.h"
#include "ops/attr_rules.h"
#include "ops/scatter.h"

enum { CHUNK = 256 };

/* The finaliser of splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
 * 2014). */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

static uint64_t nth(uint64_t key, uint64_t i)
{
    return mix(key + 0x9e3779b97f4a7c15U * (i + 1));
}

static void fill_floats(tn_dtype d, uint64_t key, void *data, uint64_t n)
{
    double chunk[CHUNK];
    unsigned precision = dtype_table[d].precision;
    double unit = 1.0 / (double)((uint64_t)1 << (precision - 1));
    for (uint64_t i = 0; i < n; i += CHUNK) {
        size_t count = n - i < CHUNK ? (size_t)(n - i) : CHUNK;
        for (size_t k = 0; k < count; k++) {
            int64_t units = (int64_t)(nth(key, i + k) >> (64 - precision));
            chunk[k] = (double)(units - ((int64_t)1 << (precision - 1))) * unit;
        }
        (void)dtype_cast(TN_F64, chunk, d, (char *)data + i * dtype_bytes(d), count);
    }
}

static int64_t integer_from(tn_dtype d, uint64_t hash, int64_t positions)
{
    if (dtype_is_bool(d))
        return (int64_t)(hash >> 63);
    if (positions > 0)
        return (int64_t)(((__uint128_t)hash * (uint64_t)positions) >> 64);
    return (int64_t)(hash >> 60) - (dtype_is_signed(d) ? 8 : 0);
}

static void fill_integers(tn_dtype d, uint64_t key, int64_t positions, void *data, uint64_t n)
{
    int64_t chunk[CHUNK];
    for (uint64_t i = 0; i < n; i += CHUNK) {
        size_t count = n - i < CHUNK ? (size_t)(n - i) : CHUNK;
        for (size_t k = 0; k < count; k++)
            chunk[k] = integer_from(d, nth(key, i + k), positions);
        (void)dtype_cast(TN_SI64, chunk, d, (char *)data + i * dtype_bytes(d), count);
    }
}

tn_status tn_program_random_input(const tn_program *p, size_t index, uint64_t seed,
                                  tn_buffer *buffer)
{
    int64_t n;
    if (index >= p->n_inputs || !public_type_fits(&buffer->type, &p->inputs[index].type) ||
        !product_i64(buffer->type.dims, buffer->type.rank, &n))
        return TN_ERR_USAGE;
    tn_dtype d = buffer->type.dtype;
    uint64_t count = (uint64_t)n;
    if (count > buffer->bytes / dtype_bytes(d))
        return TN_ERR_USAGE;
    uint64_t key = nth(mix(seed), index);
    if (dtype_is_complex(d))
        fill_floats(dtype_table[d].part, key, buffer->data, 2 * count);
    else if (dtype_is_float(d))
        fill_floats(d, key, buffer->data, count);
    else
        fill_integers(d, key, p->positions[index], buffer->data, count);
    return TN_OK;
}

/* The input that V is, or UINT32_MAX. Inputs are few beside nodes, and sorted by id. */
static uint32_t input_of(const function *f, value_id v)
{
    uint32_t low = 0, high = f->inputs.n;
    if (node_of(f, v)->op != OP_INPUT)
        return UINT32_MAX;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (f->inputs.at[middle] < v)
            low = middle + 1;
        else
            high = middle;
    }
    return low < f->inputs.n && f->inputs.at[low] == v ? low : UINT32_MAX;
}

/* The least of the extents that index vectors of the scatter_add N count in, less the windows that
 * begin there. */
static dim scatter_extent(const function *f, const node *n)
{
    const type *x = value_type(f, n->in[0]), *updates = value_type(f, n->in[2]);
    scatter_axes s;
    dim room[TN_MAX_RANK], least = 0;
    find_scatter_axes(n->attrs, x, value_type(f, n->in[1]), updates, &s);
    for (uint32_t i = 0, u = 0; i < x->rank; i++) {
        room[i] = x->dims[i];
        if (s.inserted_mask >> i & 1)
            continue;
        while (!(s.window_mask >> u & 1))
            u++;
        const dim window = updates->dims[u++];
        room[i] = room[i] > 0 && window >= 0 ? room[i] - window + 1 : 0;
    }
    for (uint32_t i = 0; i < s.n_components; i++)
        if (i == 0 || room[s.component_axis[i]] < least)
            least = room[s.component_axis[i]];
    return least;
}

/* The extent that N counts in with its operand 1; not positive: none that is known. */
static dim positions_of(const function *f, const node *n)
{
    const type *x = n->n_in > 1 ? value_type(f, n->in[0]) : NULL;
    switch ((int)n->op) {
    case OP_TAKE:
        return x && x->rank > 0 ? x->dims[0] : 0;
    case OP_GATHER:
    case OP_SCATTER_REDUCE:
        return x->dims[resolve_axis(n->attrs, KEY_AXIS, x->rank)];
    case OP_SCATTER_ROWS:
    case OP_SEGMENT_REDUCE:
        return value_type(f, n->first_value)->dims[0];
    case OP_SCATTER_ADD:
        return scatter_extent(f, n);
    default:
        return 0;
    }
}

void find_positions(const module *m, int64_t *positions)
{
    const function *f = module_entry(m);
    for (uint32_t i = 0; i < f->nodes.n; i++) {
        const node *n = &f->nodes.at[i];
        const dim extent = positions_of(f, n);
        const uint32_t input = extent > 0 ? input_of(f, n->in[1]) : UINT32_MAX;
        if (input != UINT32_MAX && (positions[input] == 0 || positions[input] > extent))
            positions[input] = extent;
    }
}
