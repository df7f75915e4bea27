/* LLVM on demand: finds the module libtenon-llvm.so, loads it and hands it the request. */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__linux__)
#include <sys/auxv.h>
#endif

#include "base/memory/hash.h"
#include "base/text/suggest.h"
#include "machine/machine.h"
#include "target/llvm/plugin.h"
#include "target/llvm_process.h"
#include "target/target.h"

static const char module_name[] = "libtenon-llvm.so";

/* ---- where the module may lie ---- */

enum { PATH_BYTES = 4096 };

/* The absolute path of the file that this code was loaded from, in PATH. It comes from
 * /proc/self/maps: the dynamic linker knows a program only by the name that it was started with. */
static bool own_path(char path[static PATH_BYTES])
{
    const uintptr_t here = (uintptr_t)module_name;
    char line[PATH_BYTES + 128];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "re");
    if (!maps)
        return false;
    while (!found && fgets(line, sizeof line, maps)) {
        char *at;
        const uintmax_t low = strtoumax(line, &at, 16);
        const uintmax_t high = *at == '-' ? strtoumax(at + 1, &at, 16) : 0;
        const char *file = strchr(at, '/');
        const size_t n = file ? strcspn(file, "\n") : 0;
        found = here >= low && here < high && n > 0 && n < PATH_BYTES;
        if (found) {
            memcpy(path, file, n);
            path[n] = 0;
        }
    }
    (void)fclose(maps);
    return found;
}

/* The places, in order: $TENON_LLVM_PLUGIN alone if it is set; beside this library or program (in
 * the build tree), in the folder `tenon` there (an installed library), one folder up (programs of
 * the build tree), in the library folder beside `bin`; where it was installed. */
enum { N_PLACES = 5 };
static bool place(unsigned k, const char *folder, char out[static PATH_BYTES])
{
    static const char *const below[] = {"", "tenon/", "../", "../" TENON_LIBDIR "/tenon/"};
    const char *given = getenv("TENON_LLVM_PLUGIN");
    int n;
    if (given && *given)
        n = k == 0 ? snprintf(out, PATH_BYTES, "%s", given) : -1;
    else if (k < N_PLACES - 1)
        n = *folder ? snprintf(out, PATH_BYTES, "%s/%s%s", folder, below[k], module_name) : -1;
    else
        n = snprintf(out, PATH_BYTES, "%s/tenon/%s", TENON_FULL_LIBDIR, module_name);
    return n > 0 && n < PATH_BYTES && access(out, R_OK) == 0;
}

/* The folder of own_path, or "". */
static void own_folder(char out[static PATH_BYTES])
{
    char *end = own_path(out) ? strrchr(out, '/') : NULL;
    out[end ? end - out : 0] = 0;
}

bool target_llvm_is_installed(void)
{
    char folder[PATH_BYTES], path[PATH_BYTES];
    own_folder(folder);
    for (unsigned k = 0; k < N_PLACES; k++)
        if (place(k, folder, path))
            return true;
    return false;
}

/* ---- loading ---- */

enum { MOST_WHY = 400 }; /* characters of a path or a reason in a message */

/* The module's entry stays valid: LLVM is never unloaded. WHY gets a reason otherwise. */
static const llvm_plugin *load_one(const char *path, char *why, size_t size)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    llvm_plugin_entry *entry = NULL;
    if (!handle) {
        const char *error = dlerror();
        (void)snprintf(why, size, "%.*s", MOST_WHY, error ? error : path);
        return NULL;
    }
    void *symbol = dlsym(handle, LLVM_PLUGIN_ENTRY);
    memcpy(&entry, &symbol, sizeof entry);
    const llvm_plugin *p = entry ? entry() : NULL;
    if (p && (p->version != LLVM_PLUGIN_VERSION || p->inst_size != sizeof(loop_inst) ||
              p->op_count != LOOP_OP_COUNT))
        p = NULL;
    if (!p)
        (void)snprintf(why, size, "'%.*s' belongs to another version", MOST_WHY, path);
    (void)dlclose(handle);
    return p;
}

static const llvm_plugin *load(char *why, size_t size)
{
    char folder[PATH_BYTES], path[PATH_BYTES];
    const llvm_plugin *p = NULL;
    (void)snprintf(why, size, "'%s' is not installed", module_name);
    own_folder(folder);
    for (unsigned k = 0; k < N_PLACES && !p; k++)
        if (place(k, folder, path))
            p = load_one(path, why, size);
    return p;
}

/* The program beside the module that does the same in a process of its own, in PATH. */
static bool find_program(char path[static PATH_BYTES])
{
    static const char name[] = "tenon-llvm";
    char folder[PATH_BYTES];
    own_folder(folder);
    for (unsigned k = 0; k < N_PLACES; k++) {
        char *slash = place(k, folder, path) ? strrchr(path, '/') : NULL;
        if (!slash || (size_t)(slash + 1 - path) + sizeof name > PATH_BYTES)
            continue;
        memcpy(slash + 1, name, sizeof name);
        if (access(path, X_OK) == 0)
            return true;
    }
    return false;
}

