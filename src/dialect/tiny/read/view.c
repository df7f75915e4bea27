/* VIEW: the spellings of index maps, brought to expressions of i0, i1, .... */
#include "dialect/tiny/read/reader.h"

#include <inttypes.h>

#include "base/memory/checked.h"
#include "base/text/chars.h"
#include "base/text/text.h"
#include "ops/index_map.h"

typedef struct map_reader {
    reader *r;
    entry *e;
    const value *x;
    const json_value *out; /* names of the result's axes; NULL: i0, i1, ... */
    uint32_t rank;         /* of the result */
    text_buffer text;
    uint32_t divisions;
    size_t starts[TN_MAX_RANK]; /* in the text, of the expression for each axis of the source */
    span places[TN_MAX_RANK];   /* where the program says it */
    bool by_strides;
} map_reader;

static bool malformed(map_reader *p, span at, const char *what)
{
    return fault(p->r, p->e, DIAG_InvalidAttribute, at, "'index_map' %s", what);
}

/* An axis of the result, a size that the document binds, or a symbol. A symbol cannot be called as
 * the axes are in what is made of the map. */
static bool put_name(map_reader *p, span at, const char *name, size_t n)
{
    for (uint32_t i = 0; p->out && i < p->out->n; i++) {
        const json_text *t = &p->out->items[i].text;
        if (t->n == n && memcmp(t->at, name, n) == 0) {
            text_printf(&p->text, "i%" PRIu32, i);
            return true;
        }
    }
    const char *own = module_string(p->r->m, name, n);
    if (!own)
        return out_of_memory(p->r);
    for (uint32_t i = 0; (p->out || !index_is_axis(name, n)) && i < p->r->sizes.n; i++)
        if (p->r->sizes.at[i].name == own) {
            note_size(p->r, name, n);
            text_i64(&p->text, p->r->sizes.at[i].value);
            return true;
        }
    if (p->out && index_is_axis(name, n))
        return fault(p->r, p->e, DIAG_InvalidAttribute, at,
                     "'index_map' holds '%.*s', which is the name of an axis and not in 'out'",
                     n < 100 ? (int)n : 100, name);
    if (!index_is_axis(name, n))
        note_size(p->r, name, n);
    text_put(&p->text, name, n);
    return true;
}

static bool put_words(map_reader *p, json_text t)
{
    const char *end = t.at + t.n;
    for (const char *at = t.at; at < end;) {
        size_t n = size_name_length(at, (size_t)(end - at));
        const bool quotient = n == 8 && memcmp(at, "floordiv", 8) == 0;
        if (n > 0 && at > t.at && char_is_digit(at[-1]))
            return malformed(p, t.where, "holds a number with a name behind it, without a sign");
        if (n > 0 && !quotient) {
            if (!put_name(p, t.where, at, n))
                return false;
        } else {
            if (*at == ';' || *at == '\0')
                return malformed(p, t.where, "holds something that is not an expression");
            p->divisions += quotient || *at == '%' || (*at == '/' && at + 1 < end && at[1] == '/');
            n = quotient ? n : *at == '/' && at + 1 < end && at[1] == '/' ? 2 : 1;
            while (!quotient && char_is_digit(*at) && at + n < end && char_is_digit(at[n]))
                n++;
            text_put(&p->text, at, n);
        }
        at += n;
    }
    return true;
}

static bool put_expression(map_reader *p, const json_value *v);

/* `{"add": [a, b]}`. */
static bool put_tree(map_reader *p, const json_value *v)
{
    static const struct {
        const char *name, *infix;
        bool divides;
    } ops[] = {{"add", "+", false},
               {"sub", "-", false},
               {"mul", "*", false},
               {"mod", "%", true},
               {"floordiv", "//", true}};
    if (v->n != 1 || v->items[0].kind != JSON_ARRAY || v->items[0].n != 2)
        return malformed(p, v->at, "has a tree that is not one operation of two operands");
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        if (!json_is(v->keys[0], ops[i].name))
            continue;
        p->divisions += ops[i].divides;
        text_putc(&p->text, '(');
        if (!put_expression(p, &v->items[0].items[0]))
            return false;
        text_puts(&p->text, ops[i].infix);
        if (!put_expression(p, &v->items[0].items[1]))
            return false;
        text_putc(&p->text, ')');
        return true;
    }
    return malformed(p, v->keys[0].where, "has a tree with an unknown operation");
}

