/* The public builder: its life, its failures, its operands and its extents. */
#include "forms/building.h"

#include <inttypes.h>

#include "base/memory/checked.h"
#include "base/memory/hash.h"
#include "base/text/text.h"

/* ---- life ----------------------------------------------------------------------------------- */

/* Where the scopes of B begin: made of its address, so that a value of another builder is known as
 * such. Below 2^31, so that a sum with the index of a function is never 0. No result depends on
 * it. */
static uint32_t first_scope_of(const tn_builder *b)
{
    const uint32_t below = UINT32_C(0x7fffffff);
    return (uint32_t)hash_mix(0, (uintptr_t)b) & below;
}

static bool set_up(tn_builder *b)
{
    b->first_scope = first_scope_of(b);
    b->m = module_new(b->cx);
    if (!b->m)
        return false;
    b->m->source.name = "<built>";
    return module_add_function(b->m, "main", 4) && VECTOR_PUSH(&b->cx->allocator, &b->scopes, 0);
}

tn_builder *builder_new(context *cx)
{
    tn_builder *b = memory_alloc(&cx->allocator, sizeof *b);
    if (b) {
        *b = (tn_builder){.cx = cx, .at = NO_SPAN};
        if (set_up(b))
            return b;
        tn_builder_free(b);
    }
    (void)context_done(cx, diag_no_memory(&cx->diag));
    return NULL;
}

void tn_builder_free(tn_builder *b)
{
    if (!b)
        return;
    context *cx = b->cx;
    diag_flush(&cx->diag);
    VECTOR_RELEASE(&cx->allocator, &b->scopes);
    hash_release(&cx->allocator, &b->inputs);
    grad_work_release(&cx->allocator, &b->work);
    module_free(b->m);
    memory_free(&cx->allocator, b, sizeof *b);
}

void tn_builder_name(tn_builder *b, const char *name)
{
    if (!is_building(b))
        return;
    if (!name) {
        builder_fail(b, DIAG_Usage, "tn_builder_name", "the name is NULL");
        return;
    }
    const char *own = module_string(b->m, name, strlen(name));
    if (!own)
        builder_no_memory(b);
    else
        module_entry(b->m)->name = own;
}

void tn_builder_at(tn_builder *b, const char *label)
{
    if (!is_building(b))
        return;
    b->label = label ? module_string(b->m, label, strlen(label)) : NULL;
    if (label && !b->label)
        builder_no_memory(b);
}

tn_status tn_builder_status(const tn_builder *b)
{
    return b ? b->status : TN_ERR_NOMEM;
}

static void take_outputs(tn_builder *b, const tn_value *outputs, size_t n)
{
    if (!is_building(b))
        return;
    if (b->scopes.n != 1) {
        builder_fail(b, DIAG_Usage, NULL,
                     "the program ends inside a region; tn_region_end is missing");
        return;
    }
    if (!builder_list(b, "the results", outputs, n))
        return;
    for (size_t i = 0; i < n; i++) {
        value_id id;
        if (!builder_operand(b, "the results", outputs[i], &id, NULL))
            return;
        if (function_add_output(current_function(b), id) != TN_OK)
            builder_no_memory(b);
    }
}

tn_status tn_builder_finish(tn_builder *b, const tn_value *outputs, size_t n, tn_module **out)
{
    *out = NULL;
    if (!b)
        return TN_ERR_NOMEM;
    b->label = NULL;
    take_outputs(b, outputs, n);
    builder_settle(b);
    if (is_building(b)) {
        *out = memory_alloc(&b->cx->allocator, sizeof **out);
        if (*out)
            **out = (tn_module){.graph = b->m};
        else
            builder_no_memory(b);
    }
    tn_status s = b->status;
    if (s == TN_OK)
        b->m = NULL; /* the module has it */
    tn_builder_free(b);
    return s;
}

/* ---- failure -------------------------------------------------------------------------------- */

