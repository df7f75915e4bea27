/* Compiled objects kept on disk between runs.
 *
 * A folder holds one file per object, named by a hash of its key. A file carries the whole key and
 * a checksum, so a wrong file is only a missing one. Files appear complete (base/system/output.h):
 * readers and writers, also of several processes, need no lock. Whatever goes wrong means "not
 * cached". */
#ifndef RUNTIME_CACHE_H
#define RUNTIME_CACHE_H

#include "base/memory/memory.h"
#include "base/text/text.h"

typedef struct cache cache;

/* Where a cache is and how large; all zero leaves that to the environment. */
typedef struct cache_place {
    /* NULL: $TENON_CACHE_DIR, else $XDG_CACHE_HOME/tenon, else ~/.cache/tenon. */
    const char *folder;
    uint64_t bytes; /* that all files may take; 0: $TENON_CACHE_BYTES, 256 MiB if unset */
    bool off;
} cache_place;

/* Opens the folder, or makes it. NULL when it is not a folder of this user that nobody else may
 * write to, when the cache is off, and when $TENON_CACHE_BYTES says 0 or is no number. */
cache *cache_open(const tn_allocator *a, const cache_place *place);
/* False when PLACE or $TENON_CACHE_BYTES turn it off. */
bool cache_is_on(const cache_place *place);
/* The text of $TENON_CACHE_BYTES where PLACE leaves the size to that and it is no number, so that
 * the cache is off; NULL: all is well. */
const char *cache_wrong_limit(const cache_place *place);
/* C may be NULL. */
void cache_close(cache *c);

/* The path of the folder that PLACE names, in PATH; false when it names none: nothing says where it
 * is, or the path is too long. */
enum { CACHE_PATH_BYTES = 4096 };
bool cache_path(const cache_place *place, char path[static CACHE_PATH_BYTES]);

typedef struct cache_state {
    uint64_t files, bytes, limit; /* objects, what they take, and what they may take */
} cache_state;
/* What C holds now. */
cache_state cache_get_state(const cache *c);
/* Remove all objects, as far as the system permits. Who uses the cache compiles them again. */
void cache_clear(const cache *c);

/* Append the object stored under KEY to OUT; false, and nothing appended, when there is none. C may
 * be NULL; several threads may use it at once. */
bool cache_get(const cache *c, const void *key, size_t key_bytes, text_buffer *out);
/* Store an object; when the folder grows too large, the files that were not used for longest are
 * removed. */
void cache_put(const cache *c, const void *key, size_t key_bytes, const void *object, size_t bytes);

#endif
