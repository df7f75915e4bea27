/* Options of callers who were compiled with other versions of the headers. */
#include <dirent.h>
#include <stdlib.h>

#include "api_fixture.h"
#include "base/context/options.h"
#include "target/target.h"
#include "tenon/convert.h"
#include "tenon/forms.h"

/* A structure as it was, as it is, and as it will be. */
typedef struct was {
    size_t size;
    int32_t a;
    bool b;
} was;

typedef struct is {
    size_t size;
    int32_t a;
    bool b;
    int64_t c;
} is;

typedef struct will_be {
    size_t size;
    int32_t a;
    bool b;
    int64_t c, d;
} will_be;

static bool take(is *to, const void *from)
{
    memset(to, 0xff, sizeof *to);
    return OPTIONS_TAKE(is, b, to, from);
}

static void test_sizes(void)
{
    is o;
    CHECK(take(&o, NULL) && o.size == sizeof o && o.a == 0 && !o.b && o.c == 0);
    /* the first layout, with and without its size */
    CHECK(take(&o, &(was){0, 7, true}) && o.a == 7 && o.b && o.c == 0);
    CHECK(take(&o, &(was){sizeof(was), 7, true}) && o.a == 7 && o.b && o.c == 0);
    /* without a size newer fields are not looked at */
    CHECK(take(&o, &(is){0, 7, true, 9}) && o.a == 7 && o.c == 0);
    CHECK(take(&o, &(is){sizeof(is), 7, true, 9}) && o.a == 7 && o.c == 9);
    /* fields that do not exist yet may only be zero */
    CHECK(take(&o, &(will_be){sizeof(will_be), 7, true, 9, 0}) && o.c == 9 && o.size == sizeof o);
    CHECK(!take(&o, &(will_be){sizeof(will_be), 7, true, 9, 1}));
    CHECK(!take(&o, &(was){5, 7, true})); /* no layout was ever so small */
}

static void test_results(void)
{
    const is now = {sizeof now, 7, true, 9};
    was old = {0, 1, false};
    is own = {0, 1, false, 3};
    will_be newer = {sizeof newer, 1, false, 3, 5};
    OPTIONS_GIVE(is, b, &old, &now);
    CHECK(old.size == 0 && old.a == 7 && old.b);
    OPTIONS_GIVE(is, b, &own, &now);
    CHECK(own.size == 0 && own.a == 7 && own.c == 3); /* behind the first layout */
    own.size = sizeof own;
    OPTIONS_GIVE(is, b, &own, &now);
    CHECK(own.size == sizeof own && own.c == 9);
    OPTIONS_GIVE(is, b, &newer, &now); /* what is not known yet becomes 0 */
    CHECK(newer.size == sizeof newer && newer.c == 9 && newer.d == 0);
    CHECK(OPTIONS_HAS_ROOM(is, b, &newer) && OPTIONS_HAS_ROOM(is, b, NULL));
    newer.size = 5;
    CHECK(!OPTIONS_HAS_ROOM(is, b, &newer));
}

/* A structure of options behind which a newer version has more. */
#define NEWER(type)                                                                                \
    struct {                                                                                       \
        type known;                                                                                \
        uint64_t more;                                                                             \
    }

/* The same for a structure that CALL fills: what is in it does not matter, and becomes 0 where it
 * is not known. */
#define EACH_ROOM(o, call)                                                                         \
    do {                                                                                           \
        (o).known.size = 0;                                                                        \
        (o).more = 1;                                                                              \
        CHECK_INT(call, TN_OK);                                                                    \
        CHECK((o).known.size == 0 && (o).more == 1);                                               \
        (o).known.size = sizeof(o);                                                                \
        CHECK_INT(call, TN_OK);                                                                    \
        CHECK((o).known.size == sizeof(o) && (o).more == 0);                                       \
        (o).known.size = 4;                                                                        \
        CHECK_INT(call, TN_ERR_USAGE);                                                             \
    } while (0)

