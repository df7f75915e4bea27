/* Concatenations: each part is stored where it belongs. What was joined before, and only cut and
 * joined again (a roll over two axes), is read from where it was before that. */
#include <string.h>

#include "ops/shape.h"
#include "plan/group.h"

enum {
    MOST_OPERANDS = 4, /* of concatenations of which parts are joined again, */
    MOST_DEPTH = 3     /* and how many of them, one after the other */
};

static uint32_t concat_axis(const function *f, const node *n)
{
    const int64_t axis = attr_int(n->attrs, KEY_AXIS, 0);
    return (uint32_t)(axis < 0 ? axis + value_type(f, n->first_value)->rank : axis);
}

/* SIZE elements from LOW on. */
static const access_map *moved(grouping *g, const int64_t *size, uint32_t rank, const int64_t *low)
{
    int64_t(*by)[TN_MAX_RANK] = arena_calloc(g->memory, TN_MAX_RANK, sizeof *by);
    access_map map;
    for (uint32_t i = 0; by && i < rank; i++)
        by[i][i] = 1;
    if (by &&
        access_of_steps(size, rank, rank, low, (const int64_t(*)[TN_MAX_RANK])by, g->memory, &map))
        return draft_map(g, &map);
    g->failed = true;
    return NULL;
}

/* Does concatenation N put single elements side by side, line after line? */
static bool is_stack(const grouping *g, const node *n, int64_t axis)
{
    enum { MOST = 128, LONG = 16 };
    const type *t = value_type(g->f, n->first_value);
    bool is = t->rank >= 2 && axis == t->rank - 1 && n->n_in >= 2 && n->n_in <= MOST &&
              t->dims[axis] == n->n_in && t->dims[axis - 1] >= LONG;
    for (uint32_t o = 0; is && o < n->n_in; o++)
        is = value_type(g->f, n->in[o])->dims[axis] == 1;
    return is;
}

/* Element AT of each line of V. */
static const access_map *in_lines(grouping *g, value_id v, uint32_t at)
{
    const type *t = value_type(g->f, v);
    const uint32_t last = t->rank - 1;
    int64_t place[TN_MAX_RANK] = {0}, by[TN_MAX_RANK][TN_MAX_RANK] = {{0}};
    access_map map;
    place[last] = at;
    for (uint32_t a = 0; a < last; a++)
        by[a][a] = 1;
    if (access_of_steps(t->dims, last, t->rank, place, (const int64_t(*)[TN_MAX_RANK])by, g->memory,
                        &map))
        return draft_map(g, &map);
    g->failed = true;
    return NULL;
}

typedef struct stack {
    uint32_t node;          /* whose kernels store it */
    const node *n;          /* the concatenation */
    value_id v;             /* where it is stored */
    const access_map *into; /* where its elements are there; NULL: at their own places */
} stack;

/* Where element AT of each line of S is stored. */
static const access_map *place_in(grouping *g, const stack *s, uint32_t at)
{
    const access_map *own = in_lines(g, s->n->first_value, at);
    access_map map;
    if (g->failed || !s->into)
        return own;
    if (access_compose(own, s->into, g->memory, &map))
        return draft_map(g, &map);
    g->failed = true;
    return NULL;
}

/* One kernel over the lines, which computes and stores elements FIRST .. END - 1 of each together.
 */
static void place_columns(grouping *g, const stack *s, uint32_t first, uint32_t end)
{
    const value_id *in = s->n->in;
    const type *t = value_type(g->f, s->n->first_value);
    const uint32_t k = draft_new(g, KERNEL_MAP, s->node, t->dims, t->rank - 1);
    for (uint32_t o = first; o < end && !g->failed; o++) {
        const access_map *from = in_lines(g, in[o], 0); /* the only element of each line */
        const kernel_output out = {in[o], s->v, from, place_in(g, s, o), false};
        if (g->failed)
            return;
        draft_store(g, k, &out);
        draft_demand(g, k, in[o], from);
    }
}

/* As few kernels as can store all elements of a line. */
static void place_stack(grouping *g, const stack *s)
{
    const uint32_t n = s->n->n_in, kernels = (n + KERNEL_OUTPUTS - 1) / KERNEL_OUTPUTS,
                   each = (n + kernels - 1) / kernels;
    for (uint32_t o = 0; o < n && !g->failed; o += each)
        place_columns(g, s, o, o + each < n ? o + each : n);
}

