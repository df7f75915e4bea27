/* Untrusted bytes to read in order: a file, a block of memory, or a member of a zip archive. */
#ifndef IO_INPUT_H
#define IO_INPUT_H

#include "base/context/context.h"

typedef struct input input;
struct input {
    const char *name; /* leads every message; must outlive the input */
    uint64_t size;
    uint64_t at; /* the next byte */
    /* Write bytes [at, at + n), which lie within size, to DST; reports a failure. */
    tn_status (*fill)(input *in, context *cx, void *dst, size_t n);
    const unsigned char *bytes; /* memory */
    int fd;                     /* file; -1 when there is none */
    uint64_t start;             /* where byte 0 lies in the file */
    void *member;               /* whatever else `fill` reads from */
};

/* Open a file, a pipe, which is read to its end, or for "-" what is left of standard input;
 * reports, with PATH in the message. */
tn_status input_open(context *cx, const char *path, input *in);
/* Read N bytes that the caller keeps. NAME stands for the file in messages. */
void input_from_memory(const char *name, const void *bytes, size_t n, input *in);
/* Close the file, if there is one. */
void input_close(input *in);

/* Exactly N bytes to DST; reports an input that ends too early. */
tn_status input_read(context *cx, input *in, void *dst, size_t n);

/* Report a FileError "NAME: ..." and return its status. Long messages are cut. */
tn_status io_error(context *cx, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a file that cannot be written, for the reason in errno. */
tn_status io_unwritten(context *cx, const char *name);

/* Text from a file made fit for a message: cut, and without control characters. */
typedef struct io_text {
    char text[48];
} io_text;
io_text io_printable(const char *text, size_t n);

/* An unsigned number of N bytes, little-endian. */
static inline uint64_t io_little(const unsigned char *p, size_t n)
{
    uint64_t value = 0;
    for (size_t i = n; i-- > 0;)
        value = value << 8 | p[i];
    return value;
}

#endif