static void put(void *user, const char *bytes, size_t n)
{
    text_put(user, bytes, n);
}

void target_suggest_cpu(context *cx, const char *triple, const char *cpu)
{
    machine_arch arch = machine_host().arch;
    suggestion like;
    const char *name;
    if (!cpu || (triple && !arch_of_triple(triple, &arch)) || cpu_by_name(arch, cpu))
        return;
    suggest_begin(&like, cpu, strlen(cpu));
    for (uint32_t i = 0; (name = cpu_name(arch, i)); i++)
        suggest_name(&like, name, strlen(name));
    suggest_fix(&like, &cx->diag, NO_SPAN, "");
}

static tn_status ended(context *cx, const llvm_request *r, llvm_outcome outcome,
                       const text_buffer *out)
{
    tn_status status;
    switch (outcome) {
    case LLVM_DONE:
        return out->failed ? diag_no_memory(&cx->diag) : TN_OK;
    case LLVM_NO_MEMORY:
        return diag_no_memory(&cx->diag);
    case LLVM_UNAVAILABLE:
        status = diag_report(&cx->diag, DIAG_BackendUnavailable, NULL, NO_SPAN, "%s", r->message);
        target_suggest_cpu(cx, r->options->triple, r->options->cpu);
        return status;
    case LLVM_BROKEN:
        break;
    }
    return diag_report(&cx->diag, DIAG_InternalError, NULL, NO_SPAN, "LLVM refuses the code: %s",
                       r->message);
}

static tn_status request(context *cx, llvm_request r, const target_options *options,
                         text_buffer *out)
{
    static const target_options plain = {0};
    char why[512], program[PATH_BYTES];
    r.options = options ? options : &plain;
    r.allocator = &cx->allocator;
    r.put = put;
    r.user = out;
    if (llvm_memory_is_limited() && find_program(program)) {
        const llvm_outcome outcome = llvm_in_process(program, &r);
        return ended(cx, &r, outcome, out);
    }
    target_kept *kept = r.options->kept;
    const llvm_plugin *plugin = kept && kept->plugin ? kept->plugin : load(why, sizeof why);
    if (kept) {
        kept->plugin = plugin;
        r.machine = &kept->machine;
    }
    if (!plugin)
        return diag_report(&cx->diag, DIAG_BackendUnavailable, NULL, NO_SPAN,
                           "LLVM cannot be loaded: %s", why);
    const llvm_outcome outcome = plugin->compile(&r);
    return ended(cx, &r, outcome, out);
}

tn_status target_llvm(context *cx, const target_function *functions, size_t n,
                      const target_options *options, text_buffer *out)
{
    return request(cx, (llvm_request){.functions = functions, .n = n}, options, out);
}

tn_status target_llvm_program(context *cx, const target_program *program,
                              const target_options *options, text_buffer *out)
{
    arena memory;
    target_used used;
    arena_init(&memory, &cx->allocator);
    const tn_status s =
        target_find_used(program, &memory, &used)
            ? request(cx, (llvm_request){.program = program, .used = &used}, options, out)
            : diag_no_memory(&cx->diag);
    arena_release(&memory);
    return s;
}

void target_forget(target_kept *kept)
{
    if (kept->plugin)
        kept->plugin->forget(kept->machine);
    *kept = (target_kept){0};
}

/* ---- identity ---- */

#if defined(__x86_64__)
/* What decides which instructions exist and how LLVM names the CPU, without what differs from core
 * to core. */
static uint64_t own_cpu(void)
{
    static const unsigned leaves[][2] = {{0, 0}, {1, 0}, {7, 0}, {7, 1}, {0x80000001, 0}};
    uint64_t h = 0;
    for (size_t k = 0; k < sizeof leaves / sizeof leaves[0]; k++) {
        unsigned a = 0, b = 0, c = 0, d = 0;
        (void)__get_cpuid_count(leaves[k][0], leaves[k][1], &a, &b, &c, &d);
        if (leaves[k][0] == 1)
            b = 0; /* the number of the core */
        h = hash_mix(h, (uint64_t)a << 32 | b);
        h = hash_mix(h, (uint64_t)c << 32 | d);
        if (leaves[k][0] == 1 && (c & bit_OSXSAVE)) {
            /* which registers the system saves */
            __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
            h = hash_mix(h, (uint64_t)d << 32 | a);
        }
    }
    return h;
}
#elif defined(__linux__)
static uint64_t own_cpu(void)
{
    return hash_mix(getauxval(AT_HWCAP), getauxval(AT_HWCAP2));
}
#else
static uint64_t own_cpu(void)
{
    return 0;
}
#endif

const char *target_llvm_identity(const target_options *options, arena *memory)
{
    const char *triple = options && options->triple ? options->triple : "own";
    const char *cpu = options && options->cpu ? options->cpu : "native";
    const uint64_t own = strcmp(cpu, "native") == 0 ? own_cpu() : 0;
    return arena_printf(memory, "llvm %s, code %s, %s %s %016" PRIx64, TENON_LLVM_VERSION,
                        TENON_CODE_DIGEST, triple, cpu, own);
}
