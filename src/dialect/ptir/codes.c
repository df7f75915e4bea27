/* PTIR's error codes and its wording of messages. */
#include "dialect/ptir/codes.h"

#include <inttypes.h>

#include "dialect/ptir/ptir.h"
#include "dialect/reword.h"

/* The specification's codes that this library uses, and their texts. */
static const struct {
    const char *code, *text;
} codes[] = {
    {"NegativeDimension", "negative dimension"},
    {"DynamicDimensionMismatch", "dynamic dimension mismatch"},
    {"DTypeNotSupported", "dtype not supported for op"},
    {"InvalidAttributeValue", "invalid attribute value"},
    {"InvalidAccumDTypeOverride", "invalid accum_dtype override"},
    {"IntegerDivideByZero", "integer divide by zero"},
    {"CompareOperandsMustMatchShape", "compare operands must match shape"},
    {"CompareDTypePromotionInvalid", "compare dtype promotion invalid"},
    {"BroadcastRankMismatch", "broadcast rank mismatch"},
    {"BroadcastDimsInvalid", "broadcast dims must be sorted and unique"},
    {"ScatterIndexOutOfBounds", "scatter index out of bounds"},
    {"GatherIndexOutOfBounds", "gather index out of bounds"},
    {"RegionSignatureMismatch", "region signature mismatch"},
};

static const char unspecified[] = "Unspecified";

static bool is_op(const char *op, const char *name)
{
    return strcmp(op, name) == 0;
}

static bool is_scatter(const char *op)
{
    return strncmp(op, "scatter", 7) == 0 || is_op(op, "segment_reduce");
}

static bool runs_regions(const char *op)
{
    return is_op(op, "cond") || is_op(op, "while") || is_op(op, "scan");
}

const char *ptir_code(int kind, const char *op)
{
    switch (kind) {
    case DIAG_NegativeDimension:
        return "NegativeDimension";
    case DIAG_DimensionBinding:
        return "DynamicDimensionMismatch";
    case DIAG_InputMismatch: /* about an input: only its extents are others */
        return is_op(op, "input") ? "DynamicDimensionMismatch" : NULL;
    case DIAG_DTypeNotSupported:
    case DIAG_IndexDType:
        return "DTypeNotSupported";
    case DIAG_InvalidAccumDType:
        return "InvalidAccumDTypeOverride";
    case DIAG_DivideByZero:
        return "IntegerDivideByZero";
    case DIAG_RegionSignature:
        return "RegionSignatureMismatch";
    case DIAG_IndexOutOfBounds:
        return is_scatter(op) ? "ScatterIndexOutOfBounds" : "GatherIndexOutOfBounds";
    case DIAG_BroadcastMismatch:
        return is_op(op, "compare") ? "CompareOperandsMustMatchShape" : "BroadcastDimsInvalid";
    case DIAG_RankMismatch:
    case DIAG_ShapeMismatch:
    case DIAG_DimensionMismatch:
        return is_op(op, "compare")     ? "CompareOperandsMustMatchShape"
               : is_op(op, "broadcast") ? "BroadcastRankMismatch"
               : runs_regions(op)       ? "RegionSignatureMismatch"
                                        : unspecified;
    case DIAG_DTypeMismatch:
        return is_op(op, "compare") ? "CompareDTypePromotionInvalid" : unspecified;
    case DIAG_InvalidAttribute:
    case DIAG_InvalidConstant:
    case DIAG_InvalidAxis:
    case DIAG_DuplicateAxis:
    case DIAG_InvalidDimension:
    case DIAG_ElementCountMismatch:
    case DIAG_InvalidPermutation:
    case DIAG_LiteralShape:
    case DIAG_IndexLength:
    case DIAG_SliceLength:
    case DIAG_SliceStep:
    case DIAG_InvalidStrides:
    case DIAG_InvalidPadding:
        return "InvalidAttributeValue";
    case DIAG_UseBeforeDefinition:
    case DIAG_UndefinedName:
    case DIAG_MultipleDefinitions:
    case DIAG_UndefinedOutput:
    case DIAG_MissingOutputs:
    case DIAG_InvalidInput:
    case DIAG_Cycle:
    case DIAG_ArityMismatch:
    case DIAG_MissingAttribute:
    case DIAG_TypeMismatch:
    case DIAG_CannotInfer:
    case DIAG_SqueezeExtent:
    case DIAG_ChannelMismatch:
    case DIAG_UnboundSymbol:
        return unspecified;
    default: /* of reading, of files, of the machine: the kind is the code */
        return NULL;
    }
}

