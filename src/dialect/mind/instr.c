/* Checking one instruction, in the order of the reference, and appending it to the graph. */
#include <inttypes.h>
#include <stdio.h>

#include "base/text/suggest.h"
#include "dialect/mind/reader.h"
#include "ops/infer.h"

/* ---- texts for messages -------------------------------------------------------------------- */

void put_dims_text(char out[TYPE_TEXT_MAX], const module *m, const dim *dims, uint32_t n)
{
    arena texts;
    arena_init(&texts, m->allocator);
    (void)snprintf(out, TYPE_TEXT_MAX, "%s", dims_text(&texts, &m->types, dims, n));
    arena_release(&texts);
}

void put_type_text(char out[TYPE_TEXT_MAX], const module *m, const type *t)
{
    char dims[TYPE_TEXT_MAX];
    const char *dtype = mind_dtype_name(t->dtype);
    put_dims_text(dims, m, t->dims, t->rank);
    (void)snprintf(out, TYPE_TEXT_MAX, "tensor<%s>%.1000s", dtype ? dtype : dtype_name(t->dtype),
                   dims);
}

/* ID as the text would spell it. */
static void put_id_text(const reader *r, const text_id *id, char out[128])
{
    int n = id->at.length < 100 ? (int)id->at.length : 100;
    (void)snprintf(out, 128, "%s%.*s", r->is_json ? "%" : "", n, span_text(r, id->at));
}

tn_status reject(reader *r, const text_id *id, diag_kind kind, span at, const char *format, ...)
{
    char name[128];
    va_list args;
    va_start(args, format);
    tn_status s = diag_vreport(&r->m->cx->diag, kind, &r->m->source, at, format, args);
    va_end(args);
    if (id) {
        put_id_text(r, id, name);
        diag_node(&r->m->cx->diag, name);
    }
    return s;
}

#define REJECT(r, in, kind, ...) reject((r), &(in)->id, DIAG_##kind, (in)->at, __VA_ARGS__)

static void note_at(const reader *r, span at, const char *text)
{
    diag_note(&r->m->cx->diag, &r->m->source, at, "%s", text);
}

/* The opcode, for "%.*s". */
#define OPCODE(r, in)                                                                              \
    (int)((in)->opcode.length < 60 ? (in)->opcode.length : 60), span_text((r), (in)->opcode)

/* ---- values and their names ---------------------------------------------------------------- */

/* ID, which is not defined, is VALUE. */
static tn_status add_id(reader *r, const text_id *id, value_id value)
{
    name_table *names = r->m->cx->names;
    if (names) {
        char detail[TYPE_TEXT_MAX] = "";
        const bool is_input = node_of(r->f, value)->op == OP_INPUT;
        if (value_type(r->f, value))
            put_type_text(detail, r->m, value_type(r->f, value));
        names_define(names, &(name_definition){.kind = is_input ? NAMED_INPUT : NAMED_VALUE,
                                               .at = id->at,
                                               .detail = detail});
    }
    return ids_add(&r->ids, id, value) ? TN_OK : module_no_memory(r->m);
}

const id_entry *use_id(reader *r, const text_id *id)
{
    const id_entry *e = ids_find(&r->ids, id);
    if (e)
        names_use(r->m->cx->names, id->at, (span){e->at, id->at.length});
    return e;
}

tn_status define_id(reader *r, const text_id *id, value_id value)
{
    char text[128];
    const id_entry *first = ids_find(&r->ids, id);
    if (!first)
        return add_id(r, id, value);
    put_id_text(r, id, text);
    tn_status s = reject(r, id, DIAG_MultipleDefinitions, id->at, "'%s' is defined already", text);
    diag_note(&r->m->cx->diag, &r->m->source, (span){first->at, id->at.length},
              "the first definition is here");
    return s;
}

/* Find the definition of ID on the lines after the one that uses it. */
static bool find_later(const reader *r, const text_id *id, span *found)
{
    const char *p = span_text(r, id->at);
    size_t n = id->at.length;
    while ((p = memchr(p, '\n', (size_t)(r->end - p))) != NULL) {
        p++;
        while (p < r->end && (*p == ' ' || *p == '\t'))
            p++;
        if ((size_t)(r->end - p) <= n || memcmp(p, span_text(r, id->at), n) != 0)
            continue;
        *found = (span){offset_of(r, p), id->at.length};
        p += n;
        while (p < r->end && (*p == ' ' || *p == '\t'))
            p++;
        if (p < r->end && *p == '=')
            return true;
    }
    return false;
}