static bool put_expression(map_reader *p, const json_value *v)
{
    bool ok = false;
    if (v->kind == JSON_STRING) {
        text_putc(&p->text, '(');
        ok = put_words(p, v->text);
        text_putc(&p->text, ')');
    } else if (v->kind == JSON_NUMBER && v->number.is_integer && v->number.fits_i64) {
        text_i64(&p->text, v->number.i);
        ok = true;
    } else if (v->kind == JSON_OBJECT) {
        ok = put_tree(p, v);
    } else {
        ok = malformed(p, v->at, "has an entry that is not an expression");
    }
    return ok;
}

static bool put_all(map_reader *p, const json_value *const *list, uint32_t n, span at)
{
    const uint32_t rank = type_at(p->r, p->x->v)->rank;
    if (n != rank)
        return fault(p->r, p->e, DIAG_InvalidAttribute, at,
                     "'index_map' has %" PRIu32 " expression%s for a source of rank %" PRIu32, n,
                     plural(n), rank);
    for (uint32_t i = 0; i < n; i++) {
        if (i)
            text_puts(&p->text, ";");
        p->starts[i] = p->text.n;
        p->places[i] = list[i]->at;
        if (list[i]->kind == JSON_STRING ? !put_words(p, list[i]->text)
                                         : !put_expression(p, list[i]))
            return false;
    }
    return true;
}

/* ---- the spellings ---- */

static bool put_list(map_reader *p, const json_value *list)
{
    const json_value *at[TN_MAX_RANK];
    if (list->kind != JSON_ARRAY || list->n > TN_MAX_RANK)
        return malformed(p, list->at, "needs one expression for each axis of the source");
    for (uint32_t i = 0; i < list->n; i++)
        at[i] = &list->items[i];
    return put_all(p, at, list->n, list->at);
}

static bool put_keyed(map_reader *p, const json_value *map)
{
    const json_value *at[TN_MAX_RANK] = {NULL};
    for (uint32_t i = 0; i < map->n; i++) {
        const json_text key = map->keys[i];
        uint64_t which = 0;
        const decimal_result d = decimal_read_u64(key.at, key.n, &which);
        if (d.length != key.n || key.n == 0 || which >= map->n || which >= TN_MAX_RANK || at[which])
            return malformed(p, key.where,
                             "needs the keys 'out' and 'in', 'strides' and 'offset', or 0, 1, ...");
        at[which] = &map->items[i];
    }
    return put_all(p, at, map->n, map->at);
}

static bool put_named(map_reader *p, const json_value *map)
{
    const json_value *out = json_member_of(map, "out"), *in = json_member_of(map, "in");
    if (!out || !in || map->n != 2 || out->kind != JSON_ARRAY || out->n != p->rank)
        return malformed(p, map->at, "needs 'in', and a name for each axis of the result in 'out'");
    for (uint32_t i = 0; i < out->n; i++) {
        const json_value *v = &out->items[i];
        bool fine =
            v->kind == JSON_STRING && is_name(v->text.at, v->text.n) && !value_is(v, "floordiv");
        for (uint32_t k = 0; fine && k < i; k++)
            fine = v->text.n != out->items[k].text.n ||
                   memcmp(v->text.at, out->items[k].text.at, v->text.n) != 0;
        if (!fine)
            return malformed(p, v->at,
                             "needs names in 'out', all different, made of letters, digits and _");
    }
    p->out = out;
    return put_list(p, in);
}

/* Element strides over the row-major source: split into one sum for each axis where no sum leaves
 * its axis, else divided. */
