/* The dialect's row, and its error codes. */
#include "dialect/tiny/tiny.h"

#include "dialect/reword.h"
#include "dialect/tiny/legal.h"
#include "dialect/tiny/uops.h"

static const struct {
    diag_kind kind;
    const char *code, *name;
} codes[] = {
    {DIAG_BroadcastMismatch, "E1001", "BroadcastMismatch"},
    {DIAG_ElementCountMismatch, "E1002", "AxisSizeMismatch"},
    {DIAG_InvalidPermutation, "E1003", "InvalidPermutation"},
    {DIAG_AccDtypeMissing, "E1004", "AccDtypeMissing"},
    {DIAG_DTypeMismatch, "E1005", "DTypeMismatch"},
    {DIAG_DTypeNotSupported, "E1005", "DTypeMismatch"},
    {DIAG_InvalidAccumDType, "E1005", "DTypeMismatch"},
    {DIAG_ExcessivePiecewise, "E2101", "ExcessivePiecewise"},
    {DIAG_DimensionBinding, "E1304", "AxisAlignmentMismatch"},
    {DIAG_UnguardedAccess, "E1305", "UnguardedAccess"},
    {DIAG_NonAffine, "E1306", "NonAffine"},
    {DIAG_AmbiguousBroadcast, "W1001", "AmbiguousBroadcast"},
    {DIAG_SuspiciousReshape, "W1002", "SuspiciousReshape"},
    {DIAG_Extension, "W1003", "Extension"},
    {DIAG_UnknownOp, "E1101", "UnknownUop"},
    {DIAG_UnknownDType, "E1103", "UnknownDtype"},
    {DIAG_UndefinedName, "E1104", "UnknownNode"},
    {DIAG_UndefinedOutput, "E1104", "UnknownNode"},
    {DIAG_MultipleDefinitions, "E1105", "DuplicateId"},
    {DIAG_Cycle, "E1106", "Cycle"},
    {DIAG_ArityMismatch, "E1107", "InvalidArity"},
    {DIAG_InvalidAttribute, "E1108", "InvalidAttribute"},
    {DIAG_InvalidConstant, "E1108", "InvalidAttribute"},
    {DIAG_InvalidDimension, "E1108", "InvalidAttribute"},
    {DIAG_NegativeDimension, "E1108", "InvalidAttribute"},
    {DIAG_CannotInfer, "E1108", "InvalidAttribute"},
    {DIAG_MissingAttribute, "E1109", "MissingAttribute"},
    {DIAG_InvalidAxis, "E1110", "InvalidAxis"},
    {DIAG_DuplicateAxis, "E1110", "InvalidAxis"},
    {DIAG_InvalidImmediate, "E1111", "InvalidImmediate"},
    {DIAG_UnboundSymbol, "E1112", "UnboundSymbol"},
    {DIAG_MissingInput, "E1113", "MissingInput"},
    {DIAG_InputMismatch, "E1114", "InputMismatch"},
    {DIAG_MissingOutputs, "E1115", "MissingOutputs"},
    {DIAG_SyntaxError, "E1116", "ParseError"},
    {DIAG_InvalidUtf8, "E1116", "ParseError"},
    {DIAG_InvalidCharacter, "E1116", "ParseError"},
    {DIAG_UnterminatedString, "E1116", "ParseError"},
    {DIAG_UnterminatedComment, "E1116", "ParseError"},
    {DIAG_InvalidEscape, "E1116", "ParseError"},
    {DIAG_InvalidNumber, "E1116", "ParseError"},
    {DIAG_DuplicateKey, "E1116", "ParseError"},
};

enum { N_CODES = sizeof codes / sizeof codes[0] };

const char *tiny_code_of(int kind)
{
    for (size_t i = 0; i < N_CODES; i++)
        if ((int)codes[i].kind == kind)
            return codes[i].code;
    return NULL;
}

/* Two kinds that the text tells apart further: an input whose extents alone are others, and what a
 * type rule rejects once the symbols have their values, which is the rule's own fault again. */
static diag_kind told_apart(const source *s, diag_kind kind, const char *op)
{
    const op_id id = op_by_name(op, strlen(op));
    if (kind == DIAG_InputMismatch && id == OP_INPUT)
        return DIAG_ElementCountMismatch;
    if (kind != DIAG_DimensionBinding || !s->about || id == OP_COUNT)
        return kind;
    if (id == OP_RESHAPE)
        return DIAG_ElementCountMismatch;
    return id == OP_BROADCAST || op_table[id].traits & T_ELEMENTWISE ? DIAG_BroadcastMismatch
                                                                     : kind;
}

/* An object that mentions "uops" early on. */
static bool looks_like(const char *text, size_t length)
{
    enum { FIRST = 1 << 16 };
    static const char word[] = "\"uops\"";
    const size_t n = length < FIRST ? length : FIRST, k = sizeof word - 1;
    for (size_t i = 0; i + k <= n; i++)
        if (text[i] == '"' && memcmp(text + i, word, k) == 0)
            return true;
    return false;
}

static const char *spelling(op_id op)
{
    if (op == OP_REDUCE_MAX)
        return "REDUCE(MAX)";
    if (op == OP_REDUCE_MIN)
        return "REDUCE(MIN)";
    if (op == OP_REDUCE_PROD)
        return "REDUCE(PROD)";
    if (op == OP_SUM)
        return "REDUCE(SUM)";
    if (op == OP_COMPARE)
        return "CMPLT, CMPEQ, CMPNE";
    if (op == OP_EXPAND_DIMS || op == OP_SQUEEZE)
        return "RESHAPE";
    if (op == OP_TILE)
        return "VIEW";
    const tiny_uop *u = tiny_uop_of(op, TN_F32);
    u = u ? u : tiny_uop_of(op, TN_SI32);
    return u ? u->name : NULL;
}

static bool field_at(op_id op, uint32_t index, dialect_field *out)
{
    const char *name = spelling(op);
    if (!name || op == OP_COMPARE) /* of several names, none of which has fields */
        return false;
    const tiny_uop *u =
        tiny_uop_by_name((json_text){.at = name, .n = (uint32_t)strcspn(name, "(")});
    if (!u || index >= u->n_fields)
        return false;
    const tiny_field *f = &u->fields[index];
    *out = (dialect_field){.name = f->name, .attribute = f->attribute, .optional = f->optional};
    return true;
}

void tiny_restate(const source *s, int kind, const char *op, tn_diagnostic *d, arena *memory)
{
    reword_fields(field_at, op, d, memory);
    const diag_kind own = told_apart(s, (diag_kind)kind, op);
    for (size_t i = 0; i < N_CODES; i++)
        if (codes[i].kind == own) {
            d->kind = codes[i].name;
            d->code = own == (diag_kind)kind ? d->code : codes[i].code;
        }
    if (kind == DIAG_ExcessivePiecewise && d->severity == TN_WARNING)
        d->code = "W2101";
}

const dialect dialect_tiny = {
    .name = "tiny",
    .extensions = ".tiny.json",
    .styles = "canonical view",
    .read = tiny_read,
    .write = tiny_write,
    .code_of = tiny_code_of,
    .looks_like = looks_like,
    .spelling = spelling,
    .field_at = field_at,
    .can = &tiny_expressible,
};
