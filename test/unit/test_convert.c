/* The public interface of conversion: targets, walking, plans, symbols, comparing, lack of memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tenon/convert.h"

static int failures;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            (void)printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                           \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

static const char program[] =
    "%0 = Input () {name=\"x\"} : tensor<f32>[2, 3]\n"
    "%1 = Relu (%0) : tensor<f32>[2, 3]\n"
    "%2 = Mean (%1) {axes=[1], keepdims=false} : tensor<f32>[2]\n"
    "%3 = Slice (%2) {ends=[-1], starts=[1], steps=[-1]} : tensor<f32>[2]\n"
    "outputs: %3\n";

typedef struct text {
    char at[2000];
    size_t n;
} text;

static bool append(void *user, const char *bytes, size_t n)
{
    text *t = user;
    if (n > sizeof t->at - 1 - t->n)
        return false;
    memcpy(t->at + t->n, bytes, n);
    t->n += n;
    t->at[t->n] = 0;
    return true;
}

static tn_module *read_text(tn_context *cx, const char *source)
{
    tn_module *m = NULL;
    (void)tn_module_read(cx, NULL, source, strlen(source), &m);
    return m;
}

/* ---- targets ---- */

static tn_status write_word(void *user, const tn_module *m, const tn_writer *w)
{
    (void)m;
    return w->write(w->user, user, strlen(user)) ? TN_OK : TN_ERR_IO;
}

static tn_status refuse(void *user, const tn_module *m)
{
    (void)user;
    (void)m;
    return TN_ERR_REJECTED;
}

static void test_targets(tn_context *cx)
{
    static char one[] = "one", two[] = "two";
    tn_module *m = read_text(cx, program);
    text t = {.n = 0};
    const tn_writer w = {append, &t};
    const tn_target b = {"b", 1, ".b", NULL, write_word, one};
    const tn_target a = {"a", 3, NULL, refuse, write_word, one};
    const tn_target again = {"b", 2, ".bb", NULL, write_word, two};
    CHECK(tn_target_count(cx) == 0 && !tn_target_at(cx, 0) && !tn_target_find(cx, "b"));
    CHECK(tn_target_register(cx, &b) == TN_OK && tn_target_register(cx, &a) == TN_OK);
    CHECK(tn_target_count(cx) == 2);
    CHECK(strcmp(tn_target_at(cx, 0)->name, "a") == 0 &&
          strcmp(tn_target_at(cx, 1)->name, "b") == 0);
    CHECK(tn_target_convert(m, "b", &w) == TN_OK && strcmp(t.at, "one") == 0);
    CHECK(tn_target_register(cx, &again) == TN_OK && tn_target_count(cx) == 2);
    CHECK(tn_target_find(cx, "b")->version == 2);
    CHECK(tn_target_convert(m, "b", &w) == TN_OK && strcmp(t.at, "onetwo") == 0);
    CHECK(tn_target_convert(m, "a", &w) == TN_ERR_REJECTED);
    CHECK(tn_target_convert(m, "c", &w) == TN_ERR_USAGE);
    CHECK(tn_target_register(cx, &(tn_target){.name = "d"}) == TN_ERR_USAGE);
    tn_module_free(m);
}

/* ---- walking ---- */

static bool see_function(void *user, const tn_walk_function *f)
{
    text *t = user;
    return append(t, f->name, strlen(f->name)) && append(t, ":", 1);
}

static bool see_instruction(void *user, const tn_walk_instruction *i)
{
    return append(user, " ", 1) && append(user, i->op, strlen(i->op));
}

static bool stop(void *user, const tn_walk_instruction *i)
{
    (void)user;
    return i->index < 1;
}

static void test_walk(tn_context *cx)
{
    tn_module *m = read_text(cx, program);
    text t = {.n = 0};
    const tn_walker all = {see_function, see_instruction, NULL, &t};
    const tn_walker some = {NULL, stop, NULL, NULL};
    CHECK(tn_module_walk(m, &all) && strcmp(t.at, "main: relu mean slice") == 0);
    CHECK(!tn_module_walk(m, &some));
    tn_module_free(m);
}

/* ---- plans ---- */

