/* The text of a document as a program. */
#include "lsp/answers.h"

tn_status answer_read(const document *d, const tn_diagnostic_sink *sink, name_table *names,
                      tn_context **cx, tn_module **m)
{
    tn_read_options o = {.size = sizeof o, .dialect = d->dialect, .file = d->uri};
    *m = NULL;
    if (names)
        names_init(names, d->allocator, d->text, d->n);
    *cx = tn_context_new(d->allocator, sink);
    if (!*cx)
        return TN_ERR_NOMEM;
    (*cx)->names = names;
    const tn_status status = tn_module_read(*cx, &o, d->text, d->n, m);
    (*cx)->names = NULL;
    if (names)
        names_sort(names);
    return status;
}