/* Where the elements of stack N are in W, which has them in their order. False where steps along an
 * axis of N are no steps along one of W: storing them there would take longer than copying. */
static bool find_stack(const grouping *g, const node *n, value_id w, access_map *map)
{
    const uint32_t rank = value_type(g->f, n->first_value)->rank;
    bool strided = access_of_reshape(access_extents_of(g->f, n->first_value),
                                     access_extents_of(g->f, w), g->memory, map);
    for (uint32_t i = 0; strided && i < map->n_source; i++) {
        int64_t first, strides[TN_MAX_RANK] = {0};
        strided = access_strides(map->at[i], rank, &first, strides);
    }
    return strided;
}

/* The stack of which W, an operand of a concatenation, has the elements in their order, and which
 * nothing else needs; NULL: there is none. */
static const node *stack_in(const grouping *g, value_id w)
{
    const node *n = node_of(g->f, w);
    for (; g->uses[w] == 1 && !g->is_output[w]; n = node_of(g->f, w)) {
        if (n->op == OP_CONCAT)
            return is_stack(g, n, concat_axis(g->f, n)) ? n : NULL;
        if (!node_is_copy(n))
            return NULL;
        w = n->in[0];
    }
    return NULL;
}

/* The elements of stack N, which are at OWN of an operand of node I that begins at START. */
static void join_stack(grouping *g, uint32_t i, const node *n, const access_map *own, sized start)
{
    const node *to = &g->f->nodes.at[i];
    access_map moved;
    const access_map *into = NULL;
    if (access_shifted(own, concat_axis(g->f, to), start, g->memory, &moved))
        into = draft_map(g, &moved);
    g->failed = g->failed || !into;
    if (!g->failed)
        place_stack(g, &(stack){i, n, to->first_value, into});
}

/* Elements of W, as many as SIZE along each axis from LOW on, which belong at PLACE of V. */
typedef struct part {
    value_id w;
    int64_t low[TN_MAX_RANK], size[TN_MAX_RANK], place[TN_MAX_RANK];
} part;

typedef struct joining {
    grouping *g;
    uint32_t node; /* a concatenation */
    value_id v;    /* its result */
} joining;

/* Is W a slice without steps, whose ranges are then in RANGES, that nothing but one node needs? */
static bool is_plain_slice(const grouping *g, value_id w, slice_range *ranges)
{
    const node *n = node_of(g->f, w);
    shape s;
    if (n->op != OP_SLICE || g->uses[w] != 1 || g->is_output[w])
        return false;
    const type *in = value_type(g->f, n->in[0]);
    bool plain = resolve_slices(n->attrs, in->dims, in->rank, ranges, &s).kind == SHAPE_OK;
    for (uint32_t i = 0; i < in->rank && plain; i++)
        plain = ranges[i].step == 1 && ranges[i].count >= 0;
    return plain;
}

/* Is W the value V, or cut out of it for one node alone? P says then which elements it has. */
static bool is_part_of(const grouping *g, value_id w, value_id v, part *p)
{
    const type *t = value_type(g->f, v);
    slice_range ranges[TN_MAX_RANK];
    *p = (part){.w = v};
    memcpy(p->size, t->dims, t->rank * sizeof *t->dims);
    if (w == v)
        return true;
    if (!is_plain_slice(g, w, ranges) || node_of(g->f, w)->in[0] != v)
        return false;
    for (uint32_t i = 0; i < t->rank; i++) {
        p->low[i] = ranges[i].start;
        p->size[i] = ranges[i].count;
    }
    return true;
}

/* Have P and Q, of RANK axes, no element in common? */
static bool are_apart(const part *p, const part *q, uint32_t rank)
{
    bool apart = false;
    for (uint32_t i = 0; i < rank; i++)
        apart = apart || p->low[i] + p->size[i] <= q->low[i] || q->low[i] + q->size[i] <= p->low[i];
    return apart;
}

/* Is V a concatenation that only concatenation N needs, and of which it has each element once, cut
 * out or not? Then nothing has to have it in memory. What is left out would not be computed, though
 * it may fail. */
