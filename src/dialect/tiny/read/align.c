/* Bringing operands to one shape. The text demands equal shapes; where they differ, axes are paired
 * by what they are (identity), else by what they are called, else from the right. */
#include "dialect/tiny/read/reader.h"

#include <inttypes.h>
#include <stdio.h>

/* One operand and where its axes go. */
typedef struct aligned {
    const operand *in;
    const type *type;
    uint32_t map[TN_MAX_RANK]; /* result axis of each of its axes */
    bool by_name;              /* not the pairing from the right, though that fits too */
    bool cast, expand;
    const char *cast_id, *expand_id;
} aligned;

typedef struct alignment {
    reader *r;
    entry *e;
    uint32_t n;
    aligned at[3];
    tn_dtype dtype; /* of operands from FIRST_TYPED on */
    uint32_t first_typed;
    uint32_t rank;
    dim dims[TN_MAX_RANK];
    axis *axes;
} alignment;

static const value *value_of(const aligned *a)
{
    return &a->in->of->value;
}

/* Find SMALL's axes in BIG's, in order, each exactly once, by identity or by name. */
static bool find_axes(const axis *small, uint32_t n, const axis *big, uint32_t rank, bool by_id,
                      uint32_t *map)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t found = 0;
        for (uint32_t k = 0; k < rank; k++) {
            const bool same =
                by_id ? small[i].id == big[k].id : small[i].name && small[i].name == big[k].name;
            if (!same)
                continue;
            map[i] = k;
            found++;
        }
        if (found != 1 || (i > 0 && map[i] <= map[i - 1]))
            return false;
    }
    return true;
}

/* Would pairing from the right fit, as far as is known now? */
static bool fits_right(const type *small, const type *big)
{
    for (uint32_t i = 0; i < small->rank; i++) {
        const dim a = small->dims[i], b = big->dims[big->rank - small->rank + i];
        if (a != b && a != 1 && b != 1)
            return false;
    }
    return true;
}

static bool all_ones(const type *t)
{
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->dims[i] != 1)
            return false;
    return true;
}

static void pair_axes(aligned *a, const aligned *base)
{
    const uint32_t n = a->type->rank, rank = base->type->rank;
    const bool lower = n < rank && !all_ones(a->type);
    const bool found =
        lower && (find_axes(value_of(a)->axes, n, value_of(base)->axes, rank, true, a->map) ||
                  find_axes(value_of(a)->axes, n, value_of(base)->axes, rank, false, a->map));
    bool differs = false;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t right = rank - n + i;
        differs = differs || (found && a->map[i] != right);
        if (!found)
            a->map[i] = right;
    }
    a->by_name = differs && fits_right(a->type, base->type);
}

static const char *shape_text(const alignment *al, const aligned *a)
{
    return dims_text(&al->r->memory, &al->r->m->types, a->type->dims, a->type->rank);
}

static void note_shapes(const alignment *al)
{
    for (uint32_t k = 0; k < al->n; k++)
        if (al->at[k].in->of)
            diag_note(&al->r->m->cx->diag, NULL, NO_SPAN, "'%s' is %s%s", al->at[k].in->of->id,
                      tiny_dtype_name(al->at[k].type->dtype), shape_text(al, &al->at[k]));
}

/* Join the extents of operand K into the result's. */
static bool join_extents(alignment *al, const aligned *a)
{
    for (uint32_t i = 0; i < a->type->rank; i++) {
        dim *to = &al->dims[a->map[i]];
        const dim d = a->type->dims[i];
        if (*to == d || d == 1)
            continue;
        if (*to == 1 || dim_is_symbolic(*to)) {
            *to = d;
        } else if (!dim_is_symbolic(d)) {
            (void)fault(al->r, al->e, DIAG_BroadcastMismatch, a->in->text->at,
                        "extents %" PRId64 " and %" PRId64 " of '%s' do not go together", *to, d,
                        al->e->uop->name);
            note_shapes(al);
            return false;
        }
    }
    return true;
}

