/* Tensors of the file and known values as constants of the graph. */
#include <inttypes.h>
#include <stdio.h>

#include "base/memory/checked.h"
#include "dialect/onnx/import.h"
#include "graph/literal.h"

/* A constant whose data is L's, which belongs to the module already. */
static tn_value append_constant(importer *im, const literal *l)
{
    attr_list list = attrs_for(&im->b, OP_CONSTANT);
    list.at[list.n++] = (attr){.key = KEY_VALUE, .v.literal = l};
    return append(&list, NULL, 0);
}

static bool within_limit(importer *im, size_t bytes)
{
    tn_builder *b = &im->b;
    if (bytes > im->m->cx->limits.literal_bytes - b->literal_bytes)
        return onnx_refuse_file(im, DIAG_LimitExceeded, "",
                                "the constants have more bytes than the limit literal_bytes");
    b->literal_bytes += bytes;
    return true;
}

/* Room for the data of L, which is counted by its holders where it is large. */
static void *room_for(importer *im, literal *l)
{
    void *room = NULL;
    if (l->bytes < PAYLOAD_FROM)
        return arena_alloc_aligned(&im->m->arena, l->bytes, 64);
    l->shared = payload_new(&im->m->cx->allocator, l->bytes, &room);
    if (!l->shared)
        return NULL;
    const bool held = module_hold(im->m, l->shared);
    payload_drop(l->shared); /* the module holds it */
    return held ? room : NULL;
}

static void bad_tensor(importer *im, const onnx_tensor *t, const char *why)
{
    const char *name = onnx_dtype_name(t->data_type);
    char number[24] = "";
    (void)snprintf(number, sizeof number, "type %" PRId64, t->data_type);
    (void)onnx_refuse_file(im, DIAG_InvalidConstant, onnx_text(im, t->name),
                           "the tensor '%.*s', of %s, cannot be read: %s (byte %zu)",
                           ONNX_TEXT(t->name), name ? name : number, why,
                           (size_t)(t->message.bytes.at - im->m->source.text));
}

/* Data of T that may stay where it is: large, aligned, as the library stores it, and there for as
 * long as it is used, in a file beside the model or in the block that holds the model's text. */
static const void *in_place(const importer *im, const onnx_tensor *t, const onnx_tensor_facts *f)
{
    const bool stays = !t->is_stored && (onnx_tensor_is_external(t) || im->m->text_block);
    const bool fits = stays && t->raw.n == f->bytes && f->bytes >= PAYLOAD_FROM &&
                      literal_is_normal(f->dtype) &&
                      (uintptr_t)t->raw.at % onnx_element_align(t->data_type) == 0;
    return fits ? t->raw.at : NULL;
}

/* Hold the memory of T's data, which stays where it is, as the data of L. */
static bool borrow(importer *im, const onnx_tensor *t, literal *l)
{
    if (!onnx_tensor_is_external(t)) {
        l->shared = im->m->text_block; /* which the module holds */
        return true;
    }
    l->shared = payload_of_others(&im->m->cx->allocator);
    const bool held = l->shared && module_hold(im->m, l->shared);
    payload_drop(l->shared); /* the module holds it */
    return held || onnx_no_memory(im);
}

/* A copy of T's data as that of L. */
static bool copy_data(importer *im, const onnx_tensor *t, const onnx_tensor_facts *f, literal *l)
{
    void *room = l->type ? room_for(im, l) : NULL;
    if (!room)
        return onnx_no_memory(im);
    const char *why = onnx_tensor_store(t, f, room);
    if (why)
        bad_tensor(im, t, why);
    l->data = room;
    return !why;
}

static tn_value tensor_data(importer *im, const onnx_tensor *t)
{
    onnx_tensor_facts facts;
    const char *why = onnx_tensor_type_of(t, &facts);
    if (why) {
        bad_tensor(im, t, why);
        return tn_no_value();
    }
    literal l = {.type = type_of(&im->m->types, facts.dtype, facts.dims, facts.rank),
                 .bytes = facts.bytes};
    if (!within_limit(im, l.bytes))
        return tn_no_value();
    l.data = in_place(im, t, &facts);
    if (l.data ? !borrow(im, t, &l) : !copy_data(im, t, &facts, &l))
        return tn_no_value();
    return append_constant(im, &l);
}