static bool is_only_for(const grouping *g, value_id v, const node *n)
{
    const node *inner = node_of(g->f, v);
    const type *t = value_type(g->f, v);
    part parts[MOST_OPERANDS];
    uint32_t uses = 0;
    int64_t elements = 0;
    if (inner->op != OP_CONCAT || g->is_output[v] || g->f->like || n->n_in > MOST_OPERANDS ||
        inner->n_in > MOST_OPERANDS)
        return false;
    for (uint32_t o = 0; o < n->n_in; o++) {
        if (!is_part_of(g, n->in[o], v, &parts[uses]))
            continue;
        for (uint32_t i = 0; i < uses; i++)
            if (!are_apart(&parts[i], &parts[uses], t->rank))
                return false;
        elements += value_type(g->f, n->in[o])->count;
        uses++;
    }
    return uses == g->uses[v] && elements == t->count;
}

static void store_part(const joining *j, const part *p)
{
    grouping *g = j->g;
    const uint32_t rank = value_type(g->f, p->w)->rank;
    const access_map *from = moved(g, p->size, rank, p->low),
                     *to = moved(g, p->size, rank, p->place);
    if (g->failed)
        return;
    const uint32_t k = draft_new(g, KERNEL_MAP, j->node, p->size, rank);
    const kernel_output out = {p->w, j->v, from, to, false};
    if (g->failed)
        return;
    draft_store(g, k, &out);
    draft_demand(g, k, p->w, from);
}

/* Operands without elements are made all the same, before the last part is stored: what they are
 * made of may fail. */
static void need_empty_operands(grouping *g, const node *n)
{
    for (uint32_t o = 0; o < n->n_in && !g->failed; o++)
        if (value_type(g->f, n->in[o])->count == 0 && node_of(g->f, n->in[o])->n_in > 0)
            need_whole(g, g->drafts.n - 1, n->in[o], "it has no elements");
}

/* P, of what USER, a concatenation, needs. */
static void join_part(const joining *j, const part *p, const node *user, uint32_t depth);

/* What of the operands of INNER is in P. */
static void join_parts_of(const joining *j, const part *p, const node *inner, uint32_t depth)
{
    const function *f = j->g->f;
    const uint32_t axis = concat_axis(f, inner);
    int64_t start = 0;
    for (uint32_t o = 0; o < inner->n_in; o++) {
        const int64_t extent = value_type(f, inner->in[o])->dims[axis];
        const int64_t from = p->low[axis] > start ? p->low[axis] : start,
                      end = p->low[axis] + p->size[axis] < start + extent
                                ? p->low[axis] + p->size[axis]
                                : start + extent;
        if (from < end) {
            part q = *p;
            q.w = inner->in[o];
            q.low[axis] = from - start;
            q.size[axis] = end - from;
            q.place[axis] += from - p->low[axis];
            join_part(j, &q, inner, depth + 1);
        }
        start += extent;
    }
    need_empty_operands(j->g, inner);
}

/* The concatenation that W, which USER concatenates, is a part of, if only USER needs that;
 * NO_VALUE: there is none. *P becomes the same elements of it. */
static value_id source_of(const joining *j, value_id w, const node *user, part *p)
{
    slice_range ranges[TN_MAX_RANK];
    const bool is_slice = is_plain_slice(j->g, w, ranges);
    const value_id whole = is_slice ? node_of(j->g->f, w)->in[0] : w;
    if (!is_only_for(j->g, whole, user))
        return NO_VALUE;
    p->w = whole;
    for (uint32_t i = 0; is_slice && i < value_type(j->g->f, whole)->rank; i++)
        p->low[i] += ranges[i].start;
    return whole;
}

static void join_part(const joining *j, const part *p, const node *user, uint32_t depth)
{
    part q = *p;
    const value_id whole = depth < MOST_DEPTH ? source_of(j, p->w, user, &q) : NO_VALUE;
    if (j->g->failed)
        return;
    if (whole == NO_VALUE)
        store_part(j, p);
    else
        join_parts_of(j, &q, node_of(j->g->f, whole), depth);
}

