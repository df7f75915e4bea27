/* Giving symbols the extents that a caller names. */
#include "pass/sizes/bind.h"

#include <inttypes.h>
#include <string.h>

#include "base/context/options.h"
#include "base/text/suggest.h"
#include "compile/compiled.h"

static tn_status unknown_symbol(const module *m, const char *symbol)
{
    suggestion like;
    suggest_begin(&like, symbol, strlen(symbol));
    suggest_symbols(&like, m);
    const tn_status status = diag_report(&m->cx->diag, DIAG_Usage, NULL, NO_SPAN,
                                         "the program has no symbolic size called '%s'", symbol);
    suggest_fix(&like, &m->cx->diag, NO_SPAN, "");
    return status;
}

static tn_status note_bindings(const module *m, const tn_binding *bindings, size_t n,
                               dim_values *values)
{
    diag_channel *d = &m->cx->diag;
    for (size_t i = 0; i < n; i++) {
        int64_t *value = size_of_symbol(m, values, bindings[i].symbol);
        const int64_t *written = value ? NULL : written_size_of(m, bindings[i].symbol);
        if (written && *written == bindings[i].extent)
            continue;
        if (written)
            return diag_report(d, DIAG_DimensionBinding, &m->source, NO_SPAN,
                               "the size '%s' is %" PRId64
                               " in the program, and cannot be %" PRId64,
                               bindings[i].symbol, *written, bindings[i].extent);
        if (!value)
            return unknown_symbol(m, bindings[i].symbol);
        if (*value >= 0)
            return diag_report(d, DIAG_Usage, NULL, NO_SPAN, "the size '%s' is given twice",
                               bindings[i].symbol);
        if (bindings[i].extent < 0)
            return diag_report(d, DIAG_NegativeDimension, &m->source, NO_SPAN,
                               "the size '%s' cannot be %" PRId64, bindings[i].symbol,
                               bindings[i].extent);
        *value = bindings[i].extent;
    }
    return TN_OK;
}

tn_status sizes_of_bindings(module *m, const tn_binding *bindings, size_t n, dim_values **values)
{
    TN_TRY(options_list(&m->cx->diag, "bindings", bindings, n));
    *values = dim_values_new(&m->types, &m->arena);
    if (!*values)
        return module_no_memory(m);
    TN_TRY(note_bindings(m, bindings, n, *values));
    return sizes_that_follow(m, *values);
}

tn_status bind_symbols(module *m, const tn_binding *bindings, size_t n)
{
    dim_values *values;
    TN_TRY(sizes_of_bindings(m, bindings, n, &values));
    return module_bind_here(m, values);
}