static bool pair_all(alignment *al)
{
    const aligned *base = NULL;
    for (uint32_t k = 0; k < al->n; k++)
        if (al->at[k].in->of && (!base || al->at[k].type->rank > base->type->rank))
            base = &al->at[k];
    if (!base)
        return true;
    al->rank = base->type->rank;
    al->axes = new_axes(al->r, al->rank);
    if (!al->axes)
        return false;
    for (uint32_t i = 0; i < al->rank; i++)
        al->dims[i] = 1;
    for (uint32_t k = 0; k < al->n; k++) {
        if (!al->at[k].in->of)
            continue;
        pair_axes(&al->at[k], base);
        if (!join_extents(al, &al->at[k]))
            return false;
    }
    /* Axes are those of the first operand that is not repeated along them. */
    bool set[TN_MAX_RANK] = {false};
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t k = 0; k < al->n; k++)
            for (uint32_t i = 0; al->at[k].in->of && i < al->at[k].type->rank; i++) {
                const uint32_t to = al->at[k].map[i];
                const bool spans =
                    al->at[k].type->dims[i] == al->dims[to] || al->at[k].type->dims[i] != 1;
                if (set[to] || (pass == 0 && !spans))
                    continue;
                al->axes[to] = value_of(&al->at[k])->axes[i];
                set[to] = true;
            }
    for (uint32_t k = 0; k < al->n; k++) {
        aligned *a = &al->at[k];
        if (!a->in->of)
            continue;
        a->expand = a->type->rank != al->rank;
        for (uint32_t i = 0; !a->expand && i < al->rank; i++)
            a->expand = a->type->dims[i] == 1 && al->dims[i] != 1;
    }
    return true;
}

/* Element types: equal, but for a narrow operand that meets an accumulator. */
static bool match_dtypes(alignment *al)
{
    const aligned *first = NULL, *sum = NULL;
    for (uint32_t k = al->first_typed; k < al->n; k++) {
        const aligned *a = &al->at[k];
        if (!a->in->of)
            continue;
        if (!first)
            first = a;
        if (a->type->dtype == TN_F32 && value_of(a)->from_reduce)
            sum = a;
    }
    if (!first)
        return true;
    al->dtype = first->type->dtype;
    for (uint32_t k = al->first_typed; k < al->n; k++) {
        aligned *a = &al->at[k];
        if (!a->in->of || a->type->dtype == al->dtype)
            continue;
        const tn_dtype d = a->type->dtype;
        const bool narrow = d == TN_F16 || d == TN_BF16;
        if (sum && (narrow || d == TN_F32) &&
            (al->dtype == TN_F32 || al->dtype == TN_F16 || al->dtype == TN_BF16)) {
            al->dtype = TN_F32;
            continue;
        }
        (void)fault(al->r, al->e, DIAG_DTypeMismatch, a->in->text->at,
                    "'%s' takes operands of one element type, not %s and %s; there are no implicit "
                    "casts",
                    al->e->uop->name, tiny_dtype_name(al->dtype), tiny_dtype_name(d));
        note_shapes(al);
        diag_fix(&al->r->m->cx->diag, NO_SPAN, NULL, "insert a CAST");
        return false;
    }
    for (uint32_t k = al->first_typed; k < al->n; k++)
        if (al->at[k].in->of)
            al->at[k].cast = al->at[k].type->dtype != al->dtype;
    return true;
}

/* ---- fixes and remarks ---- */

static void put_node(text_buffer *t, const char *id, const char *uop, const char *src)
{
    text_puts(t, "{\"id\":");
    text_json_string(t, id, strlen(id));
    text_puts(t, ",\"uop\":\"");
    text_puts(t, uop);
    text_puts(t, "\",\"src\":[");
    text_json_string(t, src, strlen(src));
    text_puts(t, "],\"arg\":");
}

static void put_expand(const alignment *al, text_buffer *t, const aligned *a, const char *src)
{
    put_node(t, a->expand_id, "EXPAND", src);
    text_puts(t, "{\"result_shape\":[");
    for (uint32_t i = 0; i < al->rank; i++) {
        if (i)
            text_putc(t, ',');
        size_print_named(al->r, t, al->dims[i], al->axes[i].name);
    }
    text_puts(t, "],\"broadcast_dimensions\":[");
    for (uint32_t i = 0; i < a->type->rank; i++) {
        if (i)
            text_putc(t, ',');
        text_u64(t, a->map[i]);
    }
    text_puts(t, "]}},");
}

/* The new nodes, and E's text up to its last changed source. */
static void offer_edit(const alignment *al)
{
    reader *r = al->r;
    const char *text = r->m->source.text, *indent = indent_of(r, al->e);
    text_buffer t;
    uint32_t from = al->e->at.at;
    if (!indent) /* no memory */
        return;
    text_init(&t, r->m->allocator);
    for (uint32_t k = 0; k < al->n; k++) {
        const aligned *a = &al->at[k];
        if (!a->in->of)
            continue;
        const char *src = a->in->of->id;
        if (a->cast) {
            put_node(&t, a->cast_id, "CAST", src);
            text_printf(&t, "{\"to\":\"%s\"}},", tiny_dtype_name(al->dtype));
            text_puts(&t, indent);
            src = a->cast_id;
        }
        if (a->expand) {
            put_expand(al, &t, a, src);
            text_puts(&t, indent);
        }
    }
    for (uint32_t k = 0; k < al->n; k++) {
        const aligned *a = &al->at[k];
        const char *id = a->expand ? a->expand_id : a->cast_id;
        if (!a->expand && !a->cast)
            continue;
        const span at = a->in->text->at;
        text_put(&t, text + from, at.at - from);
        text_json_string(&t, id, strlen(id));
        from = at.at + at.length;
    }
    const char *replacement = text_c_string(&t);
    if (replacement)
        diag_fix(&r->m->cx->diag, (span){al->e->at.at, from - al->e->at.at}, replacement,
                 "insert the nodes that make the operands of '%s' alike", al->e->id);
    text_release(&t);
}