tn_status report_undefined(reader *r, const text_id *user, const text_id *id)
{
    char text[128];
    span later;
    bool is_later = !r->is_json && find_later(r, id, &later);
    put_id_text(r, id, text);
    tn_status s =
        reject(r, user, DIAG_UseBeforeDefinition, id->at,
               is_later ? "'%s' is used before its definition" : "'%s' is not defined", text);
    if (is_later)
        note_at(r, later, "it is defined here");
    return s;
}

tn_status stand_in(reader *r, const instr *in)
{
    node_desc desc = {.op = OP_STOP_GRADIENT, .at = in->id.at};
    value_id v;
    if (ids_find(&r->ids, &in->id))
        return TN_OK;
    TN_TRY(function_add_typed(r->f, &desc, &in->type, 1, &v));
    return add_id(r, &in->id, v);
}

/* ---- the opcode ---------------------------------------------------------------------------- */

static tn_status check_opcode(reader *r, const instr *in)
{
    if (!in->how) {
        suggestion like;
        suggest_begin(&like, span_text(r, in->opcode), in->opcode.length);
        for (uint32_t i = 0; i < n_spellings; i++)
            suggest_name(&like, spellings[i].text, strlen(spellings[i].text));
        tn_status s =
            REJECT(r, in, UnknownOp, "'%.*s' is not an instruction of Core IR", OPCODE(r, in));
        suggest_fix(&like, &r->m->cx->diag, in->opcode, "");
        return s;
    }
    if (in->fault.issue && in->fault.kind == DIAG_UnknownOp) {
        suggestion like;
        suggest_begin(&like, in->fault.name, (size_t)in->fault.name_length);
        suggest_words(&like, "Add Sub Mul Div");
        tn_status s = REJECT(r, in, UnknownOp,
                             "'%.*s' is not an operator of BinOp, which has Add, Sub, Mul and Div",
                             in->fault.name_length, in->fault.name);
        suggest_fix(&like, &r->m->cx->diag, in->fault.at, "");
        return s;
    }
    if (r->options->profile == PROFILE_CORE_V1 && (in->how->is_extension || in->op == OP_DIV))
        return REJECT(r, in, UnknownOp, "'%.*s%s' is an extension", OPCODE(r, in),
                      in->how->is_extension ? "" : " Div");
    return TN_OK;
}

/* ---- attributes ---------------------------------------------------------------------------- */

/* Offer an attribute that is like the unknown one, and that was not given. */
static void suggest_slot(reader *r, const instr *in)
{
    suggestion like;
    suggest_begin(&like, in->fault.name, (size_t)in->fault.name_length);
    for (uint32_t i = 0; i < in->how->n_slots; i++)
        if (!(in->given >> i & 1))
            suggest_name(&like, in->how->slots[i].name, strlen(in->how->slots[i].name));
    suggest_fix(&like, &r->m->cx->diag, in->fault.at, "");
}

/* Report all attributes that are missing: one at a time would take a run for each. */
static tn_status missing_attributes(reader *r, const instr *in)
{
    char names[256];
    size_t n = 0, used = 0;
    for (uint32_t i = 0; i < in->how->n_slots; i++) {
        const slot_spec *slot = &in->how->slots[i];
        if ((in->given & (1U << i)) || slot->is_optional || used >= sizeof names)
            continue;
        used += (size_t)snprintf(names + used, sizeof names - used, "%s'%s'", n ? ", " : "",
                                 slot->name);
        n++;
    }
    return REJECT(r, in, MissingAttribute, "'%.*s' needs the attribute%s %s", OPCODE(r, in),
                  plural(n), names);
}

static tn_status check_slots(reader *r, instr *in)
{
    if (in->fault.issue) {
        tn_status s = reject(r, &in->id, in->fault.kind, in->at, "'%.*s': attribute '%.*s' %s",
                             OPCODE(r, in), in->fault.name_length, in->fault.name, in->fault.issue);
        note_at(r, in->fault.at, "given here");
        if (in->fault.is_unknown)
            suggest_slot(r, in);
        return s;
    }
    for (uint32_t i = 0; i < in->how->n_slots; i++) {
        const slot_spec *slot = &in->how->slots[i];
        if ((in->given & (1U << i)) || slot->is_optional)
            continue;
        if (in->maybe_ranges && (slot->key == KEY_ENDS || slot->key == KEY_STEPS)) {
            in->slots[i].n = 0;
            in->slots[i].first = 0;
            in->given |= 1U << i;
            continue;
        }
        if (in->op == OP_INPUT)
            return REJECT(r, in, InvalidInput, "input %" PRIu32 " has no name", r->f->inputs.n);
        return missing_attributes(r, in);
    }
    return TN_OK;
}

