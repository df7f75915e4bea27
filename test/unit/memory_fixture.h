/* Programs of the case files when memory runs out somewhere: each must come to a clean end, and
 * leak nothing. */
#ifndef TEST_MEMORY_FIXTURE_H
#define TEST_MEMORY_FIXTURE_H

#include <dirent.h>

#include "api_fixture.h"
#include "base/memory/hash.h"
#include "tenon/convert.h"
#include "tenon/report.h"

enum {
    MAX_INPUTS = 16,
    MAX_NODES = 1 << 16 /* of programs that grow without end, so that little memory is needed */
};

static inline bool drop(void *user, const char *bytes, size_t n)
{
    (void)user;
    (void)bytes;
    (void)n;
    return true;
}

/* Room for a tensor of TYPE; NULL with symbols, or when it is large. */
static inline void *room_for(const tn_type *type, size_t *bytes)
{
    *bytes = tn_dtype_size(type->dtype);
    for (uint32_t i = 0; i < type->rank; i++) {
        if (type->dims[i] < 0 || type->dims[i] > 4096 || *bytes > 1 << 20)
            return NULL;
        *bytes *= (size_t)type->dims[i];
    }
    return calloc(1, *bytes + 1);
}

/* Some programs never end. Questions are counted, so that every machine asks for the same memory.
 */
static inline bool has_had_enough(void *user)
{
    enum { ENOUGH = 2000 };
    unsigned *asked = user;
    return ++*asked >= ENOUGH;
}

static inline void run(tn_program *p)
{
    tn_buffer in[MAX_INPUTS] = {{0}}, out[MAX_INPUTS] = {{0}};
    size_t n_in = tn_program_input_count(p), n_out = tn_program_output_count(p);
    bool ready = n_in <= MAX_INPUTS && n_out <= MAX_INPUTS;
    for (size_t i = 0; i < n_in && ready; i++) {
        tn_port port;
        ready = tn_program_input(p, i, &port) == TN_OK;
        in[i].type = port.type;
        in[i].data = ready ? room_for(&in[i].type, &in[i].bytes) : NULL;
        ready = in[i].data && tn_program_random_input(p, i, 5, &in[i]) == TN_OK;
    }
    unsigned asked = 0;
    tn_run_options options = {.threads = 1, .cancel = has_had_enough, .cancel_user = &asked};
    if (ready && tn_program_run(p, in, n_in, out, n_out, &options) == TN_OK)
        for (size_t i = 0; i < n_out; i++)
            tn_buffer_release(p, &out[i]);
    for (size_t i = 0; i < n_in && i < MAX_INPUTS; i++)
        free(in[i].data);
}

static const tn_writer nowhere = {drop, NULL};

/* ---- what is done with a program ---- */

typedef void way(const tn_module *m);

/* The same on all machines where that is possible, as what is planned for a CPU, and so how often
 * memory is asked for, differs between CPUs. */
static inline const char *common_cpu(void)
{
#ifdef __x86_64__
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? "x86-64-v3" : "x86-64";
#else
    return NULL;
#endif
}

static inline void compile_and_run(const tn_module *m)
{
    tn_program *p = NULL;
    const tn_compile_options options = {.size = sizeof options, .cpu = common_cpu(), .threads = 2};
    if (tn_program_compile(m, &options, &p) == TN_OK)
        run(p);
    tn_program_free(p);
}

static inline void optimize(const tn_module *m)
{
    tn_module *copy = NULL;
    if (tn_module_write(m, NULL, NULL, &nowhere) == TN_OK && tn_module_copy(m, &copy) == TN_OK &&
        tn_module_optimize(copy, TN_LEVEL_2, NULL) == TN_OK)
        (void)tn_module_write(copy, NULL, NULL, &nowhere);
    tn_module_free(copy);
}

static inline void differentiate(const tn_module *m)
{
    tn_module *gradient = NULL;
    const tn_gradient_options options = {.size = sizeof options, .seed = 1};
    if (tn_module_gradient(m, &options, &gradient) == TN_OK)
        (void)tn_module_write(gradient, NULL, NULL, &nowhere);
    tn_module_free(gradient);
}

static inline void convert(const tn_module *m)
{
    tn_dialect_info to;
    for (size_t i = 0; tn_dialect_at(i, &to); i++) {
        tn_module *copy = NULL;
        if (tn_module_copy(m, &copy) == TN_OK && tn_module_convert(copy, to.name, NULL) == TN_OK)
            (void)tn_module_write(copy, to.name, NULL, &nowhere);
        tn_module_free(copy);
    }
}

