/* Reproducible data to try programs out on. Each element is a hash of (seed, input, element), so
 * nothing depends on the order in which elements are made. */
#include <inttypes.h>

#include "api/programs/programs.h"
#include "base/memory/checked.h"
#include "base/memory/hash.h"
#include "base/memory/wide.h"
#include "runtime/result.h"

enum { CHUNK = 256 };

static uint64_t nth(uint64_t key, uint64_t i)
{
    return hash_splitmix(key + 0x9e3779b97f4a7c15U * (i + 1));
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
        return (int64_t)wide_multiply(hash, (uint64_t)positions).high;
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

/* Memory for input INDEX of P. */
static tn_status make_room(diag_channel *d, const tn_program *p, size_t index, tn_buffer *buffer)
{
    const tn_port *port = &p->inputs[index];
    size_t bytes;
    if (!public_type_is_valid(&port->type, false)) {
        text_buffer names;
        text_init(&names, &p->allocator);
        unknown_sizes(p, index, 1, &names);
        const char *list = text_c_string(&names);
        const tn_status s =
            list ? diag_report(d, DIAG_Usage, NULL, NO_SPAN,
                               "input %zu ('%s') cannot be made without a value for %s", index,
                               port->name, list)
                 : diag_no_memory(d);
        diag_node(d, port->name);
        text_release(&names);
        return s;
    }
    if (!public_type_bytes(&port->type, &bytes))
        return diag_report(d, DIAG_AllocationFailure, NULL, NO_SPAN,
                           "%s: the array has too many elements", port->name);
    if (bytes > p->cx->limits.run_bytes)
        return diag_report(d, DIAG_AllocationFailure, NULL, NO_SPAN,
                           "%s: an array of %zu bytes exceeds the limit run_bytes=%" PRIu64,
                           port->name, bytes, p->cx->limits.run_bytes);
    void *data = result_new(&p->allocator, bytes);
    if (!data)
        return diag_no_memory(d);
    *buffer = (tn_buffer){data, bytes, port->type};
    return TN_OK;
}

static tn_status take_room(const tn_program *p, size_t index, tn_buffer *buffer)
{
    diag_channel d;
    diag_init(&d, &p->allocator, p->sink);
    const tn_status s = make_room(&d, p, index, buffer);
    diag_release(&d);
    return s;
}

tn_status tn_program_random_input(const tn_program *p, size_t index, uint64_t seed,
                                  tn_buffer *buffer)
{
    int64_t n;
    if (index >= p->n_inputs)
        return TN_ERR_USAGE;
    if (!buffer->data)
        TN_TRY(take_room(p, index, buffer));
    if (!public_type_fits(&buffer->type, &p->inputs[index].type) ||
        !product_i64(buffer->type.dims, buffer->type.rank, &n))
        return TN_ERR_USAGE;
    tn_dtype d = buffer->type.dtype;
    uint64_t count = (uint64_t)n;
    if (count > buffer->bytes / dtype_bytes(d))
        return TN_ERR_USAGE;
    uint64_t key = nth(hash_splitmix(seed), index);
    if (dtype_is_complex(d))
        fill_floats(dtype_table[d].part, key, buffer->data, 2 * count);
    else if (dtype_is_float(d))
        fill_floats(d, key, buffer->data, count);
    else
        fill_integers(d, key, p->positions[index], buffer->data, count);
    return TN_OK;
}