/* Under the option, bounds below 0 mean 0 and steps are positive. */
static tn_status clamp_slice(reader *r, const instr *in)
{
    for (uint32_t s = 0; s < in->how->n_slots; s++) {
        const slot_value *v = &in->slots[s];
        for (uint32_t i = 0; i < v->n; i++) {
            int64_t *at = &r->ints.at[v->first + i];
            if (*at >= 0)
                continue;
            if (in->how->slots[s].key == KEY_STEPS)
                return REJECT(r, in, SliceStep,
                              "the step of dimension %" PRIu32 " is %" PRId64
                              ", but must be positive where bounds are clamped",
                              i, *at);
            *at = 0;
        }
    }
    return TN_OK;
}

/* Extents this small would be taken for symbols. */
static tn_status check_extents(reader *r, const instr *in, const slot_value *v)
{
    for (uint32_t i = 0; i < v->n; i++)
        if (dim_is_symbolic(r->ints.at[v->first + i]))
            return REJECT(r, in, InvalidDimension,
                          "'%.*s': extent %" PRIu32 " is %" PRId64 ", but must be positive",
                          OPCODE(r, in), i, r->ints.at[v->first + i]);
    return TN_OK;
}

static tn_status make_attrs(reader *r, instr *in)
{
    attr entries[MAX_SLOTS + 1];
    uint32_t n = 0;

    if (in->op == OP_SLICE && r->options->slice_clamp)
        TN_TRY(clamp_slice(r, in));
    for (uint32_t i = 0; i < in->how->n_slots; i++) {
        const slot_spec *slot = &in->how->slots[i];
        const slot_value *v = &in->slots[i];
        if (slot->key == KEY_COUNT || !(in->given & (1U << i)))
            continue;
        if (slot->key == KEY_AXES && v->n == 0 && (in->op == OP_SUM || in->op == OP_MEAN))
            continue; /* `axes=[]` is every axis, which the graph says by leaving them out */
        attr *a = &entries[n++];
        *a = (attr){.key = (uint8_t)slot->key};
        if (slot->kind == SLOT_INTS || slot->kind == SLOT_RANGES) {
            if (slot->key == KEY_SHAPE || slot->key == KEY_INPUT_SHAPE ||
                slot->key == KEY_FILTER_SHAPE)
                TN_TRY(check_extents(r, in, v));
            a->n = v->n;
            a->v.ints = r->ints.at ? r->ints.at + v->first : &v->number;
        } else {
            a->v.i = v->number;
        }
        if (slot->kind == SLOT_PADDING && v->number == PADDING_CUSTOM) {
            entries[n] = (attr){.key = KEY_PADS, .n = v->n};
            entries[n++].v.ints = r->ints.at + v->first;
        }
    }
    in->attrs = attrs_of(&r->m->attrs, entries, n);
    if (!in->attrs)
        return module_no_memory(r->m);
    if (in->braces.length && in->n_arguments == 0 && in->braces.length <= ATTRS_CACHED_LENGTH)
        *attr_cache_at(r, in->how, in->braces) =
            (attr_cache){in->braces.at, in->braces.length, in->how, in->attrs, in->op};
    return TN_OK;
}

/* ---- sources ------------------------------------------------------------------------------- */