void builder_failed(tn_builder *b, const char *op, tn_status status)
{
    diag_channel *d = &b->cx->diag;
    b->status = status;
    if (b->label)
        diag_node(d, b->label);
    if (op && b->label)
        diag_note(d, NULL, NO_SPAN, "while building '%s' at '%s'", op, b->label);
    else if (op)
        diag_note(d, NULL, NO_SPAN, "while building '%s'", op);
    else if (b->label)
        diag_note(d, NULL, NO_SPAN, "while building at '%s'", b->label);
    diag_flush(d);
}

void builder_fail(tn_builder *b, diag_kind kind, const char *op, const char *format, ...)
{
    va_list args;
    if (b->status != TN_OK)
        return;
    va_start(args, format);
    tn_status s = diag_vreport(&b->cx->diag, kind, &b->m->source, b->at, format, args);
    va_end(args);
    builder_failed(b, op, s);
}

void builder_no_memory(tn_builder *b)
{
    if (b->status == TN_OK)
        builder_failed(b, NULL, module_no_memory(b->m));
}

/* ---- operands ------------------------------------------------------------------------------- */

static const function *function_of(const tn_builder *b, tn_value v)
{
    const uint32_t index = v.scope - b->first_scope - 1; /* see builder_scope */
    if (v.scope == 0 || index >= b->m->functions.n)
        return NULL;
    const function *f = b->m->functions.at[index];
    return v.id < f->values.n ? f : NULL;
}

bool builder_operand(tn_builder *b, const char *op, tn_value v, value_id *id, const type **t)
{
    if (!is_building(b))
        return false;
    const function *f = function_of(b, v);
    if (!f) {
        builder_fail(b, DIAG_Usage, op, "an operand is no value of this builder");
        return false;
    }
    if (f != current_function(b)) {
        builder_fail(b, DIAG_Usage, op,
                     "an operand is a value of '%s', but '%s' is being built; a region sees its "
                     "parameters only",
                     f->name, current_function(b)->name);
        return false;
    }
    *id = v.id;
    if (t)
        *t = value_type(f, v.id);
    return true;
}

const type *builder_type(const tn_builder *b, tn_value v)
{
    const function *f = is_building(b) ? function_of(b, v) : NULL;
    return f ? value_type(f, v.id) : NULL;
}

tn_value builder_repeated(const tn_builder *b, tn_value v)
{
    const function *f = is_building(b) ? function_of(b, v) : NULL;
    const node *n = f ? node_of(f, v.id) : NULL;
    if (!n || n->op != OP_BROADCAST || attr_find(n->attrs, KEY_DIMS) ||
        value_type(f, n->in[0])->rank != value_type(f, v.id)->rank)
        return tn_no_value();
    v.id = n->in[0];
    return v;
}

bool builder_list(tn_builder *b, const char *op, const void *at, size_t n)
{
    if (!at && n == SIZE_MAX && is_building(b))
        builder_fail(b, DIAG_Usage, op, "tn_all_axes() is a list for reductions only");
    else if (!at && n > 0 && is_building(b))
        builder_fail(b, DIAG_Usage, op, "a list of %zu entr%s is NULL", n,
                     plural_as(n, "y", "ies"));
    return is_building(b);
}

bool builder_dtype(tn_builder *b, const char *op, tn_dtype dtype)
{
    if (!is_building(b))
        return false;
    if ((unsigned)dtype < TN_DTYPE_COUNT)
        return true;
    builder_fail(b, DIAG_Usage, op, "%d is no element type", (int)dtype);
    return false;
}

bool builder_shape(tn_builder *b, const char *op, tn_ints shape, const type **t, tn_dtype dtype)
{
    static const dim none;
    if (!builder_dtype(b, op, dtype))
        return false;
    if (shape.n > TN_MAX_RANK) {
        builder_fail(b, DIAG_RankMismatch, op, "a shape of %zu extent%s; the highest rank is %d",
                     shape.n, plural(shape.n), TN_MAX_RANK);
        return false;
    }
    if (!builder_list(b, op, shape.at, shape.n))
        return false;
    for (size_t i = 0; i < shape.n; i++)
        if (shape.at[i] < 0 && !dim_is_expr(&b->m->types, shape.at[i])) {
            builder_fail(b, DIAG_InvalidDimension, op, "extent %zu is %" PRId64, i, shape.at[i]);
            return false;
        }
    *t = type_of(&b->m->types, dtype, shape.n ? shape.at : &none, (uint32_t)shape.n);
    if (!*t) {
        builder_no_memory(b);
        return false;
    }
    if ((*t)->count == TYPE_COUNT_HUGE) {
        builder_fail(b, DIAG_InvalidDimension, op,
                     "the shape has more elements than can be counted");
        return false;
    }
    return true;
}

