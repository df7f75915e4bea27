/* `--dim SYM=N`: values of symbolic sizes. */
#include <string.h>

#include "cli/cli.h"

tn_status read_bindings(session *s, const arguments *args, int id, arena *names,
                        const tn_binding **out, size_t *n_out)
{
    tn_binding *list = ARENA_ARRAY(names, tn_binding, (size_t)args->n_options + 1);
    *n_out = 0;
    if (!list)
        return diag_no_memory(&s->cx->diag);
    for (int i = 0; i < args->n_options; i++) {
        const char *text = args->options[i].value;
        if (args->options[i].id != id)
            continue;
        size_t n = strcspn(text, "=");
        if (n == 0 || !text[n])
            return usage_error(s, "--dim takes SYM=N, not '%s'", text);
        tn_binding *b = &list[(*n_out)++];
        TN_TRY(read_number(s, "--dim", text + n + 1, INT64_MIN, INT64_MAX, &b->extent));
        b->symbol = arena_copy_text(names, text, n);
        if (!b->symbol)
            return diag_no_memory(&s->cx->diag);
    }
    *out = list;
    return TN_OK;
}