/* The declared type of an input or a constant: known, and all extents positive. */
static tn_status check_declared(reader *r, const instr *in)
{
    span at = in->type_at;
    int n = at.length < 200 ? (int)at.length : 200;
    if (in->type_fault == TYPE_BAD_EXTENT)
        return reject(r, &in->id, DIAG_InvalidDimension, at,
                      "dimension %" PRIu32 " of '%.*s' is %" PRId64 ", but must be %s",
                      in->bad_axis, n, span_text(r, at), in->bad_extent,
                      in->how->n_operands ? "0 or more" : "positive");
    if (in->type_fault == TYPE_BAD_DTYPE) {
        span word = in->type_fault_at;
        bool is_input = in->op == OP_INPUT;
        char index[32] = "";
        if (is_input)
            (void)snprintf(index, sizeof index, "input %" PRIu32 ": ", r->f->inputs.n);
        return reject(r, &in->id, is_input ? DIAG_InvalidInput : DIAG_UnknownDType, word,
                      "%sfound the element type '%.*s', expected i32, i64, f32 or f64", index,
                      word.length < 60 ? (int)word.length : 60, span_text(r, word));
    }
    if (in->how->n_operands)
        return TN_OK;
    for (uint32_t i = 0; i < in->type->rank; i++)
        if (in->type->dims[i] == 0)
            return reject(r, &in->id, DIAG_InvalidDimension, at,
                          "dimension %" PRIu32 " of '%.*s' is 0, but must be positive", i, n,
                          span_text(r, at));
    if (in->type->count == TYPE_COUNT_HUGE)
        return reject(r, &in->id, DIAG_InvalidDimension, at,
                      "'%.*s' has more elements than can be counted", n, span_text(r, at));
    return TN_OK;
}

static tn_status check_input_name(reader *r, const instr *in)
{
    const char *name = in->slots[0].text;
    uint64_t h = hash_mix(3, (uint64_t)(uintptr_t)name);
    if (*name == '\0')
        return REJECT(r, in, InvalidInput, "the name of input %" PRIu32 " is empty",
                      r->f->inputs.n);
    for (uint32_t p = hash_first(&r->input_names, h), i;
         (i = hash_at(&r->input_names, h, &p)) != HASH_NONE;) {
        const node *first = node_of(r->f, r->f->inputs.at[i]);
        if (attr_string(first->attrs, KEY_NAME) != name)
            continue;
        tn_status s =
            REJECT(r, in, InvalidInput, "input %" PRIu32 " has the name '%.200s' of input %" PRIu32,
                   r->f->inputs.n, name, i);
        note_at(r, first->at, "the first input of that name");
        return s;
    }
    return TN_OK;
}

static tn_status make_input(reader *r, instr *in)
{
    attr entries[2] = {{.key = KEY_NAME}, {.key = KEY_TYPE}};
    entries[0].v.s = in->slots[0].text;
    entries[1].v.type = in->type;
    in->attrs = attrs_of(&r->m->attrs, entries, 2);
    uint64_t h = hash_mix(3, (uint64_t)(uintptr_t)in->slots[0].text);
    return in->attrs && hash_add(r->m->allocator, &r->input_names, h, r->f->inputs.n)
               ? TN_OK
               : module_no_memory(r->m);
}

/* What uses a source of a type that cannot be is not checked: the type was not meant. */
static tn_status check_source_type(reader *r, instr *in)
{
    const tn_status s = check_declared(r, in);
    if (s != TN_OK)
        in->type = NULL;
    return s;
}

static tn_status make_source(reader *r, instr *in)
{
    if (in->op == OP_INPUT) {
        TN_TRY(check_input_name(r, in));
        TN_TRY(check_source_type(r, in));
        return make_input(r, in);
    }
    TN_TRY(check_source_type(r, in));
    return read_constant(r, in, &in->attrs);
}

/* ---- the whole ----------------------------------------------------------------------------- */

static tn_status check_operands(reader *r, const instr *in)
{
    tn_status s = TN_OK;
    for (uint32_t i = 0; i < in->n_operands && i < KEPT_OPERANDS; i++)
        if (in->operands[i].value == NO_VALUE)
            s = report_undefined(r, &in->id, &in->operands[i].id);
    if (ids_find(&r->ids, &in->id))
        s = define_id(r, &in->id, NO_VALUE);
    return s;
}

/* What Core IR asks beyond the rules of the vocabulary. */
static tn_status check_dialect_rules(reader *r, instr *in, const type *first)
{
    uint32_t n = 0;
    const int64_t *axes = in->op == OP_SQUEEZE ? attr_ints(in->attrs, KEY_AXES, &n) : NULL;

    if ((in->op == OP_RELU || in->op == OP_EXP || in->op == OP_LOG) &&
        !dtype_is_float(first->dtype))
        return REJECT(r, in, DTypeNotSupported, "'%s' takes floats, f32 or f64, not %s",
                      in->how->text, mind_dtype_name(first->dtype));
    for (uint32_t i = 0; i < n; i++)
        if (axes[i] < 0)
            return REJECT(r, in, InvalidAxis,
                          "axis %" PRId64 " of 'Squeeze' is out of range for rank %" PRIu32
                          "; its axes count from the front only",
                          axes[i], first->rank);
    if (in->op == OP_DIV && dtype_is_int(first->dtype)) {
        attr entry = {.key = KEY_ON_ZERO, .v.i = ON_ZERO_ZERO};
        in->attrs = attrs_of(&r->m->attrs, &entry, 1);
        if (!in->attrs)
            return module_no_memory(r->m);
    }
    return TN_OK;
}

