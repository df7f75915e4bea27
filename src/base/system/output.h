/* Writing files so that they appear complete or not at all, several of them together.
 *
 *     output_set set;
 *     output_set_init(&set, allocator);
 *     output *o = output_open(&set, AT_FDCWD, path);
 *     bool ok = o && output_write(&set, o, bytes, n) && output_close(o);
 *     ok = output_set_end(&set, ok) && ok;
 *
 * What is written goes to nameless files, where the file system has such, or to files with names of
 * their own beside the targets, and is put in place when all are whole. A nameless file gets the
 * name of its target at once if there is no such file, so that a process that is killed leaves
 * nothing. Where there is one, no call replaces it in one step: a name of its own comes between,
 * and what a process leaves that is killed just there is removed by the next that writes the same
 * target. Signals that would end the program are held back from the first such file to the end of
 * the set; a write then fails with EINTR, and the signal takes effect when everything is tidied up.
 * Functions that return false or NULL leave the reason in errno. */
#ifndef BASE_SYSTEM_OUTPUT_H
#define BASE_SYSTEM_OUTPUT_H

#include <sys/types.h>

#include "base/memory/memory.h"
#include "base/system/signals.h"

typedef struct output {
    int at;           /* the folder that the names are relative to, or AT_FDCWD */
    char *path;       /* the target */
    char *temporary;  /* beside it; NULL: the target is a device or pipe, written directly */
    bool has_name;    /* there is a file called `temporary` */
    int fd;           /* -1: closed; open behind output_close while it has no name */
    bool durable;     /* as in the set */
    mode_t mode;      /* of the file that it replaces, else that of the set */
    bool replaces;    /* there was a file: the umask does not count */
    unsigned attempt; /* part of the name */
    bool stays_open;  /* until it is in place: so do a few of a set only */
} output;

typedef struct output_set {
    arena memory;
    VECTOR(output *) files;
    char *folder;     /* that was made for the files; NULL: none */
    mode_t mode;      /* of new files, less the umask */
    bool durable;     /* set it before the first file: files are on the disk before they are put in
                         place, and their names when the set has ended */
    int64_t deadline; /* of clock_now, for waiting for who reads a pipe: ETIMEDOUT; 0: none */
    signal_hold hold;
} output_set;

/* How the names of unfinished files begin. */
#define OUTPUT_TEMPORARY ".tenon-"

void output_set_init(output_set *s, const tn_allocator *allocator);
/* Make the folder PATH if it is not there: it goes again when the set is discarded. */
bool output_set_folder(output_set *s, const char *path);
/* Put every file in place, in the order they were opened, or, unless OK, leave everything as it
 * was. The set is gone afterwards. True when all files are in place; where one cannot be put there,
 * those before it stay. */
bool output_set_end(output_set *s, bool ok);

/* Begin to write PATH, relative to the folder AT. */
output *output_open(output_set *s, int at, const char *path);
/* The same of PATH for bytes in another order than that of the file; fails with ESPIPE where the
 * target is no file. */
output *output_open_sought(output_set *s, const char *path);
bool output_write(const output_set *s, const output *o, const void *bytes, size_t n);
/* The next bytes go to OFFSET. */
bool output_seek(const output *o, uint64_t offset);
/* The file is whole. */
bool output_close(output *o);

#endif
