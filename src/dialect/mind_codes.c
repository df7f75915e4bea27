/* What MIND calls errors. */
#include "dialect/mind_codes.h"

#include "base/context/diag.h"

#include <string.h>

/* Codes with their names in the published catalogue; NULL: the catalogue has none that fits. */
static const struct {
    const char *code, *name;
} codes[DIAG_COUNT] = {
    [DIAG_InvalidUtf8] = {"E1001", "Invalid UTF-8 sequence"},
    [DIAG_InvalidCharacter] = {"E1002", "Invalid character in identifier"},
    [DIAG_UnterminatedString] = {"E1003", "Unterminated string literal"},
    [DIAG_InvalidEscape] = {"E1004", "Invalid escape sequence"},
    [DIAG_InvalidNumber] = {"E1005", "Invalid numeric literal"},
    [DIAG_UnterminatedComment] = {"E1006", "Unterminated block comment"},
    [DIAG_SyntaxError] = {"E1007", "Syntax error"},
    [DIAG_DuplicateKey] = {"E1007", NULL},
    [DIAG_UnsupportedVersion] = {"E1007", NULL},
    [DIAG_LimitExceeded] = {"E1007", NULL},
    [DIAG_UnknownDType] = {"E1007", NULL},
    [DIAG_TypeMismatch] = {"E2001", "Type mismatch"},
    [DIAG_UndefinedName] = {"E2002", "Undefined variable"},
    [DIAG_CannotInfer] = {"E2003", "Cannot infer type"},
    [DIAG_DTypeMismatch] = {"E2004", "Dtype mismatch in binary operation"},
    [DIAG_DTypeNotSupported] = {"E2005", "Invalid dtype for operation"},
    [DIAG_ArityMismatch] = {"E2007", "Arity mismatch"},
    [DIAG_BroadcastMismatch] = {"E3001", "Broadcasting failure"},
    [DIAG_RankMismatch] = {"E3002", "Rank mismatch"},
    [DIAG_DimensionMismatch] = {"E3003", "Dimension mismatch"},
    [DIAG_InvalidAxis] = {"E3004", "Invalid axis"},
    [DIAG_DuplicateAxis] = {"E3005", "Duplicate axis"},
    [DIAG_InvalidDimension] = {"E3006", "Zero or negative dimension"},
    [DIAG_ElementCountMismatch] = {"E3007", "Element count mismatch"},
    [DIAG_InvalidPermutation] = {"E3008", "Invalid permutation"},
    [DIAG_SqueezeExtent] = {"E3009", "Squeeze dimension not 1"},
    [DIAG_LiteralShape] = {"E3010", "Invalid shape in literal"},
    [DIAG_UseBeforeDefinition] = {"E4001", "Use before definition"},
    [DIAG_MultipleDefinitions] = {"E4002", "Multiple definitions"},
    [DIAG_UndefinedOutput] = {"E4003", "Undefined output"},
    [DIAG_InvalidInput] = {"E4004", "Invalid input declaration"},
    [DIAG_InvalidConstant] = {"E4005", "Constant verification failure"},
    [DIAG_IndexLength] = {"E4006", "Index list length mismatch"},
    [DIAG_SliceLength] = {"E4007", "Slice parameters length mismatch"},
    [DIAG_SliceStep] = {"E4008", "Invalid slice step"},
    [DIAG_ChannelMismatch] = {"E4009", "Conv2d channel mismatch"},
    [DIAG_InvalidStrides] = {"E4010", "Conv2d invalid strides"},
    [DIAG_IndexDType] = {"E4011", "Gather invalid indices dtype"},
    [DIAG_InvalidPadding] = {"E4012", "Conv2d invalid padding"},
    [DIAG_UnknownOp] = {"E4013", "Instruction not in Core v1"},
    [DIAG_MissingAttribute] = {"E4014", "Missing attribute"},
    [DIAG_InvalidAttribute] = {"E4014", "Invalid attribute"},
    [DIAG_MissingOutputs] = {"E4016", "Missing outputs"},
    [DIAG_NoDerivative] = {"E5001", "Unsupported operation"},
    [DIAG_GradientVerification] = {"E5002", "Gradient verification failure"},
    [DIAG_GradientAxis] = {"E5003", "Invalid axis in gradient"},
    [DIAG_GradientShape] = {"E5004", "Unsupported shape in gradient"},
    [DIAG_NotDifferentiable] = {"E5005", "Non-differentiable input"},
    [DIAG_IndexOutOfBounds] = {"E6001", "Out-of-bounds index"},
    [DIAG_BackendUnavailable] = {"E6002", "Backend unavailable"},
    [DIAG_NotImplemented] = {"E6003", "Unsupported operation on backend"},
    [DIAG_AllocationFailure] = {"E6004", "Allocation failure"},
    [DIAG_InvalidValue] = {"E6006", "Invalid numeric value"},
    [DIAG_Timeout] = {"E6007", "Execution timeout"},
};

const char *mind_code_of(int kind)
{
    return kind >= 0 && kind < DIAG_COUNT ? codes[kind].code : NULL;
}

static char small(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* The end of WORDS at the beginning of TEXT, in any case; NULL when TEXT begins otherwise. */
static const char *after(const char *text, const char *words)
{
    for (; *words; text++, words++)
        if (small(*text) != small(*words))
            return NULL;
    return text;
}

void mind_entitle(int kind, tn_diagnostic *d, arena *memory)
{
    const char *name = mind_code_of(kind) && d->severity == TN_ERROR ? codes[kind].name : NULL;
    const char *rest = name ? after(d->message, name) : NULL;
    const char *made = !name  ? NULL
                       : rest ? arena_printf(memory, "%s%s", name, rest)
                              : arena_printf(memory, "%s: %s", name, d->message);
    if (made)
        d->message = made;
}
