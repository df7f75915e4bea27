/* The text of a document as a program. */
#include "lsp/answers.h"

/* Advice of the library names settings; a server reads texts as they are, but the program does not.
 */
static void name_settings(tn_context *cx)
{
    static const tn_setting_name names[] = {
        {"bindings", "tenon's option --dim"}, {"dialect", "the language of the file in the editor"},
        {"entry", "tenon's option --entry"},  {"max_pieces", "tenon's option --max-pieces"},
        {"limit", "tenon's option --limit"},
    };
    tn_context_name_settings(cx, names, sizeof names / sizeof names[0]);
}

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
    name_settings(*cx);
    (*cx)->names = names;
    const tn_status status = tn_module_read(*cx, &o, d->text, d->n, m);
    (*cx)->names = NULL;
    if (names)
        names_sort(names);
    return status;
}