bool tn_value_type(const tn_builder *b, tn_value x, tn_type *out)
{
    const type *t = builder_type(b, x);
    if (t)
        public_type(t, out);
    return t != NULL;
}

/* ---- extents -------------------------------------------------------------------------------- */

int64_t tn_extent(tn_builder *b, tn_value x, int64_t axis)
{
    if (!is_building(b))
        return 1;
    const type *t = builder_type(b, x);
    if (!t) {
        builder_fail(b, DIAG_Usage, "tn_extent", "an operand is no value of this builder");
        return 1;
    }
    if (axis < -(int64_t)t->rank || axis >= (int64_t)t->rank) {
        builder_fail(b, DIAG_InvalidAxis, "tn_extent",
                     "axis %" PRId64 " is out of range for rank %" PRIu32, axis, t->rank);
        return 1;
    }
    return t->dims[axis < 0 ? axis + (int64_t)t->rank : axis];
}

int64_t tn_dim(tn_builder *b, const char *name)
{
    if (!is_building(b))
        return 1;
    if (!name) {
        builder_fail(b, DIAG_Usage, "tn_dim", "the name is NULL");
        return 1;
    }
    const char *own = module_string(b->m, name, strlen(name));
    dim d = own ? dim_symbol(&b->m->types, own) : DIM_NO_MEMORY;
    if (d != DIM_NO_MEMORY)
        return d;
    builder_no_memory(b);
    return 1;
}

static int64_t combine_dims(tn_builder *b, const char *op, dim_op how, int64_t x, int64_t y)
{
    if (!is_building(b))
        return 1;
    type_table *types = &b->m->types;
    const int64_t both[] = {x, y};
    for (int i = 0; i < 2; i++)
        if (both[i] < 0 && !dim_is_expr(types, both[i])) {
            builder_fail(b, DIAG_InvalidDimension, op,
                         "%" PRId64
                         " is no extent: a number from 0 on, or what tn_dim or tn_extent "
                         "gave",
                         both[i]);
            return 1;
        }
    if ((how == DIM_FLOORDIV || how == DIM_MOD) && y == 0) {
        builder_fail(b, DIAG_InvalidDimension, op, "an extent is divided by 0");
        return 1;
    }
    if (!dim_is_symbolic(x) && !dim_is_symbolic(y)) { /* the table gives no other reason to fail */
        int64_t fits;
        bool ok = how == DIM_ADD   ? add_i64(x, y, &fits)
                  : how == DIM_MUL ? mul_i64(x, y, &fits)
                                   : true;
        if (!ok) {
            builder_fail(b, DIAG_InvalidDimension, op, "the result is too large for an extent");
            return 1;
        }
    }
    dim d = dim_combine(types, how, x, y);
    if (d != DIM_NO_MEMORY)
        return d;
    builder_no_memory(b);
    return 1;
}

int64_t tn_dim_add(tn_builder *b, int64_t x, int64_t y)
{
    return combine_dims(b, "tn_dim_add", DIM_ADD, x, y);
}

int64_t tn_dim_mul(tn_builder *b, int64_t x, int64_t y)
{
    return combine_dims(b, "tn_dim_mul", DIM_MUL, x, y);
}

int64_t tn_dim_div(tn_builder *b, int64_t x, int64_t y)
{
    return combine_dims(b, "tn_dim_div", DIM_FLOORDIV, x, y);
}

int64_t tn_dim_mod(tn_builder *b, int64_t x, int64_t y)
{
    return combine_dims(b, "tn_dim_mod", DIM_MOD, x, y);
}