/* Calls CALL with the options O: their first layout, their size, a newer one, and two that are not
 * understood. GOOD is the status of what is. */
#define EACH_SIZE(o, call, good)                                                                   \
    do {                                                                                           \
        (o).known.size = 0;                                                                        \
        (o).more = 1;                                                                              \
        CHECK_INT(call, good);                                                                     \
        (o).known.size = sizeof(o).known;                                                          \
        CHECK_INT(call, good);                                                                     \
        (o).known.size = sizeof(o);                                                                \
        CHECK_INT(call, TN_ERR_USAGE);                                                             \
        (o).more = 0;                                                                              \
        CHECK_INT(call, good);                                                                     \
        (o).known.size = 4;                                                                        \
        CHECK_INT(call, TN_ERR_USAGE);                                                             \
    } while (0)

static const char program[] = "%0 = Input () {name=\"x\"} : tensor<f32>[]\n"
                              "%1 = Exp (%0) : tensor<f32>[]\noutputs: %1\n";

static tn_status read_with(tn_context *cx, const tn_read_options *o)
{
    tn_module *m = NULL;
    const tn_status s = tn_module_read(cx, o, program, sizeof program - 1, &m);
    CHECK((s == TN_OK) == (m != NULL));
    tn_module_free(m);
    return s;
}

static tn_status compile_with(const tn_module *m, const tn_compile_options *o)
{
    tn_program *p = NULL;
    const tn_status s = tn_program_compile(m, o, &p);
    CHECK((s == TN_OK) == (p != NULL));
    tn_program_free(p);
    return s;
}

static tn_status gradient_with(const tn_module *m, const tn_gradient_options *o)
{
    tn_module *g = NULL;
    const tn_status s = tn_module_gradient(m, o, &g);
    CHECK((s == TN_OK) == (g != NULL));
    tn_module_free(g);
    return s;
}

static tn_status compare_with(tn_context *cx, const tn_module *m, const tn_equiv_options *o)
{
    tn_equiv_result r;
    const tn_status s = tn_modules_compare(m, m, o, &r);
    if (s == TN_OK)
        tn_equiv_result_release(cx, &r);
    return s;
}

static tn_status run_with(const tn_program *p, const tn_run_options *o)
{
    float x = 0, y = 5;
    const tn_buffer in = {&x, sizeof x, {.dtype = TN_F32}};
    tn_buffer out = {&y, sizeof y, {.dtype = TN_F32}};
    const tn_status s = tn_program_run(p, &in, 1, &out, 1, o);
    CHECK(y == (s == TN_OK ? 1.0F : 5.0F));
    return s;
}

static bool write_nothing(void *user, const char *bytes, size_t n)
{
    (void)user;
    (void)bytes;
    (void)n;
    return true;
}

static tn_status convert_nothing(void *user, const tn_module *m, const tn_target_options *o,
                                 const tn_writer *w)
{
    (void)user;
    (void)m;
    (void)w;
    return o->size == sizeof *o ? TN_OK : TN_ERR_INTERNAL;
}

static const char *run_nothing(void *user, const tn_custom_use *call)
{
    (void)user;
    (void)call;
    return NULL;
}