const char *ptir_code_of(int kind)
{
    return ptir_code(kind, "");
}

static const char *append(arena *memory, const char *text, const char *more)
{
    return text && more ? arena_printf(memory, "%s%s%s", text, *text ? ", " : "", more) : NULL;
}

static const char *op_label(ptir_op op, uint32_t word, arena *memory)
{
    const ptir_op_info *info = &ptir_ops[op];
    const char *words = info->form == PTIR_FORM_UNARY    ? ptir_unary_words
                        : info->form == PTIR_FORM_BINARY ? ptir_binary_words
                                                         : "";
    size_t n;
    const char *text = ptir_word(words, word, &n);
    return n ? arena_printf(memory, "%s(%.*s)", info->name, (int)n, text) : info->name;
}

static const char *append_operands(arena *memory, const char *text, const type_table *types,
                                   const type *const *in, uint32_t n)
{
    enum { SHOWN = 6 };
    for (uint32_t i = 0; i < n && i < SHOWN && text; i++)
        text = arena_printf(memory, "%s%s %s", text, i ? "," : ", operands",
                            type_text(memory, types, in[i]));
    return text;
}

/* `function 'main', instruction 3, Reduce, operands f32[2, 3]`; "" when nothing is known. */
static const char *reading_text(const ptir_where *w, arena *memory)
{
    if (!w->function)
        return "";
    const char *text =
        arena_printf(memory, "%s '%s'", w->is_region ? "region" : "function", w->function);
    if (!text || !w->inst)
        return text;
    text = arena_printf(memory, "%s, instruction %" PRIu32, text, w->index);
    if (w->inst->op < PTIR_OP_COUNT)
        text = append(memory, text, op_label(w->inst->op, w->inst->word, memory));
    return append_operands(memory, text, &w->m->types, w->in, w->n_in);
}

/* The same about a node of the graph. */
static const char *site_text(const use_site *site, arena *memory)
{
    const function *f = site->function;
    const char *text = "";
    uint32_t word;
    const size_t prefix = sizeof PTIR_REGION_PREFIX - 1;
    if (f && f->is_region && strncmp(f->name, PTIR_REGION_PREFIX, prefix) == 0)
        text = arena_printf(memory, "region '%s'", f->name + prefix);
    else if (f)
        text = arena_printf(memory, "function '%s'", f->name);
    if (text && site->place)
        text = append(memory, text, arena_printf(memory, "instruction %" PRIu32, site->place - 1));
    ptir_op op = ptir_op_of(site->op, &word);
    if (op != PTIR_OP_COUNT && site->op != OP_INPUT)
        text = append(memory, text, op_label(op, word, memory));
    return append_operands(memory, text, site->types, site->in, site->n_in);
}

static const char *where_text(const source *s, arena *memory)
{
    return s->reading ? reading_text(s->reading, memory)
           : s->about ? site_text(s->about, memory)
                      : "";
}

static const char *code_text(const char *code)
{
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (strcmp(codes[i].code, code) == 0)
            return codes[i].text;
    return NULL;
}

/* The kinds of a run that are not faults of the program's text. */
static bool is_execution(int kind)
{
    return kind == DIAG_Timeout || kind == DIAG_Cancelled || kind == DIAG_AllocationFailure;
}

void ptir_restate(const source *s, int kind, const char *op, tn_diagnostic *d, arena *memory)
{
    const char *where = where_text(s, memory), *said = NULL;
    const char *code = ptir_code(kind, op), *text = code ? code_text(code) : NULL;
    if (!where)
        return;
    reword_fields(ptir_field_at, op, d, memory);
    if (code) {
        d->code = code;
        said = text ? arena_printf(memory, "SpecError: %s (%s%s%s)", text, d->message,
                                   *where ? "; " : "", where)
                    : arena_printf(memory, "SpecError: %s%s%s%s", d->message, *where ? " (" : "",
                                   where, *where ? ")" : "");
    } else if (kind == DIAG_NotImplemented) {
        said = arena_printf(memory, "%s is not implemented: %s", *op ? op : "this", d->message);
    } else if (is_execution(kind)) {
        said = arena_printf(memory, "backend execution failure: %s", d->message);
    }
    if (said)
        d->message = said;
}
