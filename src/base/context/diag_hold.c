/* Diagnostics that are held are copied, with all their texts. */
#include "base/context/diag_hold.h"

#include <string.h>

/* TEXT in H; OTHERWISE without memory. */
static const char *copy(diag_held *h, const char *text, const char *otherwise)
{
    const char *own = text ? arena_copy_text(&h->text, text, strlen(text)) : NULL;
    return own ? own : otherwise;
}

static tn_place copy_place(diag_held *h, tn_place place)
{
    place.file = copy(h, place.file, "");
    return place;
}

static void copy_notes(diag_held *h, tn_diagnostic *to, const tn_diagnostic *from)
{
    tn_note *notes = ARENA_ARRAY(&h->text, tn_note, from->n_notes);
    to->notes = notes;
    to->n_notes = notes ? from->n_notes : 0;
    for (size_t i = 0; i < to->n_notes; i++) {
        notes[i] = from->notes[i];
        notes[i].message = copy(h, from->notes[i].message, "");
        notes[i].place = copy_place(h, from->notes[i].place);
    }
}

static void take(void *user, const tn_diagnostic *d)
{
    diag_held *h = user;
    tn_diagnostic own = *d;
    own.message = copy(h, d->message, d->kind);
    own.place = copy_place(h, d->place);
    own.source_line =
        d->source_line ? arena_copy_text(&h->text, d->source_line, d->source_line_length) : NULL;
    own.source_line_length = own.source_line ? d->source_line_length : 0;
    own.node = copy(h, d->node, "");
    own.fix.title = copy(h, d->fix.title, NULL);
    own.fix.replacement = copy(h, d->fix.replacement, NULL);
    copy_notes(h, &own, d);
    (void)VECTOR_PUSH(h->text.allocator, &h->list, own);
}

void diag_hold(diag_held *h, diag_channel *d)
{
    diag_flush(d);
    *h = (diag_held){.channel = d, .sink = d->sink, .n_errors = d->n_errors};
    arena_init(&h->text, d->text.allocator);
    d->sink = (tn_diagnostic_sink){take, h};
}

void diag_unhold(diag_held *h)
{
    diag_flush(h->channel);
    h->channel->sink = h->sink;
}

void diag_held_end(diag_held *h, bool shown)
{
    for (uint32_t i = 0; shown && h->sink.report && i < h->list.n; i++)
        h->sink.report(h->sink.user, &h->list.at[i]);
    if (!shown)
        h->channel->n_errors = h->n_errors;
    VECTOR_RELEASE(h->text.allocator, &h->list);
    arena_release(&h->text);
}
