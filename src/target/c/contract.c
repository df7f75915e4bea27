/* What the caller of a program in C is told: the header and the comment above the entry. */
#include <inttypes.h>
#include <string.h>

#include "scalar/dtype.h"
#include "target/c/print.h"

void c_put_note(text_buffer *out, const char *note)
{
    for (; *note; note++) {
        const char ch = *note;
        const bool is_plain = (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') ||
                              (ch >= '0' && ch <= '9') || strchr(" _-+.,:;()[]<>=%#@!'/", ch);
        text_putc(out, is_plain ? ch : '_');
    }
}

static void put_upper(text_buffer *out, const char *name)
{
    for (; *name; name++)
        text_putc(out, *name >= 'a' && *name <= 'z' ? (char)(*name - 'a' + 'A') : *name);
}

static void put_ports(text_buffer *out, const char *which, const target_port *ports, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        const target_port *p = &ports[k];
        text_printf(out, " *   %s[%" PRIu32 "]  %s[", which, k, dtype_name(p->dtype));
        for (uint32_t axis = 0; axis < p->rank; axis++)
            text_printf(out, axis ? ",%" PRId64 : "%" PRId64, p->dims[axis]);
        text_printf(out, "]  %" PRIu64 " bytes", p->bytes);
        if (p->name) {
            text_puts(out, "  ");
            c_put_note(out, p->name);
        }
        text_puts(out, "\n");
    }
}

/* The pool of threads has the layout of tn_thread_pool, and one definition for all headers. */
void c_put_threads(text_buffer *out)
{
    text_puts(
        out,
        "#ifndef TENON_THREADS\n"
        "#define TENON_THREADS\n"
        "/* Threads of the caller's. `run` calls task(arg, i) once for each i below n, on any\n"
        " * threads and in any order, and returns when all calls have returned. n is at most\n"
        " * `threads`. */\n"
        "struct tenon_threads {\n"
        "    void *user;\n"
        "    unsigned threads;\n"
        "    void (*run)(void *user, void (*task)(void *arg, unsigned index), void *arg, "
        "unsigned n);\n"
        "};\n"
        "#endif\n\n");
}

static void put_workspace(const target_program *p, text_buffer *out)
{
    if (target_workspace(p, 1) == 0) {
        text_puts(out, " *   workspace  not used\n");
        return;
    }
    text_printf(out, " *   workspace  %" PRIu64 " bytes, ", target_workspace(p, 1));
    if (p->shares_work)
        text_printf(out, "%" PRIu64 " more for each further thread, ",
                    target_workspace(p, 2) - target_workspace(p, 1));
    text_printf(out, "aligned to %d\n", TARGET_ALIGN);
}

void c_put_contract(const target_program *p, const target_used *used, text_buffer *out)
{
    text_puts(out, "/* ");
    c_put_note(out, p->note ? p->note : p->name);
    text_puts(out, "\n *\n");
    put_ports(out, "inputs", p->inputs, p->n_inputs);
    put_ports(out, "outputs", p->outputs, p->n_outputs);
    if (p->takes_weights)
        text_printf(out, " *   weights  %" PRIu64 " bytes, aligned to %d\n", used->weights_bytes,
                    TARGET_ALIGN);
    put_workspace(p, out);
    text_printf(
        out,
        " *\n"
        " * Tensors are dense, in row-major order and aligned for their elements. Inputs are\n"
        " * only read; outputs overlap nothing. Returns 0; %d, with nothing done, where an\n"
        " * address is not aligned; or another number when a kernel failed, and outputs are\n"
        " * unspecified. May be called by several threads at once, each with a workspace of\n"
        " * its own. */\n",
        TARGET_MISALIGNED);
    for (uint32_t k = 0; k < p->n_inputs; k++)
        if (dtype_has_gaps(p->inputs[k].dtype)) {
            text_printf(out,
                        "/* An i1 holds 0 and 1, an si4 -8 to 7, a ui4 0 to 15: where an input "
                        "has other\n"
                        " * bytes, %d is returned and nothing done. */\n",
                        TARGET_OUT_OF_RANGE);
            break;
        }
    if (p->takes_weights)
        text_printf(out,
                    "/* The weights are the bytes of the file that was written with this one, only "
                    "read; with\n"
                    " * NULL, or where a mark in them is not that of this program, %d is returned\n"
                    " * and nothing done; other bytes are not looked at. */\n",
                    TARGET_OTHER_WEIGHTS);
    if (p->shares_work)
        text_puts(out, "/* The work is shared out over `threads`, and the workspace is for that "
                       "many; with NULL\n"
                       " * the calling thread does all of it. The bits are the same. */\n");
}

void c_put_prototype(const target_program *p, text_buffer *out)
{
    text_printf(out,
                "int %s_run(const void *const *inputs, void *const *outputs, void *workspace%s%s)",
                p->name, p->takes_weights ? ", const void *weights" : "",
                p->shares_work ? ",\n    const struct tenon_threads *threads" : "");
}

/* The bytes of an array for the workspace of one thread: callers declare one, and C has no arrays
 * of 0 elements. */
static uint64_t workspace_array(const target_program *p)
{
    const uint64_t bytes = target_workspace(p, 1);
    return bytes ? bytes : TARGET_ALIGN;
}

static void put_sizes(const target_program *p, const target_used *used, text_buffer *out)
{
    text_puts(out, "#define ");
    put_upper(out, p->name);
    text_printf(out, "_INPUTS %" PRIu32 "\n#define ", p->n_inputs);
    put_upper(out, p->name);
    text_printf(out, "_OUTPUTS %" PRIu32 "\n#define ", p->n_outputs);
    put_upper(out, p->name);
    if (p->shares_work) /* numbers of 32 bits would wrap */
        text_printf(out,
                    "_WORKSPACE_BYTES(threads) (%" PRIu64 "u + %" PRIu64
                    "u * sizeof(char) * (threads))\n",
                    target_workspace(p, 0), target_workspace(p, 1) - target_workspace(p, 0));
    else
        text_printf(out, "_WORKSPACE_BYTES %" PRIu64 "u\n", workspace_array(p));
    if (p->takes_weights) {
        text_puts(out, "#define ");
        put_upper(out, p->name);
        text_printf(out, "_WEIGHTS_BYTES %" PRIu64 "u\n", used->weights_bytes);
    }
}

void target_c_header(const target_program *p, text_buffer *out)
{
    arena memory;
    target_used used;
    arena_init(&memory, out->allocator);
    if (!target_find_used(p, &memory, &used)) {
        (void)text_grow(out, SIZE_MAX); /* no memory */
        arena_release(&memory);
        return;
    }
    /* not in capitals: headers of programs called m and M are two */
    text_printf(out,
                "#ifndef %s_RUN_H\n#define %s_RUN_H\n\n"
                "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
                p->name, p->name);
    put_sizes(p, &used, out);
    text_puts(out, "\n");
    if (p->shares_work)
        c_put_threads(out);
    c_put_contract(p, &used, out);
    c_put_prototype(p, out);
    text_puts(out, ";\n\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
    arena_release(&memory);
}
