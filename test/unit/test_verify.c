/* Modules that no reader and no pass makes: what module_verify finds, and that it blames a pass. */
#include "ops/infer.h"
#include "ops_ptir_case.h"

/* %0 = input, %1 = neg %0, %2 = add %1 %0; the output is %2. */
static void make(use *u)
{
    use_init(u);
    const dim dims[] = {3};
    attr entries[] = {{.key = KEY_NAME, .v.s = module_string(u->m, "x", 1)},
                      {.key = KEY_TYPE, .v.type = type_of(&u->m->types, TN_F32, dims, 1)}};
    const value_id x = build_node(&u->b, OP_INPUT, NULL, 0, entries, 2);
    const value_id y = build_node(&u->b, OP_NEG, (value_id[]){x}, 1, NULL, 0);
    const value_id z = build_node(&u->b, OP_ADD, (value_id[]){y, x}, 2, NULL, 0);
    CHECK_INT(u->b.status, TN_OK);
    CHECK_INT(function_add_output(module_entry(u->m), z), TN_OK);
    CHECK_INT(module_verify(u->m, NULL), TN_OK);
}

static void expect(use *u, const char *kind)
{
    u->kind[0] = '\0';
    CHECK_INT(module_verify(u->m, NULL), TN_ERR_REJECTED);
    diag_flush(&u->cx->diag);
    CHECK_TEXT(u->kind, kind);
    u->kind[0] = '\0';
    CHECK_INT(module_verify(u->m, "cse"), TN_ERR_INTERNAL);
    diag_flush(&u->cx->diag);
    CHECK(u->kind[0] != '\0');
    use_free(u);
}

int main(void)
{
    use u;
    static const value_id later[] = {2};

    make(&u);
    module_entry(u.m)->nodes.at[1].in = later;
    expect(&u, "UseBeforeDefinition");

    make(&u);
    const dim wide[] = {4};
    module_entry(u.m)->values.at[1].type = type_of(&u.m->types, TN_F32, wide, 1);
    expect(&u, "BroadcastMismatch");

    make(&u);
    module_entry(u.m)->values.at[2].type = type_of(&u.m->types, TN_F32, wide, 1);
    expect(&u, "TypeMismatch");

    make(&u);
    module_entry(u.m)->nodes.at[2].first_value = 3;
    expect(&u, "MultipleDefinitions");

    make(&u);
    module_entry(u.m)->values.at[1].node = 2;
    expect(&u, "MultipleDefinitions");

    make(&u);
    module_entry(u.m)->inputs.at[0] = 1;
    expect(&u, "InvalidInput");

    make(&u);
    module_entry(u.m)->outputs.at[0] = 3;
    expect(&u, "UndefinedOutput");
    return check_result();
}