static tn_value known_data(importer *im, const known_value *k)
{
    if (known_has_sizes(k))
        return known_sizes_data(&im->b, &im->memory, k);
    literal l = {.type = type_of(&im->m->types, k->dtype, k->dims, k->rank),
                 .bytes = k->n * dtype_bytes(k->dtype)};
    if (!within_limit(im, l.bytes))
        return tn_no_value();
    void *room = l.type ? room_for(im, &l) : NULL;
    if (!room) {
        (void)onnx_no_memory(im);
        return tn_no_value();
    }
    known_store(k, room);
    l.data = room;
    return append_constant(im, &l);
}

/* Is V a value of the function that is being built? */
static bool is_current(const importer *im, tn_value v)
{
    return tn_is_value(v) && v.scope == builder_scope(&im->b);
}

void onnx_name_weight(importer *im, const onnx_value *v)
{
    function *f = current_function(&im->b);
    if (v->is_weight)
        f->nodes.at[f->nodes.n - 1].name = module_string(im->m, v->name.at, v->name.n);
}

/* The data of V, a tensor or known. */
static tn_value made_data(importer *im, const onnx_value *v)
{
    const tn_value made = v->tensor ? tensor_data(im, v->tensor) : known_data(im, v->known);
    if (tn_is_value(made))
        onnx_name_weight(im, v);
    return made;
}

tn_value onnx_data_of(importer *im, onnx_value *v)
{
    if (is_current(im, v->v) || (!v->tensor && !v->known))
        return v->v;
    const tn_value made = made_data(im, v);
    if (!tn_is_value(made) && im->b.status == TN_OK) {
        im->b.status = TN_ERR_REJECTED; /* that is refused: what would use it fails silently */
        v->is_faulty = true;
    }
    if (!tn_is_value(v->v) || im->b.scopes.n == 1)
        v->v = made; /* else it belongs to an outer function, which goes on to use it */
    return made;
}

const type *onnx_value_type(importer *im, const onnx_value *v)
{
    type_table *types = &im->m->types;
    onnx_tensor_facts f;
    if (v->known)
        return type_of(types, v->known->dtype, v->known->dims, v->known->rank);
    if (!v->tensor)
        return builder_type(&im->b, v->v);
    const char *why = onnx_tensor_type_of(v->tensor, &f);
    if (!why)
        return type_of(types, f.dtype, f.dims, f.rank);
    bad_tensor(im, v->tensor, why);
    return NULL;
}

const known_value *onnx_value_known(importer *im, onnx_value *v)
{
    onnx_tensor_facts f;
    if (v->known || !v->tensor || onnx_tensor_type_of(v->tensor, &f) != NULL ||
        f.count > KNOWN_MOST || !known_keeps(f.dtype))
        return v->known;
    void *data = arena_alloc(&im->memory, f.bytes);
    if (!data) {
        (void)onnx_no_memory(im);
        return NULL;
    }
    if (onnx_tensor_store(v->tensor, &f, data) == NULL)
        v->known = known_load(&im->memory, f.dtype, f.dims, f.rank, data);
    return v->known;
}

void *onnx_table(onnx_call *c, int64_t n, int64_t each)
{
    enum { MOST = 1 << 25 };
    int64_t size;
    if (!mul_i64(n, each, &size) || size > MOST - c->im->n_tabled) {
        (void)onnx_refuse(c, DIAG_LimitExceeded,
                          "tables for its extents would have more than %d numbers, with those of "
                          "nodes before",
                          MOST);
        return NULL;
    }
    c->im->n_tabled += size;
    double *table = ARENA_ARRAY(&c->im->memory, double, (size_t)size);
    if (!table)
        (void)onnx_no_memory(c->im);
    return table;
}

onnx_value *onnx_items_room(onnx_call *c, uint32_t n)
{
    enum { MOST = 1 << 22 };
    if (n > MOST - c->im->n_items) {
        (void)onnx_refuse(c, DIAG_LimitExceeded,
                          "sequences would have more than %d elements, with those of nodes before",
                          MOST);
        return NULL;
    }
    c->im->n_items += n;
    onnx_value *items = ARENA_ARRAY(&c->im->memory, onnx_value, n);
    if (!items)
        (void)onnx_no_memory(c->im);
    return items;
}
