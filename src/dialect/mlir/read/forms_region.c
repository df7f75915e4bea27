/* The pretty forms of operations with regions, and of convolutions. */
#include "base/text/text.h"
#include "dialect/mlir/read/reader.h"

typedef struct values {
    mir_value *at;
    uint32_t n, cap;
} values;

/* ---- reduce ---- */

/* `(%a init: %z)`, several of them: inputs, then initial values. */
static bool read_inputs(mir_reader *r, mir_op *o)
{
    mir_operands in = {0}, init = {0};
    do {
        if (!mir_expect(r, '(') || !mir_read_operand(r, &in) || !mir_expect_word(r, "init") ||
            !mir_expect(r, ':') || !mir_read_operand(r, &init) || !mir_expect(r, ')'))
            return false;
    } while (mir_accept(r, ','));
    for (uint32_t i = 0; i < init.n; i++)
        if (!MIR_PUSH(r, &in, init.at[i]))
            return false;
    o->in = in.at;
    o->n_in = in.n;
    return true;
}

/* The scalar type of what T has as elements. */
static const mir_type *element_of(mir_reader *r, const mir_type *t)
{
    mir_type *own = ARENA_NEW(r->memory, mir_type);
    if (own)
        *own = (mir_type){.kind = t ? t->kind : MIR_REFUSED,
                          .refused = t ? t->refused : "",
                          .dtype = t ? t->dtype : TN_F32};
    else
        (void)mir_no_memory(r);
    return own;
}

/* A body of the operation NAME alone, on elements of the first input. */
static bool make_body(mir_reader *r, mir_op *o, mir_text name)
{
    static const mir_text ret = {"stablehlo.return", 16};
    const mir_type *t = element_of(r, o->in[0]->type);
    mir_value *args = ARENA_ARRAY(r->memory, mir_value, 3);
    mir_op *ops = ARENA_ARRAY(r->memory, mir_op, 2);
    mir_op **list = ARENA_ARRAY(r->memory, mir_op *, 2);
    const mir_value **in = ARENA_ARRAY(r->memory, const mir_value *, 3);
    if (!t || !args || !ops || !list || !in)
        return r->failed ? false : mir_no_memory(r);
    r->n_regions++;
    for (uint32_t i = 0; i < 3; i++) {
        args[i] = mir_new_value(r, name, t);
        in[i] = &args[i];
    }
    r->n_regions--;
    const span at = mir_span(r, name);
    if (!mir_rename_older(r, &name))
        return false;
    ops[0] = (mir_op){.name = name,
                      .row = r->find(r->rows, name),
                      .in = in,
                      .n_in = 2,
                      .out = &args[2],
                      .n_out = 1,
                      .at = at};
    ops[1] = (mir_op){.name = ret, .row = r->find(r->rows, ret), .in = in + 2, .n_in = 1, .at = at};
    list[0] = &ops[0];
    list[1] = &ops[1];
    if (!mir_add_regions(r, o, 1))
        return false;
    o->regions[0] =
        (mir_region){.args = args, .n_args = 2, .ops = list, .n_ops = 2, .depth = r->n_regions + 1};
    return true;
}

/* `(%x: T, %y: T)`: the first to FIRST, the others to SECOND. */
static bool read_params(mir_reader *r, values *first, values *second)
{
    values *list = first;
    if (!mir_expect(r, '('))
        return false;
    while (mir_next(r) == '%') {
        mir_text name, loc;
        const mir_type *t;
        if (!mir_sigil(r, '%', &name) || !mir_expect(r, ':') || !mir_read_type(r, &t) ||
            !mir_read_loc(r, &loc) || !MIR_PUSH(r, list, mir_new_value(r, name, t)))
            return false;
        list = second;
        if (!mir_accept(r, ','))
            break;
    }
    return mir_expect(r, ')');
}

/* `reducer(%x: t, %x1: t) (%w: t, %w1: t) {`: accumulators are first, elements second in each. */
static bool read_reducer(mir_reader *r, mir_op *o)
{
    values first = {0}, second = {0};
    if (!mir_expect_word(r, "reducer"))
        return false;
    while (mir_next(r) == '(')
        if (!read_params(r, &first, &second))
            return false;
    for (uint32_t i = 0; i < second.n; i++)
        if (!MIR_PUSH(r, &first, second.at[i]))
            return false;
    return mir_add_regions(r, o, 1) && mir_read_region(r, &o->regions[0], first.at, first.n);
}

