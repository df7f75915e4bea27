/* Control flow and calls. */
#include "base/text/text.h"
#include "dialect/mlir/hlo/lower.h"

/* A return stands at the end of a region only, where it is no operation of its own. */
bool shlo_lower_return(shlo_call *c)
{
    return shlo_refuse(c, DIAG_RegionSignature, "a return stands before the end of the region");
}

/* ---- regions as functions of the graph ---- */

/* Room for N values and for as many results of the text. */
typedef struct region_room {
    tn_value *values;
    shlo_value *results;
} region_room;

static bool make_room(shlo_call *c, size_t n, region_room *out)
{
    out->values = ARENA_ARRAY(&c->r->memory, tn_value, n + 1);
    out->results = ARENA_ARRAY(&c->r->memory, shlo_value, n + 1);
    return (out->values && out->results) || shlo_no_memory(c->r);
}

/* Is result K a token? It has no data, and stands for nothing in the graph. */
static bool gives_token(const shlo_call *c, uint32_t k)
{
    return c->op->out[k].type->kind == MIR_TOKEN;
}

/* The data of value V of a region; false when it has none. */
static bool one_data(shlo_call *c, shlo_value *v, tn_value *out)
{
    if (v->parts || v->is_token)
        return shlo_refuse(c, DIAG_NotImplemented, "a region gives a tuple, or a token for data");
    *out = shlo_data_of(c->r, v);
    return tn_is_value(*out);
}

/* The data of values V, one for each result; tokens have none. */
static bool data_of(shlo_call *c, shlo_value *v, tn_value *out)
{
    for (uint32_t k = 0; k < c->op->n_out; k++)
        if (!gives_token(c, k) && !one_data(c, &v[k], out++))
            return false;
    return true;
}

/* Results that are tokens are given. How many results have data. */
static uint32_t give_tokens(shlo_call *c)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < c->op->n_out; k++) {
        const shlo_value token = {.is_token = true};
        if (gives_token(c, k))
            (void)shlo_give_value(c, k, &token);
        n += !gives_token(c, k);
    }
    return n;
}

/* The results are OUT and, between them, tokens. */
static bool give_all(shlo_call *c, const tn_value *out)
{
    bool ok = true;
    for (uint32_t k = 0; k < c->op->n_out; k++)
        ok = (gives_token(c, k) || shlo_give(c, k, *out++)) && ok;
    return ok;
}

/* The region ends with RESULTS, if it is OK, and what was captured is what it was before. */
static bool end_region(shlo_call *c, bool ok, tn_values results, const shlo_captures *s,
                       tn_region *out)
{
    if (ok)
        *out = tn_region_end(c->b, results);
    else
        tn_region_discard(c->b);
    shlo_leave(c, s);
    return ok && c->b->status == TN_OK;
}

/* The region K of a loop over IN, N values without the tokens: parameters for what is carried and
 * captured. The results: what the text gives, in front of (IS_TEST) or in the place of what is
 * carried, then what is captured. */
static bool loop_region(shlo_call *c, uint32_t k, const tn_value *in, const shlo_captures *s,
                        bool is_test, tn_region *out)
{
    const mir_region *region = &c->op->regions[k];
    const uint32_t n = c->op->n_in;
    region_room room;
    uint32_t m = is_test;
    if (region->n_args != n)
        return shlo_refuse(c, DIAG_RegionSignature, "a region has %u argument%s instead of %u",
                           (unsigned)region->n_args, plural(region->n_args), (unsigned)n);
    for (uint32_t i = 0; i < n; i++)
        if (!mir_agree(region->args[i].type, c->op->in[i]->type))
            return shlo_refuse(c, DIAG_RegionSignature,
                               "argument %u of a region has another type than operand %u",
                               (unsigned)i, (unsigned)i);
    if (!make_room(c, (size_t)1 + n + s->n, &room))
        return false;
    tn_region_begin(c->b, NULL);
    for (uint32_t i = 0; i < n; i++) {
        shlo_value own = {.is_token = gives_token(c, i)};
        if (!own.is_token)
            own.v = room.values[m++] = tn_param_like(c->b, *in++);
        c->frame->values[region->args[i].number] = own;
    }
    shlo_enter(c, s, room.values + m);
    const bool ok =
        shlo_region(c->r, c->frame, region, c->op->at, room.results, is_test ? 1 : n) &&
        (is_test ? one_data(c, room.results, room.values) : data_of(c, room.results, room.values));
    return end_region(c, ok, (tn_values){room.values, (size_t)m + s->n}, s, out);
}

