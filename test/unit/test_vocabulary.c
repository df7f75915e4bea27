/* What each elementwise op has besides its row: a form in loops, a builder function, gradients of
 * the shapes of its operands, and in every dialect a spelling, a way to write it with other ops, or
 * the reason why there is none. The numbers of PTIR's binary form never change. */
#include "check.h"
#include "dialect/dialect.h"
#include "loop/element/element.h"
#include "ops/build.h"
#include "pass/conversions/differentiate.h"
#include "pass/conversions/legality.h"

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
    const bool of_parts = strcmp(op_table[op].infer_name, "part") == 0;
    const element x = element_zero(&b, of_parts ? TN_CF32 : takes_floats(op) ? TN_F32 : TN_SI32, 8);
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

static value_id input(builder *b, const char *name, const dim *dims, uint32_t rank)
{
    module *m = b->f->module;
    attr entries[] = {{.key = KEY_NAME, .v.s = module_string(m, name, strlen(name))},
                      {.key = KEY_TYPE, .v.type = type_of(&m->types, TN_F32, dims, rank)}};
    return build_node(b, OP_INPUT, NULL, 0, entries, 2);
}

/* Operands broadcast, so the gradient of each must be summed back to its shape. */
static void check_gradient(op_id op)
{
    static const dim dims[] = {2, 3};
    context *cx = context_new(NULL, NULL);
    module *m = module_new(cx), *gradient = NULL;
    builder b = builder_on(module_add_function(m, "main", 4), NO_SPAN);
    const value_id x = input(&b, "x", dims + 1, 1), y = input(&b, "y", dims, 2);
    (void)function_add_output(b.f, build_binary(&b, op, x, y));
    const grad_options o = {.seed = 1};
    if (CHECK_INT(b.status, TN_OK) && CHECK_INT(differentiate(m, &o, &gradient), TN_OK)) {
        const function *f = module_entry(gradient);
        const bool fits = f->outputs.n == 3 && function_output_type(f, 1)->rank == 1 &&
                          function_output_type(f, 2)->rank == 2;
        if (!CHECK(fits))
            printf("    '%s'\n", op_table[op].text);
    }
    module_free(gradient);
    module_free(m);
    context_free(cx);
}

/* Files of the binary form hold these numbers. */
static void check_numbers(void)
{
    enum {
#define UNARY(word, op) UNARY_##word,
#include "dialect/ptir/words.def"
#undef UNARY
        UNARY_COUNT
    };
    enum {
#define BINARY(word, op) BINARY_##word,
#include "dialect/ptir/words.def"
#undef BINARY
        BINARY_COUNT
    };
    CHECK_INT(UNARY_Reciprocal, 7);
    CHECK_INT(UNARY_IsInf, 16);
    CHECK_INT(UNARY_Sigmoid, 29);
    CHECK_INT(UNARY_Imag, 31);
    CHECK_INT(BINARY_Minimum, 5);
    CHECK_INT(BINARY_ShiftLeft, 6);
    CHECK_INT(BINARY_Atan2, 9);
    /* All of them: the number of a new word is held here, too. */
    CHECK_INT(UNARY_COUNT, UNARY_Imag + 1);
    CHECK_INT(BINARY_MinimumNan, 11);
    CHECK_INT(BINARY_Complex, 12);
    CHECK_INT(BINARY_COUNT, BINARY_Complex + 1);
}

int main(void)
{
    arena memory;
    check_numbers();
    arena_init(&memory, &memory_system);
    for (int op = 0; op < OP_COUNT; op++) {
        if (!(op_table[op].traits & T_ELEMENTWISE))
            continue;
        check_form((op_id)op, &memory);
        check_dialects((op_id)op);
        if (op_table[op].min_in == 2 && op_table[op].n_attrs == 0 && takes_floats((op_id)op) &&
            op != OP_RELU_GRAD && strcmp(op_table[op].grad_name, "none") != 0 &&
            strcmp(op_table[op].grad_name, "stop") != 0)
            check_gradient((op_id)op);
        if (op_table[op].n_attrs == 0 && op_table[op].min_in <= 2 && op != OP_STOP_GRADIENT &&
            !CHECK(is_built[op]))
            printf("    '%s' is not in build_elementwise.def\n", op_table[op].text);
    }
    arena_release(&memory);
    return check_result();
}
