/* The list of dialects, and finding one. */
#include "dialect/dialect.h"

#include <assert.h>
#include <stdio.h>

#include "base/text/suggest.h"
#include "dialect/mind/mind.h"
#include "dialect/mind_source/mind_source.h"
#include "dialect/mlir/mlir.h"
#include "dialect/onnx/onnx.h"
#include "dialect/ptir/ptir.h"
#include "dialect/tiny/tiny.h"

const dialect *const dialects[] = {
    &dialect_mind,         &dialect_mind_source, &dialect_ptir, &dialect_ptir_text,
    &dialect_ptir_bincode, &dialect_tiny,        &dialect_onnx, &dialect_mlir,
    &dialect_stablehlo,    &dialect_dot,         NULL};

const dialect *dialect_by_name(const char *name)
{
    for (const dialect *const *d = dialects; name && *d; d++)
        if (strcmp((*d)->name, name) == 0)
            return *d;
    return NULL;
}

tn_status dialect_unknown(diag_channel *d, const char *name)
{
    suggestion like;
    suggest_begin(&like, name, strlen(name));
    for (size_t i = 0; dialects[i]; i++)
        suggest_name(&like, dialects[i]->name, strlen(dialects[i]->name));
    const tn_status status =
        diag_report(d, DIAG_Usage, NULL, NO_SPAN, "there is no dialect called '%.100s'", name);
    suggest_fix(&like, d, NO_SPAN, "");
    return status;
}

void dialect_note_names(diag_channel *d, bool (*is_meant)(const dialect *))
{
    char names[256] = "";
    size_t n = 0;
    for (size_t i = 0; dialects[i]; i++)
        if (is_meant(dialects[i]) && n < sizeof names)
            n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "",
                                  dialects[i]->name);
    assert(n < sizeof names);
    diag_note(d, NULL, NO_SPAN, "these may be named: %s", names);
}

static bool ends_with(const char *text, const char *end, size_t n_end)
{
    size_t n = strlen(text);
    return n > n_end && memcmp(text + n - n_end, end, n_end) == 0;
}

static bool has_extension(const dialect *d, const char *file)
{
    for (const char *at = d->extensions; *at;) {
        size_t n = strcspn(at, " ");
        if (ends_with(file, at, n))
            return true;
        at += n + (at[n] == ' ');
    }
    return false;
}

static const dialect *dialect_of_name(const char *file)
{
    for (const dialect *const *d = dialects; file && *d; d++)
        if (has_extension(*d, file))
            return *d;
    return NULL;
}

/* The family of D, or of what it becomes when it is read; NULL where it is not read. */
static const char *family_read(const dialect *d)
{
    if (d->read && !d->can && d->lowers_to)
        d = dialect_by_name(d->lowers_to);
    return d->read && d->can ? d->can->family : NULL;
}

/* NAMED, or where a text does not look like it, the other form of its family that the text has. */
static const dialect *form_of(const dialect *named, const char *text, size_t length)
{
    const char *const family = family_read(named);
    if (!family || named->looks_like(text, length))
        return named;
    for (const dialect *const *d = dialects; *d; d++) {
        const char *const other = family_read(*d);
        if (other && strcmp(other, family) == 0 && (*d)->looks_like(text, length))
            return *d;
    }
    return named;
}

const dialect *dialect_guess(const char *file, const char *text, size_t length)
{
    const size_t mark = source_mark_length(text, length);
    text += mark;
    length -= mark;
    const dialect *named = dialect_of_name(file);
    if (named)
        return form_of(named, text, length);
    for (const dialect *const *d = dialects; *d; d++)
        if ((*d)->looks_like(text, length))
            return *d;
    return NULL;
}
