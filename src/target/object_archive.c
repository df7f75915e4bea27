/* Static libraries in the format of ar, with the symbol table of the System V linkers. */
#include "target/object_archive.h"

/* A member's header: 60 columns of text. */
static void put_header(text_buffer *out, const char *name, size_t bytes)
{
    text_printf(out, "%-16s%-12d%-6d%-6d%-8s%-10zu`\n", name, 0, 0, 0, "100644", bytes);
}

static void put_big_endian(text_buffer *out, size_t value)
{
    for (unsigned shift = 32; shift > 0; shift -= 8)
        text_putc(out, (char)(unsigned char)(value >> (shift - 8) & 255));
}

void target_archive(const char *member, const void *object, size_t n, const char *const *symbols,
                    size_t n_symbols, text_buffer *out)
{
    enum { MAGIC = 8, HEADER = 60, NAME = 15 };
    char name[NAME + 2] = {0};
    size_t index = 4 + 4 * n_symbols, length = 0;

    while (length < NAME && member[length]) {
        name[length] = member[length];
        length++;
    }
    name[length] = '/';
    for (size_t k = 0; k < n_symbols; k++)
        index += strlen(symbols[k]) + 1;
    text_put(out, "!<arch>\n", MAGIC);
    put_header(out, "/", index);
    put_big_endian(out, n_symbols);
    for (size_t k = 0; k < n_symbols; k++) /* where the only member begins */
        put_big_endian(out, MAGIC + HEADER + index + index % 2);
    for (size_t k = 0; k < n_symbols; k++)
        text_put(out, symbols[k], strlen(symbols[k]) + 1);
    text_fill(out, '\n', index % 2);
    put_header(out, name, n);
    text_put(out, object, n);
    text_fill(out, '\n', n % 2);
}