static bool is_empty(shlo_call *c, const shlo_value *v)
{
    const type *t = v->is_token || v->parts ? NULL : shlo_value_type(c->r, v);
    return t && t->count == 0;
}

/* Does the loop not run at all? Its body may take a row of what has none then, so it is not to be
 * read. Only where something is empty is the condition read for what goes into it. */
static bool never_runs(shlo_call *c, const shlo_captures *s, bool *never)
{
    const mir_region *test = &c->op->regions[0];
    const uint32_t n = c->op->n_in;
    bool any = false;
    region_room room;
    *never = false;
    for (uint32_t k = 0; k < n; k++)
        any = any || is_empty(c, shlo_value_of(c, k));
    for (uint32_t k = 0; k < s->n; k++)
        any = any || is_empty(c, &s->before[k]);
    if (!any || c->r->lift.n || test->n_args != n)
        return true;
    if (!make_room(c, 1, &room))
        return false;
    for (uint32_t k = 0; k < n; k++)
        c->frame->values[test->args[k].number] = *shlo_value_of(c, k);
    if (!shlo_region(c->r, c->frame, test, c->op->at, room.results, 1))
        return false;
    const known_value *known = room.results[0].known;
    *never = known && known->n == 1 && !known->at[0].is_size && known->at[0].i == 0;
    return true;
}

bool shlo_lower_while(shlo_call *c)
{
    bool never;
    shlo_captures s;
    region_room room;
    tn_region test, body;
    if (c->op->n_out != c->op->n_in)
        return shlo_refuse(c, DIAG_ArityMismatch, "it has as many results as operands");
    if (!shlo_capture(c, &s) || !make_room(c, (size_t)c->op->n_in + s.n, &room))
        return false;
    if (!never_runs(c, &s, &never))
        return false;
    for (uint32_t i = 0; never && i < c->op->n_in; i++)
        if (!shlo_give_value(c, i, shlo_value_of(c, i)))
            return false;
    if (never)
        return true;
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->op->n_in; i++) {
        if (shlo_value_of(c, i)->parts || shlo_value_of(c, i)->is_token != gives_token(c, i))
            return shlo_refuse(c, DIAG_NotImplemented, "it carries a tuple, or a token as data");
        if (!gives_token(c, i))
            room.values[n++] = shlo_in(c, i);
    }
    for (uint32_t i = 0; i < s.n; i++)
        room.values[n + i] = s.before[i].v;
    if (!loop_region(c, 0, room.values, &s, true, &test) ||
        !loop_region(c, 1, room.values, &s, false, &body))
        return false;
    tn_value *out = ARENA_ARRAY(&c->r->memory, tn_value, (size_t)n + s.n + 1);
    if (!out)
        return shlo_no_memory(c->r);
    tn_while(c->b, test, body, (tn_values){room.values, (size_t)n + s.n}, out, (size_t)n + s.n);
    (void)give_tokens(c);
    return give_all(c, out);
}

/* ---- chlo.scan ---- */

/* How the operands and results of a scan divide: N_XS that are scanned and N_CARRIED. */
typedef struct scan_parts {
    uint32_t n_xs, n_carried, n_stacked;
    int64_t axis;
    bool is_reverse;
} scan_parts;

static bool scan_parts_of(shlo_call *c, scan_parts *p)
{
    const mir_op *o = c->op;
    int64_t sizes[2] = {0, 0};
    uint32_t n;
    if (!shlo_ints(c, "operandSegmentSizes", 2, sizes, &n) ||
        !shlo_int(c, "dimension", 0, &p->axis))
        return false;
    if (n != 2 || sizes[0] < 1 || sizes[0] > o->n_in || sizes[1] != o->n_in - sizes[0] ||
        sizes[1] > o->n_out || o->regions[0].n_args != o->n_in)
        return shlo_refuse(c, DIAG_ArityMismatch,
                           "its inputs and carried values do not suit its results and its region");
    p->n_xs = (uint32_t)sizes[0];
    p->n_carried = (uint32_t)sizes[1];
    p->n_stacked = o->n_out - p->n_carried;
    p->is_reverse = shlo_flag(c, "is_reverse", false);
    for (uint32_t k = 0; k < p->n_xs; k++) {
        const type *t = shlo_in_type(c, k);
        if (!t)
            return false;
        if (p->axis < 0 || p->axis >= t->rank)
            return shlo_refuse(c, DIAG_InvalidAxis, "'dimension' is no axis of input %u",
                               (unsigned)k);
    }
    return true;
}

