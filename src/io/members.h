/* What the two kinds of archives share: the list of members, and how each kind fills and loads it.
 */
#ifndef IO_MEMBERS_H
#define IO_MEMBERS_H

#include "base/memory/hash.h"
#include "io/archive.h"
#include "io/input.h"

typedef struct archive_member {
    const char *name;
    uint64_t at;         /* safetensors: first byte in the file; npz: number in the zip directory */
    const int64_t *dims; /* safetensors only, as are all below */
    uint32_t rank;
    tn_dtype dtype;
} archive_member;

struct archive {
    input in;   /* named as the whole file is */
    arena text; /* names and dims */
    VECTOR(archive_member) members;
    hash_index by_name;
    struct zip *zip; /* NULL for safetensors */
};

/* Append a member whose name is already in `text`; reports a name that is there already. */
tn_status members_add(context *cx, archive *a, archive_member m);

/* Fill the list from A->in. */
tn_status npz_list(context *cx, archive *a);
tn_status safetensors_list(context *cx, archive *a);

/* One array, with its data or only described. */
tn_status npz_load(context *cx, archive *a, const archive_member *m, bool with_data, array *out);
tn_status safetensors_load(context *cx, archive *a, const archive_member *m, bool with_data,
                           array *out);
void npz_end(archive *a);

#endif