static bool put_sums(map_reader *p, const int64_t *strides, int64_t offset, const dim *dims)
{
    const type *t = type_at(p->r, p->x->v);
    int64_t own[TN_MAX_RANK], part[TN_MAX_RANK + 1][TN_MAX_RANK] = {{0}};
    type_strides(t, own);
    for (uint32_t k = 0; k <= p->rank; k++) {
        int64_t rest = k < p->rank ? strides[k] : offset;
        for (uint32_t a = 0; a < t->rank; a++) {
            if (own[a] == 0 || (t->dims[a] == 1 && a + 1 < t->rank))
                continue;
            part[k][a] = rest / own[a];
            rest %= own[a];
        }
        if (rest != 0)
            return false;
    }
    for (uint32_t a = 0; a < t->rank; a++) {
        int64_t low = part[p->rank][a], high = low, reach;
        for (uint32_t k = 0; k < p->rank; k++) {
            if (dims[k] == 0)
                continue;
            if (!mul_i64(part[k][a], dims[k] - 1, &reach) ||
                !add_i64(reach < 0 ? low : high, reach, reach < 0 ? &low : &high))
                return false;
        }
        if (low < 0 || high >= t->dims[a])
            return false;
    }
    for (uint32_t a = 0; a < t->rank; a++) {
        if (a)
            text_putc(&p->text, ';');
        text_i64(&p->text, part[p->rank][a]);
        for (uint32_t k = 0; k < p->rank; k++)
            if (part[k][a])
                text_printf(&p->text, "+(%" PRId64 ")*i%" PRIu32, part[k][a], k);
    }
    return true;
}

static void put_linear(map_reader *p, const int64_t *strides, int64_t offset)
{
    text_printf(&p->text, "(%" PRId64, offset);
    for (uint32_t k = 0; k < p->rank; k++)
        text_printf(&p->text, "+(%" PRId64 ")*i%" PRIu32, strides[k], k);
    text_putc(&p->text, ')');
}

static bool put_strides(map_reader *p, const json_value *map, const dim *dims)
{
    const type *t = type_at(p->r, p->x->v);
    const json_value *list = json_member_of(map, "strides"), *from = json_member_of(map, "offset");
    int64_t strides[TN_MAX_RANK], own[TN_MAX_RANK], offset = 0;
    uint32_t n;
    bool known = type_is_static(t);
    if (!read_numbers(p->r, p->e, list, "strides", strides, &n))
        return false;
    for (uint32_t i = 0; i < p->rank; i++)
        known = known && !dim_is_symbolic(dims[i]);
    if (n != p->rank || map->n != (from ? (uint32_t)2 : (uint32_t)1))
        return malformed(
            p, map->at,
            "needs one stride for each axis of the result, and nothing but 'offset' beside");
    if (!known)
        return malformed(p, map->at, "can have strides only where all sizes are numbers");
    if (from && (from->kind != JSON_NUMBER || !from->number.is_integer || !from->number.fits_i64))
        return malformed(p, from->at, "has an offset that is not a whole number");
    offset = from ? from->number.i : 0;
    p->by_strides = true;
    for (uint32_t a = 0; a < t->rank; a++)
        p->places[a] = map->at;
    for (uint32_t k = 0; k <= n; k++) {
        const int64_t s = k < n ? strides[k] : offset;
        if (s > INT32_MAX * (int64_t)1024 || s < -(INT32_MAX * (int64_t)1024))
            return malformed(p, map->at, "has a stride that is too large");
    }
    if (put_sums(p, strides, offset, dims))
        return true;
    type_strides(t, own);
    for (uint32_t a = 0; a < t->rank; a++) {
        if (a)
            text_putc(&p->text, ';');
        put_linear(p, strides, offset);
        if (own[a] > 1)
            text_printf(&p->text, "//%" PRId64, own[a]);
        if (a > 0 && t->dims[a] > 0)
            text_printf(&p->text, "%%%" PRId64, t->dims[a]);
        p->divisions += (uint32_t)(own[a] > 1) + (uint32_t)(a > 0);
    }
    return true;
}