/* X with its axis FROM in the place TO, and in reverse order along it if REVERSE. */
static tn_value along(shlo_call *c, tn_value x, uint32_t from, uint32_t to, bool reverse)
{
    int64_t perm[TN_MAX_RANK];
    const type *t = shlo_type_of(c, x);
    if (!t || t->rank == 0)
        return x;
    const uint32_t rank = t->rank;
    if (reverse)
        x = tn_reverse(c->b, x, TN_INTS((int64_t)from));
    if (from == to)
        return x;
    for (uint32_t i = 0, at = 0; i < rank; i++) {
        at += at == from;
        perm[i] = i == to ? from : at++;
    }
    return tn_transpose(c->b, x, (tn_ints){perm, rank});
}

/* The region of the text takes slices, then what is carried, and gives the same order; that of the
 * graph has them the other way round, with what is captured behind what is carried. */
static bool scan_region(shlo_call *c, const scan_parts *p, const tn_value *xs,
                        const tn_value *carry, const shlo_captures *s, tn_region *out)
{
    const mir_region *region = &c->op->regions[0];
    const uint32_t n_out = c->op->n_out;
    region_room room, ends;
    if (!make_room(c, (size_t)n_out + s->n, &room) || !make_room(c, n_out, &ends))
        return false;
    tn_region_begin(c->b, NULL);
    for (uint32_t i = 0; i < p->n_carried; i++) {
        const tn_value v = tn_param_like(c->b, carry[i]);
        c->frame->values[region->args[p->n_xs + i].number] = (shlo_value){.v = v};
    }
    shlo_enter(c, s, room.values + p->n_carried);
    for (uint32_t i = 0; i < p->n_xs; i++) {
        const tn_value v = tn_param_slice(c->b, xs[i]);
        c->frame->values[region->args[i].number] = (shlo_value){.v = v};
    }
    const bool ok = shlo_region(c->r, c->frame, region, c->op->at, ends.results, n_out) &&
                    data_of(c, ends.results, ends.values);
    for (uint32_t i = 0; ok && i < p->n_carried; i++)
        room.values[i] = ends.values[p->n_stacked + i];
    for (uint32_t i = 0; ok && i < p->n_stacked; i++)
        room.values[p->n_carried + s->n + i] = ends.values[i];
    return end_region(c, ok, (tn_values){room.values, (size_t)n_out + s->n}, s, out);
}

bool shlo_lower_scan(shlo_call *c)
{
    scan_parts p;
    shlo_captures s;
    region_room in, out;
    tn_region body;
    if (!scan_parts_of(c, &p) || !shlo_capture(c, &s) ||
        !make_room(c, (size_t)c->op->n_in + s.n, &in) ||
        !make_room(c, (size_t)c->op->n_out + s.n, &out))
        return false;
    tn_value *const xs = in.values, *const carry = in.values + p.n_xs;
    for (uint32_t k = 0; k < c->op->n_in; k++) {
        if (shlo_value_of(c, k)->parts || shlo_value_of(c, k)->is_token)
            return shlo_refuse(c, DIAG_NotImplemented, "it takes a tuple or a token");
        in.values[k] = shlo_in(c, k);
    }
    for (uint32_t k = 0; k < p.n_xs; k++)
        xs[k] = along(c, xs[k], (uint32_t)p.axis, 0, p.is_reverse);
    for (uint32_t k = 0; k < s.n; k++)
        carry[p.n_carried + k] = s.before[k].v;
    if (!scan_region(c, &p, xs, carry, &s, &body))
        return false;
    const size_t n_carried = (size_t)p.n_carried + s.n;
    tn_scan(c->b, body, (tn_values){carry, n_carried}, (tn_values){xs, p.n_xs}, p.n_stacked,
            out.values, n_carried + p.n_stacked);
    bool ok = true;
    for (uint32_t k = 0; k < p.n_stacked; k++) {
        const tn_value y = tn_is_value(out.values[n_carried + k])
                               ? along(c, out.values[n_carried + k], 0, 0, p.is_reverse)
                               : tn_no_value();
        const type *t = tn_is_value(y) ? shlo_type_of(c, y) : NULL;
        if (t && p.axis >= t->rank)
            return shlo_refuse(c, DIAG_InvalidAxis, "'dimension' is no axis of result %u",
                               (unsigned)k);
        ok = t && shlo_give(c, k, along(c, y, 0, (uint32_t)p.axis, false)) && ok;
    }
    for (uint32_t k = 0; k < p.n_carried; k++)
        ok = shlo_give(c, p.n_stacked + k, out.values[k]) && ok;
    return ok;
}