static void test_plan(tn_context *cx)
{
    tn_module *m = read_text(cx, program);
    tn_buffer_plan *p = NULL;
    tn_planned_buffer b;
    CHECK(tn_module_plan_buffers(m, &p) == TN_OK && tn_buffer_plan_count(p) == 4);
    CHECK(tn_buffer_plan_at(p, 0, &b) && b.usage == TN_BUFFER_PARAMETER && b.begin == 0 &&
          b.end == 4 && b.slot == -1 && b.bytes == 24);
    CHECK(tn_buffer_plan_at(p, 1, &b) && b.usage == TN_BUFFER_TEMPORARY && b.begin == 1 &&
          b.end == 2 && b.slot == 0 && b.offset == 0);
    CHECK(tn_buffer_plan_at(p, 2, &b) && b.begin == 2 && b.end == 4 && b.slot == 1 &&
          b.offset == 64);
    CHECK(tn_buffer_plan_at(p, 3, &b) && b.usage == TN_BUFFER_RESULT && b.alias == TN_ALIAS_VIEW &&
          b.source == 2 && b.group == 2);
    CHECK(!tn_buffer_plan_at(p, 4, &b));
    CHECK(tn_buffer_plan_slots(p) == 2 && tn_buffer_plan_bytes(p) == 128 &&
          tn_buffer_plan_peak(p) == 32);
    tn_buffer_plan_free(p);
    tn_buffer_plan_free(NULL);
    tn_module_free(m);
}

/* ---- symbols ---- */

static void test_symbol(tn_context *cx)
{
    tn_module *m = read_text(cx, program);
    text a = {.n = 0}, b = {.n = 0}, c = {.n = 0};
    CHECK(tn_module_entry_symbol(m, NULL, &(tn_writer){append, &a}) == TN_OK);
    CHECK(tn_module_entry_symbol(m, NULL, &(tn_writer){append, &b}) == TN_OK);
    CHECK(tn_module_entry_symbol(m, "1st try", &(tn_writer){append, &c}) == TN_OK);
    CHECK(a.n == 4 + 2 + 16 && strncmp(a.at, "main__", 6) == 0 && strcmp(a.at, b.at) == 0);
    CHECK(strncmp(c.at, "_1st_try__", 10) == 0 && strcmp(c.at + 10, a.at + 6) == 0);
    tn_module_free(m);
}

/* ---- conversion and comparison ---- */

static void test_convert(tn_context *cx)
{
    tn_module *a = read_text(cx, program), *b = read_text(cx, program);
    tn_equiv_result r;
    text t = {.n = 0};
    CHECK(tn_module_check_legal(a, "mind") == TN_OK);
    CHECK(tn_module_check_legal(a, "ptir") == TN_ERR_REJECTED);
    CHECK(tn_module_check_legal(a, "nothing") == TN_ERR_USAGE);
    CHECK(tn_module_convert(b, "ptir-text", NULL) == TN_OK);
    CHECK(tn_module_check_legal(b, "ptir") == TN_OK);
    CHECK(tn_module_write(b, NULL, NULL, &(tn_writer){append, &t}) == TN_OK &&
          strstr(t.at, "take"));
    CHECK(tn_modules_compare(a, b, NULL, &r) == TN_OK && r.equal && r.runs == 16);
    tn_equiv_result_release(cx, &r);
    tn_module_free(b);
    b = read_text(cx, "%0 = Input () {name=\"x\"} : tensor<f32>[2, 3]\n"
                      "%1 = Mean (%0) {axes=[1], keepdims=false} : tensor<f32>[2]\n"
                      "outputs: %1\n");
    CHECK(tn_modules_compare(a, b, NULL, &r) == TN_OK && !r.equal && r.n_inputs == 1);
    tn_equiv_result_release(cx, &r);
    tn_module_free(a);
    a = read_text(cx, "%0 = Input () {name=\"x\"} : tensor<f32>[2, 2]\noutputs: %0\n");
    CHECK(tn_modules_compare(a, b, NULL, &r) == TN_ERR_REJECTED);
    tn_module_free(a);
    tn_module_free(b);
}

/* ---- lack of memory ---- */

typedef struct quota {
    long left;
} quota;

static void *limited(void *user, void *block, size_t old_size, size_t new_size)
{
    quota *q = user;
    (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return q->left-- > 0 ? realloc(block, new_size) : NULL;
}

/* Every request fails once; whatever happens, nothing leaks and the status says so. */
static void test_memory(void)
{
    bool done = false;
    for (long n = 0; n < 20000 && !done; n++) {
        quota q = {n};
        const tn_allocator a = {limited, &q};
        tn_context *cx = tn_context_new(&a, NULL);
        tn_module *m = cx ? read_text(cx, program) : NULL;
        tn_buffer_plan *p = NULL;
        tn_status s = m ? tn_module_plan_buffers(m, &p) : TN_ERR_NOMEM;
        tn_buffer_plan_free(p);
        if (s == TN_OK)
            s = tn_module_convert(m, "ptir", NULL);
        done = s == TN_OK;
        CHECK(done || s == TN_ERR_NOMEM);
        tn_module_free(m);
        tn_context_free(cx);
    }
    CHECK(done);
}

int main(void)
{
    tn_context *cx = tn_context_new(NULL, NULL);
    test_targets(cx);
    test_walk(cx);
    test_plan(cx);
    test_symbol(cx);
    test_convert(cx);
    tn_context_free(cx);
    test_memory();
    return failures != 0;
}