/* The notes of a type rule say what the operands are: name them as the text does. */
static void restate_operands(reader *r, const instr *in)
{
    diag_channel *d = &r->m->cx->diag;
    char id[128], text[TYPE_TEXT_MAX];
    for (uint32_t i = 0; i < in->n_operands && i < d->open.n_notes; i++) {
        put_id_text(r, &in->operands[i].id, id);
        put_type_text(text, r->m, value_type(r->f, in->operands[i].value));
        const char *note = arena_printf(&d->text, "operand %" PRIu32 ", '%s', is %s", i, id, text);
        if (note)
            d->notes[i].message = note;
    }
}

static tn_status check_result(reader *r, const instr *in, value_id v)
{
    const type *have = value_type(r->f, v);
    char want[TYPE_TEXT_MAX], declared[TYPE_TEXT_MAX];
    if (have == in->type)
        return TN_OK;
    r->f->values.at[v].type =
        NULL; /* which of the two is meant is not known: users are not judged */
    TN_TRY(check_declared(r, in));
    put_type_text(want, r->m, have);
    put_type_text(declared, r->m, in->type);
    tn_status s = reject(r, &in->id, DIAG_TypeMismatch, in->type_at,
                         "the declared type %s differs from the result type %s", declared, want);
    diag_fix(&r->m->cx->diag, in->type_at, want, "declare %s", want);
    return s;
}

/* The name of a value whose number in the module is not the one in the text. */
static tn_status name_of(reader *r, const instr *in, const char **name)
{
    char text[128];
    *name = NULL;
    if (in->id.number == r->f->values.n)
        return TN_OK;
    put_id_text(r, &in->id, text);
    *name = module_string(r->m, text, strlen(text));
    return *name ? TN_OK : module_no_memory(r->m);
}

static tn_status append(reader *r, instr *in)
{
    value_id operands[2], v;
    bool is_known = true;

    for (uint32_t i = 0; i < in->n_operands; i++) {
        operands[i] = in->operands[i].value;
        is_known = is_known && value_type(r->f, operands[i]) != NULL;
    }
    if (!is_known) /* reported where the operand is defined */
        return stand_in(r, in);
    if (in->n_operands)
        TN_TRY(check_dialect_rules(r, in, value_type(r->f, operands[0])));
    node_desc desc = {
        .op = in->op,
        .in = operands,
        .n_in = in->n_operands,
        .attrs = in->attrs,
        .at = in->at,
        .number = in->id.number,
        .spelling = in->how->text[0] == 'C' && in->how->dtype == TN_DTYPE_COUNT ? SPELT_TENSOR
                                                                                : SPELT_DEFAULT,
    };
    TN_TRY(name_of(r, in, &desc.name));
    tn_status added = function_add(r->f, &desc, &v);
    if (added == TN_ERR_REJECTED)
        restate_operands(r, in);
    TN_TRY(added);
    TN_TRY(add_id(r, &in->id, v));
    return check_result(r, in, v);
}

tn_status finish_instr(reader *r, instr *in)
{
    if (r->f->nodes.n >= r->m->cx->limits.nodes) {
        r->stop = true;
        return REJECT(r, in, LimitExceeded,
                      "more instructions than the limit of %" PRIu32 "; %s nodes=N changes it",
                      r->m->cx->limits.nodes, diag_setting_name(&r->m->cx->diag, SETTING_LIMIT));
    }
    TN_TRY(check_operands(r, in));
    TN_TRY(check_opcode(r, in));
    if (in->n_operands != in->how->n_operands)
        return REJECT(r, in, ArityMismatch, "'%.*s' takes %d operand%s, not %" PRIu32,
                      OPCODE(r, in), in->how->n_operands, plural(in->how->n_operands),
                      in->n_operands);
    if (in->op == OP_INPUT || in->op == OP_CONSTANT) {
        TN_TRY(check_slots(r, in));
        TN_TRY(make_source(r, in));
    } else if (!in->attrs) {
        TN_TRY(check_slots(r, in));
        TN_TRY(make_attrs(r, in));
    }
    return append(r, in);
}