static bool put_map(map_reader *p, const json_value *map, const dim *dims)
{
    if (map->kind == JSON_ARRAY)
        return put_list(p, map);
    if (map->kind != JSON_OBJECT)
        return malformed(p, map->at, "must be an object or a list");
    if (json_member_of(map, "strides"))
        return put_strides(p, map, dims);
    if (json_member_of(map, "in") || json_member_of(map, "out"))
        return put_named(p, map);
    return put_keyed(p, map);
}

/* Of the text's expression for axis K of the source. */
static bool leaves(map_reader *p, uint32_t k, index_bounds b)
{
    const type *t = type_at(p->r, p->x->v);
    const char *how = b == INDEX_OUTSIDE ? "" : " may";
    if (p->by_strides)
        return fault(p->r, p->e, DIAG_UnguardedAccess, p->places[k],
                     "these strides%s leave the source, which has %" PRId64 " element%s", how,
                     t->count, plural((uint64_t)t->count));
    return fault(p->r, p->e, DIAG_UnguardedAccess, p->places[k],
                 "the position%s leave%s axis %" PRIu32 " of the source, which has extent %" PRId64,
                 how, *how ? "" : "s", k, t->dims[k]);
}

/* The rules of VIEW, said of the expressions as they stand in the program. MAP, a text, is made of
 * them. */
static bool check_expressions(map_reader *p, const char *text, const dim *dims, arena *memory)
{
    const type *t = type_at(p->r, p->x->v);
    index_map map;
    size_t where;
    const index_fault f = index_map_parse(text, p->rank, memory, &map, &where);
    if (f == INDEX_NO_MEMORY)
        return out_of_memory(p->r);
    uint32_t k = 0;
    while (f != INDEX_FINE && k + 1 < t->rank && p->starts[k + 1] && p->starts[k + 1] <= where)
        k++;
    if (f != INDEX_FINE)
        return fault(p->r, p->e, f == INDEX_NON_AFFINE ? DIAG_NonAffine : DIAG_InvalidAttribute,
                     p->places[k], "the position along axis %" PRIu32 " of the source %s", k,
                     index_fault_text(f));
    for (uint32_t i = 0; i < p->rank; i++)
        if (dims[i] <= 0) /* it reads nothing, or its sizes are symbolic */
            return true;
    for (uint32_t i = 0; i < map.n; i++) {
        if (map.at[i]->symbolic || dim_is_symbolic(t->dims[i]))
            continue;
        const index_bounds b = index_check(map.at[i], dims, p->rank, t->dims[i]);
        if (b != INDEX_INSIDE)
            return leaves(p, i, b);
    }
    return true;
}

bool read_view(reader *r, entry *e, const value *x)
{
    dim dims[TN_MAX_RANK];
    const char *names[TN_MAX_RANK] = {0};
    uint32_t n;
    const json_value *list, *map;
    if (!check_keys(r, e, NULL) || !(list = need(r, e, "result_shape")) ||
        !(map = need(r, e, "index_map")) ||
        !read_sizes(r, e, list, "result_shape", 0, dims, names, &n))
        return false;
    map_reader p = {.r = r, .e = e, .x = x, .rank = n};
    text_init(&p.text, r->m->allocator);
    const bool ok = put_map(&p, map, dims);
    const char *own =
        ok && !p.text.failed ? module_string(r->m, p.text.at ? p.text.at : "", p.text.n) : NULL;
    text_release(&p.text);
    if (!ok)
        return false;
    arena memory;
    arena_init(&memory, r->m->allocator);
    const bool is_sound = own && check_expressions(&p, own, dims, &memory);
    arena_release(&memory);
    if (own && !is_sound)
        return false;
    axis *axes = new_axes(r, n);
    if (!own || !axes)
        return out_of_memory(r);
    for (uint32_t i = 0; i < n; i++)
        axes[i].name = names[i];
    attr given[] = {{.key = KEY_SHAPE, .n = n, .v.ints = dims}, {.key = KEY_INDEX_MAP, .v.s = own}};
    e->value.axes = axes;
    e->value.pieces = pieces_fixed(x, p.divisions);
    return add_entry(r, e, OP_VIEW, &x->v, 1, given, 2) && check_pieces(r, e, x);
}