bool mir_read_reduce(mir_reader *r, mir_op *o, mir_types *results)
{
    mir_text applied = {0};
    mir_attr axes;
    if (!read_inputs(r, o))
        return false;
    if (mir_accept_word(r, "applies") && !mir_word(r, &applied))
        return false;
    if (!mir_expect_word(r, "across") || !mir_expect_word(r, "dimensions") || !mir_expect(r, '=') ||
        !mir_read_simple(r, &axes) ||
        !mir_add_attr(r, &o->attrs, (mir_text){"dimensions", 10}, &axes) || !mir_read_attrs(r, o) ||
        !mir_read_signature(r, o, results))
        return false;
    mir_text loc; /* may stand before the body */
    return mir_read_loc(r, &loc) && (applied.n ? make_body(r, o, applied) : read_reducer(r, o));
}

/* ---- while ---- */

/* `(%i = %a, %s = %b)`: operands, and what the regions call them. */
static bool read_carry(mir_reader *r, mir_op *o, values *args)
{
    mir_operands in = {0};
    if (!mir_expect(r, '('))
        return false;
    while (mir_next(r) == '%') {
        mir_text name;
        if (!mir_sigil(r, '%', &name) || !mir_expect(r, '=') || !mir_read_operand(r, &in) ||
            !MIR_PUSH(r, args, ((mir_value){.name = name, .type = in.at[in.n - 1]->type})))
            return false;
        if (!mir_accept(r, ','))
            break;
    }
    o->in = in.at;
    o->n_in = in.n;
    return mir_expect(r, ')');
}

/* A region whose arguments are a copy of ARGS. */
static bool read_part(mir_reader *r, mir_op *o, uint32_t k, const values *args)
{
    mir_value *own = ARENA_ARRAY(r->memory, mir_value, args->n);
    if (!own)
        return mir_no_memory(r);
    for (uint32_t i = 0; i < args->n; i++)
        own[i] = mir_new_value(r, args->at[i].name, args->at[i].type);
    return mir_read_region(r, &o->regions[k], own, args->n);
}

bool mir_read_while(mir_reader *r, mir_op *o, mir_types *results)
{
    values args = {0};
    if (!read_carry(r, o, &args))
        return false;
    if (mir_accept(r, ':')) {
        do {
            const mir_type *t;
            if (!mir_read_type(r, &t) || !MIR_PUSH(r, results, t))
                return false;
        } while (mir_accept(r, ','));
    }
    if (results->n != args.n)
        return mir_fail(r, DIAG_ArityMismatch, o->at, "%u value%s carried, and %u type%s given",
                        (unsigned)args.n, plural(args.n), (unsigned)results->n, plural(results->n));
    if (mir_accept_word(r, "attributes") && !mir_read_attrs(r, o))
        return false;
    return mir_add_regions(r, o, 2) && mir_expect_word(r, "cond") && read_part(r, o, 0, &args) &&
           mir_expect_word(r, "do") && read_part(r, o, 1, &args);
}

/* ---- what each device does on its own ---- */

/* `(%a) in_shardings=[..] out_shardings=[..] manual_axes={..} (%x: T) { .. }` */
bool mir_read_manual(mir_reader *r, mir_op *o, mir_types *results)
{
    mir_operands in = {0};
    values params = {0};
    mir_text loc;
    if (!mir_expect(r, '(') || !mir_read_operands(r, &in) || !mir_expect(r, ')'))
        return false;
    o->in = in.at;
    o->n_in = in.n;
    while (mir_next(r) != '(') {
        mir_text word;
        if (!mir_word(r, &word) || !mir_expect(r, '='))
            return false;
        (void)mir_next(r);
        if (!mir_skip_brackets(r))
            return false;
    }
    return read_params(r, &params, &params) && mir_add_regions(r, o, 1) &&
           mir_read_region(r, &o->regions[0], params.at, params.n) && mir_read_attrs(r, o) &&
           mir_read_signature(r, o, results) && mir_read_loc(r, &loc);
}

/* ---- scan ---- */