/* Operand O of the concatenation, which begins at START, as it is: kernel K stores it, too. */
static void add_operand(const joining *j, uint32_t k, uint32_t o, sized start)
{
    grouping *g = j->g;
    const node *n = &g->f->nodes.at[j->node];
    const type *in = value_type(g->f, n->in[o]);
    const access_map *all = draft_identity(g, in->dims, in->rank);
    access_map to;
    if (!all || !access_shifted(all, concat_axis(g->f, n), start, g->memory, &to)) {
        g->failed = true;
        return;
    }
    const kernel_output out = {n->in[o], j->v, all, draft_map(g, &to), false};
    if (g->failed)
        return;
    draft_store(g, k, &out);
    draft_demand(g, k, n->in[o], all);
}

/* Operands O to END - 1, which are alike, as they are; the first begins at START. */
static void join_operands(const joining *j, uint32_t o, uint32_t end, sized start)
{
    grouping *g = j->g;
    const node *n = &g->f->nodes.at[j->node];
    const uint32_t axis = concat_axis(g->f, n);
    const type *in = value_type(g->f, n->in[o]);
    const access_extents x = access_extents_of(g->f, n->in[o]);
    const uint32_t k = draft_new(g, KERNEL_MAP, j->node, in->dims, in->rank);
    for (; o < end && !g->failed; o++) {
        add_operand(j, k, o, start);
        start = sized_add(start, (sized){x.now[axis], x.other[axis]});
    }
}

/* Is V in memory, as what several need is, or computed of such values element by element? */
static bool is_at_hand(const grouping *g, value_id v, uint32_t depth)
{
    enum { DEEPEST = 8 };
    const node *n = node_of(g->f, v);
    const bool is_stored = g->uses[v] > 1 || n->op == OP_INPUT || n->op == OP_CONSTANT;
    bool is = is_stored || (op_table[n->op].traits & T_ELEMENTWISE && depth < DEEPEST);
    for (uint32_t i = 0; is && !is_stored && i < n->n_in; i++)
        is = is_at_hand(g, n->in[i], depth + 1);
    return is;
}

/* The end of the operands from O on that one kernel stores: they are alike, and so short along AXIS
 * that each leaves but parts of lines of memory, which another kernel would bring again. */
static uint32_t end_of_like(const grouping *g, const node *n, uint32_t o, uint32_t axis)
{
    enum { SHORT = 1024 }; /* bytes */
    const sized first = kernel_elements_from(g->f, n->in[o], axis);
    const int64_t bytes = (int64_t)dtype_bytes(value_type(g->f, n->first_value)->dtype);
    uint32_t end = o;
    if (axis == 0 || !sized_is_fixed(first) || first.now > SHORT / bytes)
        return o + 1;
    for (; end < n->n_in && end - o < KERNEL_OUTPUTS; end++) {
        const sized run = kernel_elements_from(g->f, n->in[end], axis);
        if (run.now != first.now || run.other != first.other || !is_at_hand(g, n->in[end], 0))
            break;
    }
    return end > o ? end : o + 1;
}

/* A kernel for each part, or for several that are alike, which stores it where it belongs. */
void place_concat(grouping *g, uint32_t i)
{
    const node *n = &g->f->nodes.at[i];
    const joining j = {g, i, n->first_value};
    const uint32_t axis = concat_axis(g->f, n);
    sized start = sized_of(0);
    if (is_stack(g, n, axis)) {
        place_stack(g, &(stack){i, n, j.v, NULL});
        g->why[j.v] = "it is stored as its parts are computed";
        return;
    }
    for (uint32_t o = 0, end; o < n->n_in && !g->failed; o = end) {
        const type *in = value_type(g->f, n->in[o]);
        const access_extents extents = access_extents_of(g->f, n->in[o]);
        part p = {.w = n->in[o]}, q = p;
        end = o + 1;
        if (in->count == 0)
            continue;
        memcpy(p.size, in->dims, in->rank * sizeof *p.size);
        p.place[axis] = start.now;
        const node *inner = stack_in(g, n->in[o]);
        access_map own;
        if (inner && find_stack(g, inner, n->in[o], &own))
            join_stack(g, i, inner, &own, start);
        else if (source_of(&j, n->in[o], n, &q) == NO_VALUE)
            join_operands(&j, o, end = end_of_like(g, n, o, axis), start);
        else
            join_part(&j, &p, n, 0);
        for (uint32_t joined = o; joined < end; joined++)
            start = sized_add(start, (sized){extents.now[axis], extents.other[axis]});
    }
    need_empty_operands(g, n);
    g->why[j.v] = "its parts come from different kernels";
}
