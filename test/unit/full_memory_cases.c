/* Every program of the case files when memory runs out somewhere: a clean end, and no leak. */
#include <dirent.h>

#include "api_fixture.h"
#include "base/memory/hash.h"

enum { MAX_INPUTS = 16, MAX_FAILURES = 6 /* requests that fail in turn, for each program */ };

static bool drop(void *user, const char *bytes, size_t n)
{
    (void)user;
    (void)bytes;
    (void)n;
    return true;
}

/* Room for a tensor of TYPE; NULL with symbols, or when it is large. */
static void *room_for(const tn_type *type, size_t *bytes)
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
static bool has_had_enough(void *user)
{
    enum { ENOUGH = 2000 };
    unsigned *asked = user;
    return ++*asked >= ENOUGH;
}

static void run(tn_program *p)
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

static tn_status whole_way(tn_context *cx, const char *dialect, const char *text)
{
    tn_module *m = NULL;
    tn_program *p = NULL;
    tn_read_options options = {.dialect = dialect};
    tn_writer writer = {drop, NULL};
    tn_status s = tn_module_read(cx, &options, text, strlen(text), &m);
    if (s == TN_OK)
        s = tn_program_compile(m, NULL, &p);
    if (s == TN_OK)
        run(p);
    tn_program_free(p);
    if (m && tn_module_write(m, NULL, NULL, &writer) == TN_OK &&
        tn_module_optimize(m, TN_LEVEL_2, NULL) == TN_OK)
        (void)tn_module_write(m, NULL, NULL, &writer);
    tn_module_free(m);
    return s;
}

/* One go with request FAIL_AT failing (0: none); how many requests there were. */
static unsigned one_go(const char *path, const char *dialect, const char *text, unsigned fail_at)
{
    record r = {0};
    meter m = {.fail_at = fail_at, .fail_once = fail_at % 2 == 0};
    tn_diagnostic_sink sink = {remember, &r};
    tn_allocator counting = {metered, &m};
    tn_context *cx = tn_context_new(&counting, &sink);
    tn_status s = cx ? whole_way(cx, dialect, text) : TN_ERR_NOMEM;
    tn_context_free(cx);
    if (!CHECK(m.alive == 0 && m.wrong == 0 && s != TN_ERR_INTERNAL))
        printf("    %s, request %u: status %d, alive %zu, wrong sizes %u, %s: %s\n", path, fail_at,
               (int)s, m.alive, m.wrong, r.kind, r.message);
    return m.requests;
}

/* Where the first failure is differs from program to program, so that all of them together meet
 * every place; it depends on the program only, so that a fault comes again. */
static void try_program(const char *path, const char *dialect, const char *text)
{
    unsigned n = one_go(path, dialect, text, 0);
    unsigned step = n / MAX_FAILURES + 1;
    for (unsigned k = 1 + (unsigned)(hash_bytes(0, text, strlen(text)) % step); k <= n; k += step)
        (void)one_go(path, dialect, text, k);
}

/* The section `-- module DIALECT` of a case, in place. */
static bool find_module(char *text, char **dialect, char **program)
{
    char *head = strncmp(text, "-- module ", 10) == 0 ? text : strstr(text, "\n-- module ");
    if (!head)
        return false;
    *dialect = strchr(head, 'e') + 2;
    char *eol = strchr(head + 1, '\n');
    if (!eol)
        return false;
    *eol = '\0';
    *program = eol + 1;
    (*dialect)[strcspn(*dialect, " ")] = '\0';
    char *end = strstr(*program, "\n-- ");
    if (end)
        end[1] = '\0';
    return true;
}

static void try_case(const char *path)
{
    FILE *f = fopen(path, "rb");
    static const size_t most = 1 << 16;
    char *text = calloc(1, most), *dialect, *program;
    if (f && text) {
        size_t n = fread(text, 1, most - 1, f);
        if (n < most - 1 && find_module(text, &dialect, &program))
            try_program(path, dialect, program);
    }
    if (f)
        (void)fclose(f);
    free(text);
}

static unsigned try_folder(const char *folder)
{
    unsigned n = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
        char path[1024];
        size_t length = strlen(e->d_name);
        (void)snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (length > 5 && strcmp(e->d_name + length - 5, ".case") == 0) {
            try_case(path);
            n++;
        } else if (e->d_name[0] != '.' && strchr(e->d_name, '.') == NULL) {
            n += try_folder(path);
        }
    }
    if (dir)
        (void)closedir(dir);
    return n;
}

int main(void)
{
    CHECK(try_folder(TEST_FOLDER) > 500);
    return check_result();
}
