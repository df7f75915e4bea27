/* What becomes of a program that was read, whatever it is: another dialect, a gradient, code in C
 * and what `explain` says of it, results. All of that may refuse it, and nothing may crash, hang or
 * give what does not verify. */
#ifndef TEST_FUZZ_THROUGH_H
#define TEST_FUZZ_THROUGH_H

#include <stdlib.h>

#include "api/api.h"
#include "api/programs/programs.h"
#include "base/memory/checked.h"
#include "ops/infer.h"
#include "tenon/convert.h"

enum { THROUGH_SYMBOLS = 8, THROUGH_PORTS = 64, THROUGH_BYTES = 1 << 20 };

static inline bool through_count(void *user, const char *bytes, size_t n)
{
    size_t *left = user;
    (void)bytes;
    *left -= n < *left ? n : *left;
    return *left > 0;
}

/* Questions are counted, so that no machine is too slow. */
static inline bool through_has_enough(void *user)
{
    enum { ENOUGH = 3000 };
    unsigned *asked = user;
    return ++*asked >= ENOUGH;
}

static inline void through_verify(const tn_module *m)
{
    if (module_verify(m->graph, NULL) != TN_OK)
        abort();
}

static inline void through_dialect(const tn_module *m, size_t choice)
{
    static const char *const names[] = {"mind", "ptir",      "ptir-text", "ptir-bincode", "tiny",
                                        "onnx", "stablehlo", "mlir",      "dot"};
    const char *name = names[choice % (sizeof names / sizeof *names)];
    size_t left = THROUGH_BYTES;
    const tn_writer to = {through_count, &left};
    tn_module *copy;
    if (tn_module_copy(m, &copy) != TN_OK)
        return;
    if (tn_module_convert(copy, name, NULL) == TN_OK) {
        through_verify(copy);
        (void)tn_module_write(copy, name, NULL, &to); /* which may find that a size has no place */
    }
    tn_module_free(copy);
}

static inline void through_gradient(const tn_module *m)
{
    const tn_gradient_options options = {.seed = 2};
    tn_module *gradient;
    if (tn_module_gradient(m, &options, &gradient) == TN_OK) {
        through_verify(gradient);
        tn_module_free(gradient);
    }
}

static inline void through_run(const tn_program *p, size_t seed)
{
    tn_buffer in[THROUGH_PORTS] = {{0}}, out[THROUGH_PORTS] = {{0}};
    const size_t n_in = tn_program_input_count(p), n_out = tn_program_output_count(p);
    unsigned asked = 0;
    const tn_run_options o = {.cancel = through_has_enough, .cancel_user = &asked};
    bool ok = n_in <= THROUGH_PORTS && n_out <= THROUGH_PORTS;
    for (size_t i = 0; ok && i < n_in; i++) {
        tn_port port;
        int64_t bytes = 0;
        ok = tn_program_input(p, i, &port) == TN_OK;
        in[i].type = port.type;
        bytes = (int64_t)tn_dtype_size(port.type.dtype);
        for (uint32_t k = 0; ok && k < port.type.rank; k++)
            ok = port.type.dims[k] >= 0 && mul_i64(bytes, port.type.dims[k], &bytes) &&
                 bytes < THROUGH_BYTES;
        ok = ok && (in[i].data = malloc((size_t)bytes + 1)) != NULL;
        in[i].bytes = (size_t)bytes;
        ok = ok && tn_program_random_input(p, i, seed, &in[i]) == TN_OK;
    }
    if (ok && tn_program_run(p, in, n_in, out, n_out, &o) == TN_ERR_INTERNAL)
        abort();
    for (size_t i = 0; i < n_out && i < THROUGH_PORTS; i++)
        if (out[i].data)
            tn_buffer_release(p, &out[i]);
    for (size_t i = 0; i < n_in && i < THROUGH_PORTS; i++)
        free(in[i].data);
}

static inline void through_program(const tn_module *m, size_t choice)
{
    static const tn_level levels[] = {TN_LEVEL_0, TN_LEVEL_1, TN_LEVEL_2};
    tn_binding sizes[THROUGH_SYMBOLS];
    size_t n = 0, left = THROUGH_BYTES;
    const tn_writer to = {through_count, &left};
    const char *name;
    tn_program *p;
    for (; n < THROUGH_SYMBOLS && (name = tn_module_symbol(m, n)) != NULL; n++)
        sizes[n] = (tn_binding){name, 1 + (int64_t)((choice + n) % 4)};
    const tn_compile_options options = {
        .engine = "ref", .level = levels[choice % 3], .bindings = sizes, .n_bindings = n};
    if (tn_program_compile(m, &options, &p) != TN_OK)
        return;
    through_run(p, choice);
    if (choice % 2 && tn_program_explain(p, choice % 4 == 1, &to) == TN_ERR_INTERNAL)
        abort();
    if (choice % 2 == 0 && tn_program_emit(p, TN_EMIT_C, NULL, &to) == TN_ERR_INTERNAL)
        abort();
    tn_program_free(p);
}

/* All of it with M, or some: CHOICE is any number that the input gives. */
static inline void fuzz_through(const module *m, size_t choice)
{
    enum { LARGE = 400 };
    const tn_module outer = {(module *)(uintptr_t)m};
    tn_module_counts counts = {.size = sizeof counts};
    const uint64_t bytes = m->cx->limits.run_bytes;
    if (tn_module_get_counts(&outer, &counts) != TN_OK || counts.operations > LARGE)
        return;
    m->cx->limits.run_bytes = THROUGH_BYTES;
    through_dialect(&outer, choice);
    if (choice % 3 == 0)
        through_gradient(&outer);
    through_program(&outer, choice);
    m->cx->limits.run_bytes = bytes;
}

#endif