/* ---- choices ---- */

/* The region K of a choice. Its parameters are what is captured, and one like MORE, if that is a
 * value. */
static bool branch_region(shlo_call *c, uint32_t k, const shlo_captures *s, tn_value more,
                          tn_region *out)
{
    const uint32_t n = c->op->n_out;
    region_room room;
    if (c->op->regions[k].n_args)
        return shlo_refuse(c, DIAG_RegionSignature, "its regions have no arguments");
    if (!make_room(c, n, &room))
        return false;
    tn_region_begin(c->b, NULL);
    shlo_enter(c, s, NULL);
    if (tn_is_value(more))
        (void)tn_param_like(c->b, more);
    const bool ok = shlo_region(c->r, c->frame, &c->op->regions[k], c->op->at, room.results, n) &&
                    data_of(c, room.results, room.values);
    return end_region(c, ok, (tn_values){room.values, give_tokens(c)}, s, out);
}

/* What S captured, here. */
static void captured(const shlo_captures *s, tn_value *out)
{
    for (uint32_t i = 0; i < s->n; i++)
        out[i] = s->before[i].v;
}

/* The region K in the place of C: there is no choice. */
static bool only_region(shlo_call *c, uint32_t k)
{
    const mir_op *o = c->op;
    region_room room;
    if (o->regions[k].n_args && o->row->lower != shlo_lower_manual)
        return shlo_refuse(c, DIAG_RegionSignature, "its regions have no arguments");
    if (!make_room(c, o->n_out, &room) ||
        !shlo_region(c->r, c->frame, &o->regions[k], o->at, room.results, o->n_out))
        return false;
    for (uint32_t i = 0; i < o->n_out; i++)
        (void)shlo_give_value(c, i, &room.results[i]);
    return true;
}

bool shlo_lower_if(shlo_call *c)
{
    int64_t known;
    const type *t = shlo_in_type(c, 0);
    if (!t)
        return false;
    if (t->dtype != TN_I1 || t->rank != 0)
        return shlo_refuse(c, DIAG_RegionSignature, "it takes an i1 of rank 0");
    if (shlo_known_number(c, 0, &known))
        return only_region(c, known ? 0 : 1);
    shlo_captures s;
    tn_region yes, no;
    region_room args, room;
    if (!shlo_capture(c, &s) || !make_room(c, s.n, &args) || !make_room(c, c->op->n_out, &room))
        return false;
    const tn_value p = shlo_in(c, 0);
    captured(&s, args.values);
    if (!branch_region(c, 0, &s, tn_no_value(), &yes) ||
        !branch_region(c, 1, &s, tn_no_value(), &no))
        return false;
    tn_cond(c->b, p, yes, no, (tn_values){args.values, s.n}, room.values, give_tokens(c));
    return give_all(c, room.values);
}

/* The results of region FIRST where INDEX is that number, else of one of those behind it: the last
 * one, when INDEX is none of them. */
static bool choose(shlo_call *c, uint32_t first, const shlo_captures *s, tn_value index,
                   tn_value *out)
{
    const uint32_t n = give_tokens(c);
    tn_builder *b = c->b;
    tn_region yes, no;
    region_room args, inner, room;
    if (!make_room(c, (size_t)s->n + 1, &args) || !make_room(c, s->n, &inner) ||
        !make_room(c, n, &room))
        return false;
    const tn_value p = tn_compare(b, TN_EQ, index, tn_scalar_int(b, TN_SI32, first));
    captured(s, args.values);
    args.values[s->n] = index;
    if (!branch_region(c, first, s, index, &yes))
        return false;
    if (first + 2 == c->op->n_regions) {
        if (!branch_region(c, first + 1, s, index, &no))
            return false;
    } else {
        shlo_captures rest = *s;
        rest.before = inner.results;
        tn_region_begin(b, NULL);
        for (uint32_t i = 0; i < s->n; i++)
            inner.results[i] = (shlo_value){.v = tn_param_like(b, args.values[i])};
        const tn_value own = tn_param_like(b, index);
        if (b->status != TN_OK || !choose(c, first + 1, &rest, own, room.values))
            return false;
        no = tn_region_end(b, (tn_values){room.values, n});
        shlo_leave(c, s);
    }
    tn_cond(b, p, yes, no, (tn_values){args.values, (size_t)s->n + 1}, out, n);
    return b->status == TN_OK;
}

