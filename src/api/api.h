/* What the files of the public interface share. */
#ifndef API_API_H
#define API_API_H

#include "base/context/options.h"
#include "compile/compiled.h"
#include "dialect/dialect.h"
#include "graph/public.h"
#include "tenon/tenon.h"

struct cache_place;

/* Warn if TENON_CACHE_BYTES, which PLACE leaves the size of the cache to, is no number; true when
 * that is so. */
bool warn_of_cache(context *cx, const struct cache_place *place);

/* Begin a text for api_deliver that is refused where it grows beyond the limit output_bytes. */
void api_text(const context *cx, text_buffer *text);

/* If STATUS is TN_OK, give TEXT to WRITER. Returns STATUS, TN_ERR_IO, TN_ERR_NOMEM or, where TEXT
 * is too long, TN_ERR_REJECTED, reported. Releases TEXT and flushes what CX reported. */
tn_status api_deliver(context *cx, text_buffer *text, const tn_writer *writer, tn_status status);

/* Where the text of a file is put: in an arena, or in a block of its own when it is large. */
typedef struct text_room {
    arena *arena;
    payload *block; /* NULL: it is in the arena; the caller drops it */
    char *own;      /* the text in the block */
    bool may_block; /* may it be in a block? */
} text_room;

/* A text of N bytes and a NUL in TO; the text is to be filled in. NULL without memory. */
char *text_room_for(context *cx, text_room *to, size_t n);
/* Read all of PATH, or of standard input when it is "-", into TO; a NUL follows the text. Texts of
 * 4 GiB or more are refused. */
tn_status text_file_read(context *cx, text_room *to, const char *path, const char **text,
                         size_t *length);

/* TN_ERR_USAGE, reported, unless each of the N KNOWN, what a caller gives as WHAT, has a name and a
 * valid type, and with NEEDS_DATA the data for it. */
tn_status api_check_known(context *cx, const char *what, const tn_known_input *known, size_t n,
                          bool needs_data);
/* Read M, whose source has its text, which is called SHOWN. CHECKS as in read_options. */
tn_status api_read_text(module *m, const tn_read_options *o, const char *shown,
                        struct check_list *checks);

/* Tell the names of M's context, if an editor asks for them, what M demands of its sizes. */
void api_note_sizes(const module *m);

/* The input of M, or its output, that a name in tn_gradient_options stands for, as a position; how
 * many there are where it stands for none. */
uint32_t api_find_input(const module *m, const char *name);
uint32_t api_find_output(const module *m, const char *name);

/* The number of an -O level. */
static inline int api_level(tn_level level)
{
    return level == TN_LEVEL_0 ? 0 : level == TN_LEVEL_1 ? 1 : 2;
}

#endif