static void test_functions(tn_context *cx, const tn_module *m)
{
    NEWER(tn_read_options) read = {.known.dialect = "mind"};
    NEWER(tn_compile_options) compile = {.known.engine = "ref"};
    NEWER(tn_gradient_options) gradient = {.known.loss = "0"};
    NEWER(tn_equiv_options) equiv = {.known.runs = 1};
    NEWER(tn_allowed) allowed = {.known.dtypes = 1U << TN_F32};
    NEWER(tn_custom_kernel) kernel = {.known = {.target = "t", .run = run_nothing}};
    NEWER(tn_target) target = {.known = {.name = "mine", .convert = convert_nothing}};
    NEWER(tn_target_options) to = {.known.entry = "f"};
    NEWER(tn_cache_key) key = {.known.target = "mine"};
    const tn_writer writer = {write_nothing, NULL};
    EACH_SIZE(read, read_with(cx, &read.known), TN_OK);
    EACH_SIZE(compile, compile_with(m, &compile.known), TN_OK);
    EACH_SIZE(gradient, gradient_with(m, &gradient.known), TN_OK);
    EACH_SIZE(equiv, compare_with(cx, m, &equiv.known), TN_OK);
    EACH_SIZE(allowed, tn_module_check_allowed(m, &allowed.known), TN_OK);
    EACH_SIZE(kernel, tn_context_register_custom(cx, &kernel.known), TN_OK);
    EACH_SIZE(target, tn_target_register(cx, &target.known), TN_OK);
    EACH_SIZE(to, tn_target_convert(m, "mine", &to.known, &writer), TN_OK);
    EACH_SIZE(key, tn_module_cache_key(m, &key.known, &writer), TN_OK);
}

static void test_filled(tn_context *cx, const tn_module *m)
{
    NEWER(tn_module_info) info = {.known.size = 0};
    NEWER(tn_module_counts) counts = {.known.size = 0};
    NEWER(tn_program_costs) costs = {.known.size = 0};
    NEWER(tn_cache_state) state = {.known.size = 0};
    NEWER(tn_difference) found = {.known.size = 0};
    const tn_cache_options off = {.size = sizeof off, .off = true};
    float one = 1;
    const tn_buffer x = {&one, sizeof one, {.dtype = TN_F32}};
    tn_program *p = NULL;
    EACH_ROOM(info, tn_module_get_info(m, &info.known));
    EACH_ROOM(counts, tn_module_get_counts(m, &counts.known));
    EACH_ROOM(state, tn_cache_get_state(cx, &off, &state.known));
    EACH_ROOM(found, tn_buffer_compare(&x, &x, 0, 0, &found.known));
    if (CHECK_INT(tn_program_compile(m, NULL, &p), TN_OK))
        EACH_ROOM(costs, tn_program_get_costs(p, &costs.known));
    tn_program_free(p);
}

/* Without a size every field of version 0.1 counts. */
static void test_all_fields(tn_context *cx, const tn_module *m)
{
    static const char *const names[] = {"no such value"};
    const tn_writer writer = {write_nothing, NULL};
    tn_program *p = NULL;
    CHECK_INT(read_with(cx, &(tn_read_options){.results = names, .n_results = 1}), TN_ERR_USAGE);
    CHECK_INT(read_with(cx, &(tn_read_options){.n_weights = 1}), TN_ERR_USAGE);
    CHECK_INT(tn_module_write_with(m, &(tn_write_options){.external_location = "w"}, &writer),
              TN_ERR_USAGE);
    if (CHECK_INT(tn_program_compile(m, &(tn_compile_options){.engine = "ref"}, &p), TN_OK)) {
        static page text;
        const tn_writer collector = {put, &text};
        CHECK_INT(tn_program_emit(p, TN_EMIT_HEADER, &(tn_emit_options){.takes_weights = true},
                                  &collector),
                  TN_OK);
        CHECK(strstr(text.text, "const void *weights") != NULL);
    }
    tn_program_free(p);
}

static void test_cache_options(const tn_module *m)
{
    NEWER(tn_cache_options) cache = {.known.off = true};
    const tn_compile_options compile = {.engine = "ref", .cache = &cache.known};
    EACH_SIZE(cache, compile_with(m, &compile), TN_OK);
}

static unsigned count_files(const char *path)
{
    unsigned n = 0;
    DIR *d = opendir(path);
    for (const struct dirent *e; d && (e = readdir(d)) != NULL;)
        n += e->d_name[0] != '.';
    if (d)
        (void)closedir(d);
    return n;
}

static tn_status compile_into(const tn_module *m, const char *folder, bool off)
{
    const tn_cache_options cache = {.folder = folder, .off = off};
    return compile_with(m, &(tn_compile_options){.engine = "jit", .cache = &cache});
}

