/* The inputs of `tenon convert --mlir-entry`, and the text that holds them. */
#include "cli/run.h"

#include <string.h>

#include "api/programs.h"

tn_status entry_gather(session *s, const tn_module *m, const arguments *args, run_inputs *in)
{
    uint64_t seed = 0;
    bool has_seed = false;
    tn_program *p;
    for (int i = 0; i < args->n_options; i++) {
        const char *text = args->options[i].value;
        if (args->options[i].id != OPTION_RANDOM)
            continue;
        size_t n = strlen(text);
        decimal_result r = decimal_read_u64(text, n, &seed);
        if (n == 0 || r.length != n || r.overflow)
            return usage_error(s, "--random takes a number from 0 to 2^64-1, not '%s'", text);
        has_seed = true;
    }
    TN_TRY(tn_program_compile(m, &(tn_compile_options){.level = TN_LEVEL_0, .engine = "ref"}, &p));
    tn_status status = inputs_gather(s, p, args, has_seed ? &seed : NULL, in);
    diag_flush(&s->cx->diag);
    tn_program_free(p);
    return status;
}