static inline void emit(const tn_module *m)
{
    tn_program *p = NULL;
    const tn_compile_options options = {.size = sizeof options, .engine = "ref"};
    if (tn_program_compile(m, &options, &p) == TN_OK)
        (void)tn_program_emit(p, TN_EMIT_C, NULL, &nowhere);
    tn_program_free(p);
}

static inline void describe(const tn_module *m)
{
    tn_program *p = NULL;
    const tn_compile_options options = {.size = sizeof options, .engine = "ref"};
    if (tn_program_compile(m, &options, &p) == TN_OK) {
        (void)tn_program_dump(p, "all", -1, &nowhere);
        (void)tn_program_picture(p, NULL, &nowhere);
    }
    tn_program_free(p);
}

static inline tn_status read_and_go(tn_context *cx, way *go, const char *dialect, const char *text)
{
    tn_module *m = NULL;
    const tn_read_options options = {.dialect = dialect};
    tn_status s = tn_module_read(cx, &options, text, strlen(text), &m);
    if (s == TN_OK)
        go(m);
    tn_module_free(m);
    return s;
}

/* What failed. */
typedef struct attempt {
    const char *path, *dialect, *text;
    way *go;
} attempt;

/* One go with request FAIL_AT failing (0: none); how many requests there were. */
static inline unsigned one_go(const attempt *a, unsigned fail_at)
{
    record r = {0};
    meter m = {.fail_at = fail_at, .fail_once = fail_at % 2 == 0};
    tn_diagnostic_sink sink = {remember, &r};
    tn_allocator counting = {metered, &m};
    tn_context *cx = tn_context_new(&counting, &sink);
    tn_status s = cx ? tn_context_set_limit(cx, "nodes", MAX_NODES) : TN_ERR_NOMEM;
    if (s == TN_OK)
        s = read_and_go(cx, a->go, a->dialect, a->text);
    tn_context_free(cx);
    if (!CHECK(m.alive == 0 && m.wrong == 0 && s != TN_ERR_INTERNAL))
        printf("    %s, request %u: status %d, alive %zu, wrong sizes %u, %s: %s\n", a->path,
               fail_at, (int)s, m.alive, m.wrong, r.kind, r.message);
    return m.requests;
}

/* MOST requests fail in turn. Where the first failure is differs from program to program, so that
 * all of them together meet every place; it depends on the program only, so that a fault comes
 * again. */
static inline void try_program(const attempt *a, unsigned most)
{
    unsigned n = one_go(a, 0);
    unsigned step = n / most + 1;
    for (unsigned k = 1 + (unsigned)(hash_bytes(0, a->text, strlen(a->text)) % step); k <= n;
         k += step)
        (void)one_go(a, k);
}

/* The section `-- module DIALECT` of a case, in place. */
static inline bool find_module(char *text, const char **dialect, char **program)
{
    char *head = strncmp(text, "-- module ", 10) == 0 ? text : strstr(text, "\n-- module ");
    if (!head)
        return false;
    char *name = strchr(head, 'e') + 2, *eol = strchr(head + 1, '\n');
    if (!eol)
        return false;
    *eol = '\0';
    *program = eol + 1;
    name[strcspn(name, " ")] = '\0';
    *dialect = name;
    char *end = strstr(*program, "\n-- ");
    if (end)
        end[1] = '\0';
    return true;
}

/* Go GO with the program of a case, or with a text of StableHLO. */
static inline void try_file(const char *path, bool is_case, way *go, unsigned most)
{
    FILE *f = fopen(path, "rb");
    static const size_t room = 1 << 16;
    char *text = calloc(1, room), *program = text;
    const char *dialect = "stablehlo";
    if (f && text) {
        size_t n = fread(text, 1, room - 1, f);
        if (n < room - 1 && (!is_case || find_module(text, &dialect, &program)))
            try_program(&(attempt){path, dialect, program, go}, most);
    }
    if (f)
        (void)fclose(f);
    free(text);
}

/* Go GO with every program below FOLDER; how many files there are. */
static inline unsigned try_folder(const char *folder, way *go, unsigned most)
{
    unsigned n = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
        char path[1024];
        const char *end = strchr(e->d_name, '.');
        (void)snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        const bool is_case = end && strcmp(end, ".case") == 0;
        if (is_case || (end && strcmp(end, ".mlir") == 0)) {
            try_file(path, is_case, go, most);
            n++;
        } else if (!end) {
            n += try_folder(path, go, most);
        }
    }
    if (dir)
        (void)closedir(dir);
    return n;
}

#endif