/* Kernels go where the options say, or nowhere. */
static void test_cache_folder(const tn_module *m)
{
    char folder[] = "/tmp/tenon-options-XXXXXX", inner[64];
    if (!target_llvm_is_installed() || !CHECK(mkdtemp(folder) != NULL))
        return;
    (void)snprintf(inner, sizeof inner, "%s/cache", folder);
    CHECK_INT(compile_into(m, inner, true), TN_OK);
    CHECK_INT(count_files(folder), 0);
    CHECK_INT(compile_into(m, inner, false), TN_OK);
    CHECK_INT(count_files(inner), 1);
    CHECK_INT(compile_into(m, inner, false), TN_OK);
    CHECK_INT(count_files(inner), 1);
    (void)snprintf(inner, sizeof inner, "rm -r %s", folder);
    CHECK_INT(system(inner), 0);
}

static void test_programs(const tn_module *m)
{
    tn_program *p = NULL;
    NEWER(tn_run_options) run = {.known.seed = 1};
    NEWER(tn_emit_options) emit = {.known.name = "f"};
    const tn_writer writer = {write_nothing, NULL};
    if (!CHECK(tn_program_compile(m, &(tn_compile_options){.engine = "ref"}, &p) == TN_OK))
        return;
    EACH_SIZE(run, run_with(p, &run.known), TN_OK);
    EACH_SIZE(emit, tn_program_emit(p, TN_EMIT_HEADER, &emit.known, &writer), TN_OK);
    tn_program_free(p);
}

static tn_status convert_with(tn_context *cx, const tn_convert_options *o)
{
    tn_module *m = NULL;
    if (!CHECK(tn_module_read(cx, NULL, program, sizeof program - 1, &m) == TN_OK))
        return TN_ERR_INTERNAL;
    const tn_status s = tn_module_convert(m, "ptir", o);
    tn_module_free(m);
    return s;
}

/* The status of a builder that makes attention, or a pool. */
static tn_status attention_with(tn_context *cx, const tn_attention *o)
{
    tn_module *m = NULL;
    tn_builder *b = tn_builder_new(cx);
    const tn_value q = tn_input(b, "q", TN_F32, TN_INTS(1, 1, 2, 4));
    const tn_value y = tn_nn_attention(b, q, q, q, o);
    const tn_status s = tn_builder_finish(b, &y, 1, &m);
    tn_module_free(m);
    return s;
}

static tn_status pool_with(tn_context *cx, const tn_sliding *o)
{
    tn_module *m = NULL;
    tn_builder *b = tn_builder_new(cx);
    const tn_value x = tn_input(b, "x", TN_F32, TN_INTS(1, 4, 4, 1));
    const tn_value y = tn_nn_max_pool(b, x, TN_INTS(2, 2), o);
    const tn_status s = tn_builder_finish(b, &y, 1, &m);
    tn_module_free(m);
    return s;
}

static void test_forms(tn_context *cx)
{
    NEWER(tn_convert_options) convert = {.known.exact_only = true};
    NEWER(tn_attention) attention = {.known.causal = true};
    NEWER(tn_sliding) sliding = {.more = 0};
    EACH_SIZE(convert, convert_with(cx, &convert.known), TN_OK);
    EACH_SIZE(attention, attention_with(cx, &attention.known), TN_OK);
    EACH_SIZE(sliding, pool_with(cx, &sliding.known), TN_OK);
}

int main(void)
{
    tn_context *cx = tn_context_new(NULL, NULL);
    tn_module *m = NULL;
    test_sizes();
    test_results();
    if (CHECK(cx && tn_module_read(cx, NULL, program, sizeof program - 1, &m) == TN_OK)) {
        test_functions(cx, m);
        test_filled(cx, m);
        test_all_fields(cx, m);
        test_cache_options(m);
        test_cache_folder(m);
        test_programs(m);
        test_forms(cx);
    }
    tn_module_free(m);
    tn_context_free(cx);
    return check_result();
}
