/* Each kind of error has a page, which names the codes that dialects give to it. */
#include "base/context/diag.h"
#include "check.h"
#include "dialect/dialect.h"
#include "tenon/tenon.h"

/* Is one of the pages about CODE that of the kind KIND? */
static bool has_page(const char *code, int kind)
{
    const char *page;
    const char *name = diag_kind_name((diag_kind)kind);
    for (size_t i = 0; (page = tn_error_page(code, i)) != NULL; i++)
        if (strncmp(page, "# ", 2) == 0 && strncmp(page + 2, name, strlen(name)) == 0 &&
            page[2 + strlen(name)] == '\n')
            return true;
    return false;
}

static void test_kinds(void)
{
    for (int kind = 0; kind < DIAG_COUNT; kind++)
        CHECK(has_page(diag_kind_name((diag_kind)kind), kind));
}

static void test_codes(void)
{
    for (size_t d = 0; d < tn_dialect_count(); d++)
        for (int kind = 0; kind < DIAG_COUNT; kind++) {
            const char *code = dialects[d]->code_of ? dialects[d]->code_of(kind) : NULL;
            if (code && !CHECK(has_page(code, kind)))
                printf("    %s of %s\n", code, diag_kind_name((diag_kind)kind));
        }
}

static void test_all(void)
{
    for (size_t i = 0; i < DIAG_COUNT; i++)
        CHECK(tn_error_page(NULL, i) == tn_error_page(diag_kind_name((diag_kind)i), 0));
    CHECK(tn_error_page(NULL, DIAG_COUNT) == NULL);
}

static void test_no_page(void)
{
    CHECK(tn_error_page("", 0) == NULL);
    CHECK(tn_error_page("E9999", 0) == NULL);
    CHECK(tn_error_page("MIND", 0) == NULL);
    CHECK(tn_error_page("Codes", 0) == NULL);
    CHECK(tn_error_page("E3003", 0) != NULL);
    CHECK(tn_error_page("E3003", 1) == NULL);
    CHECK(tn_error_page("E30031", 0) == NULL);
}

int main(void)
{
    test_kinds();
    test_codes();
    test_all();
    test_no_page();
    return check_result();
}
