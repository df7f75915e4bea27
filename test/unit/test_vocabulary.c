/* What each elementwise op has besides its row: a form in loops, a builder function, and in every
 * dialect a spelling, a way to write it with other ops, or the reason why there is none. */
#include "check.h"
#include "dialect/dialect.h"
#include "loop/element/element.h"
#include "pass/legalize.h"

/* Does a builder function make the op? */
static const bool is_built[OP_COUNT] = {
#define TN_UNARY(function, op) [OP_##op] = true,
#define TN_BINARY(function, op) [OP_##op] = true,
#include "tenon/build_elementwise.def"
};

static bool takes_floats(op_id op)
{
    const char *rule = op_table[op].infer_name;
    return !strstr(rule, "bits") && !strstr(rule, "integer");
}

static void check_form(op_id op, arena *memory)
{
    loop_builder b;
    element r;
    loop_value fails;
    loop_init(&b, memory);
    const element x = element_zero(&b, takes_floats(op) ? TN_F32 : TN_SI32, 8);
    const element in[] = {op == OP_SELECT ? element_zero(&b, TN_I1, 8) : x, x, x};
    CHECK(element_op(&b, op, &attrs_none, in, op_table[op].min_in, x.dtype, &r, &fails));
    CHECK(!loop_failed(&b));
    CHECK(op_table[op].cost >= 1);
}

static void check_dialects(op_id op)
{
    for (size_t i = 0; dialects[i]; i++) {
        const expansion_info *by;
        bool relaxed;
        if (dialects[i]->can && op_legality(op, dialects[i], &by, &relaxed) == LEGAL_NEVER &&
            !CHECK(op_refusal(op) != NULL))
            printf("    '%s' in %s\n", op_table[op].text, dialects[i]->name);
    }
}

int main(void)
{
    arena memory;
    arena_init(&memory, &memory_system);
    for (int op = 0; op < OP_COUNT; op++) {
        if (!(op_table[op].traits & T_ELEMENTWISE))
            continue;
        check_form((op_id)op, &memory);
        check_dialects((op_id)op);
        if (op_table[op].n_attrs == 0 && op_table[op].min_in <= 2 && op != OP_STOP_GRADIENT &&
            !CHECK(is_built[op]))
            printf("    '%s' is not in build_elementwise.def\n", op_table[op].text);
    }
    arena_release(&memory);
    return check_result();
}
