/* What is made of one object file: an archive for linkers, a shared object. */
#ifndef TARGET_ARCHIVE_H
#define TARGET_ARCHIVE_H

#include "base/context/context.h"
#include "base/text/text.h"

/* Append a static library (.a) with one member: OBJECT, N bytes, called MEMBER ("net.o": at most
 * 15 bytes without '/'). SYMBOLS are the names that it defines for others. The bytes depend on
 * nothing else. */
void target_archive(const char *member, const void *object, size_t n, const char *const *symbols,
                    size_t n_symbols, text_buffer *out);

/* Append a shared object (.so) that the system's linker makes of OBJECT, which is position
 * independent; only SYMBOLS are exported. NAME is used in messages. BackendUnavailable when no
 * linker is installed or it fails; FileError when the folder for temporary files ($TMPDIR or /tmp)
 * cannot be used. */
tn_status target_shared(context *cx, const char *name, const void *object, size_t n,
                        const char *const *symbols, size_t n_symbols, text_buffer *out);

#endif