static bool any(const alignment *al, bool casts)
{
    for (uint32_t k = 0; k < al->n; k++)
        if (casts ? al->at[k].cast : al->at[k].expand)
            return true;
    return false;
}

static void say_strict(const alignment *al)
{
    reader *r = al->r;
    if (any(al, false)) {
        (void)fault(r, al->e, DIAG_BroadcastMismatch, al->e->at,
                    "the operands of '%s' must have one shape", al->e->uop->name);
        note_shapes(al);
        offer_edit(al);
    }
    if (any(al, true)) {
        (void)fault(r, al->e, DIAG_DTypeMismatch, al->e->at,
                    "the operands of '%s' must have one element type", al->e->uop->name);
        note_shapes(al);
        if (!any(al, false))
            offer_edit(al);
    }
}

static void say(const alignment *al)
{
    reader *r = al->r;
    bool ambiguous = false;
    for (uint32_t k = 0; k < al->n; k++) {
        const aligned *a = &al->at[k];
        if (a->cast)
            remark(r, al->e, a->in->text->at,
                   "'%s' is cast to fp32, because it meets an accumulator", a->in->of->id);
        ambiguous = ambiguous || a->by_name;
    }
    if (!ambiguous)
        return;
    warn(r, al->e, DIAG_AmbiguousBroadcast, al->e->at,
         "axes of '%s' are paired by what they are, but pairing them from the right fits too",
         al->e->uop->name);
    note_shapes(al);
    offer_edit(al);
}

/* ---- carrying it out ---- */

static bool name_nodes(alignment *al)
{
    for (uint32_t k = 0; k < al->n; k++) {
        aligned *a = &al->at[k];
        char word[24];
        (void)snprintf(word, sizeof word, "cast%" PRIu32, k);
        if (a->cast && !(a->cast_id = fresh_id(al->r, al->e->id, word)))
            return false;
        (void)snprintf(word, sizeof word, "expand%" PRIu32, k);
        if (a->expand && !(a->expand_id = fresh_id(al->r, al->e->id, word)))
            return false;
    }
    return true;
}

static bool insert_cast(const alignment *al, const aligned *a, value_id *v)
{
    attr to = {.key = KEY_DTYPE, .v.i = al->dtype};
    const attrs *list = attrs_of(&al->r->m->attrs, &to, 1);
    node_desc desc = {
        .op = OP_CAST, .in = v, .n_in = 1, .attrs = list, .at = al->e->at, .name = a->cast_id};
    return list ? add_node(al->r, &desc, v) : out_of_memory(al->r);
}

static bool insert_expand(const alignment *al, const aligned *a, value_id *v)
{
    int64_t map[TN_MAX_RANK];
    for (uint32_t i = 0; i < a->type->rank; i++)
        map[i] = a->map[i];
    attr list[] = {{.key = KEY_SHAPE, .n = al->rank, .v.ints = al->dims},
                   {.key = KEY_DIMS, .n = a->type->rank, .v.ints = map}};
    const attrs *own = attrs_of(&al->r->m->attrs, list, 2);
    node_desc desc = {.op = OP_BROADCAST,
                      .in = v,
                      .n_in = 1,
                      .attrs = own,
                      .at = al->e->at,
                      .name = a->expand_id};
    return own ? add_node(al->r, &desc, v) : out_of_memory(al->r);
}

bool align_operands(reader *r, entry *e, const operand *in, uint32_t n, uint32_t first_typed,
                    value_id *v, const axis **axes)
{
    alignment al = {.r = r, .e = e, .n = n, .first_typed = first_typed};
    for (uint32_t k = 0; k < n; k++) {
        al.at[k].in = &in[k];
        al.at[k].type = in[k].of ? type_at(r, in[k].of->value.v) : NULL;
    }
    if (!match_dtypes(&al) || !pair_all(&al) || !name_nodes(&al))
        return false;
    if (is_strict(r))
        say_strict(&al);
    else
        say(&al);
    for (uint32_t k = 0; k < n; k++) {
        const aligned *a = &al.at[k];
        if (!a->in->of)
            continue;
        v[k] = a->in->of->value.v;
        if ((a->cast && !insert_cast(&al, a, &v[k])) ||
            (a->expand && !insert_expand(&al, a, &v[k])))
            return false;
    }
    *axes = al.axes;
    return true;
}