bool shlo_lower_case(shlo_call *c)
{
    shlo_captures s;
    region_room room;
    const mir_op *o = c->op;
    const type *t = shlo_in_type(c, 0);
    int64_t known;
    if (!t)
        return false;
    if (o->n_regions == 0 || t->dtype != TN_SI32 || t->rank != 0)
        return shlo_refuse(c, DIAG_RegionSignature, "it takes an i32 of rank 0, and regions");
    if (!make_room(c, o->n_out, &room))
        return false;
    if (o->n_regions == 1)
        return only_region(c, 0);
    if (shlo_known_number(c, 0, &known))
        return only_region(c, known >= 0 && known < (int64_t)o->n_regions ? (uint32_t)known
                                                                          : o->n_regions - 1);
    const tn_value index = shlo_in(c, 0);
    return shlo_capture(c, &s) && choose(c, 0, &s, index, room.values) && give_all(c, room.values);
}

/* ---- what each device does on its own ---- */

static bool is_same_type(const mir_type *a, const mir_type *b)
{
    return a->kind == b->kind && a->dtype == b->dtype && a->rank == b->rank &&
           (!a->rank || memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0);
}

/* Where a device has all of each tensor, what it does is what the program does. */
bool shlo_lower_manual(shlo_call *c)
{
    const mir_op *o = c->op;
    const mir_region *body = &o->regions[0];
    const mir_op *last = body->n_ops ? body->ops[body->n_ops - 1] : NULL;
    bool whole = body->n_args == o->n_in && last && last->n_in == o->n_out;
    for (uint32_t k = 0; whole && k < o->n_in; k++)
        whole = is_same_type(body->args[k].type, o->in[k]->type);
    for (uint32_t k = 0; whole && k < o->n_out; k++)
        whole = is_same_type(last->in[k]->type, o->out[k].type);
    if (!whole)
        return shlo_refuse(c, DIAG_NotImplemented,
                           "each of several devices has a part of the tensors");
    for (uint32_t k = 0; k < o->n_in; k++)
        c->frame->values[body->args[k].number] = *shlo_value_of(c, k);
    return only_region(c, 0);
}

/* ---- calls ---- */

/* Operands from FIRST on are given to the function that the attribute NAME calls. */
static bool inline_named(shlo_call *c, const char *name)
{
    const mir_attr *a = shlo_attr(c, name);
    mir_function *f = a ? mir_function_named(&c->r->model, a->text) : NULL;
    if (!f)
        return shlo_refuse(c, DIAG_UndefinedName, "there is no function '@%.*s'",
                           MIR_TEXT(a ? a->text : (mir_text){0}));
    if (f->n_results != c->op->n_out)
        return shlo_refuse(c, DIAG_ArityMismatch, "%u result%s of a function with %u",
                           (unsigned)c->op->n_out, plural(c->op->n_out), (unsigned)f->n_results);
    shlo_value *out = ARENA_ARRAY(&c->r->memory, shlo_value, f->n_results);
    if (!out)
        return shlo_no_memory(c->r);
    if (!shlo_inline(c, f, 0, out))
        return false;
    for (uint32_t k = 0; k < c->op->n_out; k++)
        (void)shlo_give_value(c, k, &out[k]);
    return true;
}

bool shlo_lower_call(shlo_call *c)
{
    return inline_named(c, "callee");
}

/* What chlo has as an operation is that; else the decomposition says what it is. */
bool shlo_lower_composite(shlo_call *c)
{
    const mir_attr *name = shlo_attr(c, "name"), *given = shlo_attr(c, "composite_attributes");
    const size_t skip = strlen("chlo.");
    const mir_fields none = {0};
    if (name && name->text.n > skip && memcmp(name->text.at, "chlo.", skip) == 0) {
        const mir_text own = {name->text.at + skip, name->text.n - skip};
        const mir_row *row = shlo_row_named(c, "chlo", own);
        if (row)
            return shlo_lower_as(c, row, given && given->kind == MIR_DICT ? &given->fields : &none);
    }
    return inline_named(c, "decomposition");
}