/* `(%a, %b) inits(%c) dimension = 0 attributes {..} { .. }`: inputs, then what is carried. */
bool mir_read_scan(mir_reader *r, mir_op *o, mir_types *results)
{
    mir_operands in = {0};
    mir_attr axis, *sizes = ARENA_ARRAY(r->memory, mir_attr, 2);
    if (!sizes)
        return mir_no_memory(r);
    if (!mir_expect(r, '(') || !mir_read_operands(r, &in) || !mir_expect(r, ')'))
        return false;
    sizes[0] = (mir_attr){.kind = MIR_INT, .i = in.n, .fits = true};
    if (!mir_expect_word(r, "inits") || !mir_expect(r, '(') || !mir_read_operands(r, &in) ||
        !mir_expect(r, ')'))
        return false;
    sizes[1] = (mir_attr){.kind = MIR_INT, .i = in.n - sizes[0].i, .fits = true};
    const mir_attr list = {.kind = MIR_LIST, .items = sizes, .n = 2};
    o->in = in.at;
    o->n_in = in.n;
    if (!mir_add_attr(r, &o->attrs, (mir_text){"operandSegmentSizes", 19}, &list) ||
        !mir_expect_word(r, "dimension") || !mir_expect(r, '=') || !mir_read_simple(r, &axis) ||
        !mir_add_attr(r, &o->attrs, (mir_text){"dimension", 9}, &axis))
        return false;
    if (mir_accept_word(r, "attributes") && !mir_read_attrs(r, o))
        return false;
    return mir_add_regions(r, o, 1) && mir_read_region(r, &o->regions[0], NULL, 0) &&
           mir_read_signature(r, o, results);
}

/* ---- convolution ---- */

/* `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`, as text. */
static bool read_axes(mir_reader *r, mir_op *o)
{
    mir_attr axes = {.kind = MIR_CUSTOM, .name = {"conv", 4}};
    (void)mir_next(r);
    const char *from = r->at;
    if (!mir_skip_brackets(r) || !mir_expect_word(r, "x") || !mir_skip_brackets(r) ||
        !(mir_accept_arrow(r) || mir_expected(r, "'->'")) || !mir_skip_brackets(r))
        return false;
    axes.text = (mir_text){from, (size_t)(r->at - from)};
    return mir_add_attr(r, &o->attrs, (mir_text){"dimension_numbers", 17}, &axes);
}

/* `{stride = [2, 2], pad = [[1, 1], [0, 1]], ...}` */
static bool read_window(mir_reader *r, mir_op *o)
{
    static const struct {
        const char *word, *name;
    } words[] = {{"stride", "window_strides"},
                 {"pad", "padding"},
                 {"lhs_dilate", "lhs_dilation"},
                 {"rhs_dilate", "rhs_dilation"},
                 {"reverse", "window_reversal"}};
    enum { N_WORDS = sizeof words / sizeof *words };
    if (!mir_expect(r, '{'))
        return false;
    while (mir_next(r) != '}') {
        mir_text word;
        mir_attr value;
        uint32_t i = 0;
        if (!mir_word(r, &word))
            return false;
        while (i < N_WORDS && !mir_is(word, words[i].word))
            i++;
        if (i == N_WORDS)
            return mir_fail(r, DIAG_SyntaxError, mir_span(r, word), "a window has no '%.*s'",
                            MIR_TEXT(word));
        const mir_text name = {words[i].name, strlen(words[i].name)};
        if (!mir_expect(r, '=') || !mir_read_simple(r, &value) ||
            !mir_add_attr(r, &o->attrs, name, &value))
            return false;
        if (!mir_accept(r, ','))
            break;
    }
    return mir_expect(r, '}');
}

bool mir_read_conv(mir_reader *r, mir_op *o)
{
    mir_operands in = {0};
    if (!mir_expect(r, '(') || !mir_read_operands(r, &in) || !mir_expect(r, ')'))
        return false;
    o->in = in.at;
    o->n_in = in.n;
    if (!mir_expect_word(r, "dim_numbers") || !mir_expect(r, '=') || !read_axes(r, o))
        return false;
    return !mir_accept(r, ',') ||
           (mir_expect_word(r, "window") && mir_expect(r, '=') && read_window(r, o));
}
