/* What lowered MLIR needs at run time: copies between memrefs, and printing for @entry. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* {allocated, aligned, offset, sizes[rank], strides[rank]} */
typedef struct unranked {
    int64_t rank;
    void *descriptor;
} unranked;

void memrefCopy(int64_t size, const unranked *from, const unranked *to);
void tenon_print_f64(double value);
void tenon_print_i64(int64_t value);

static char *element(const unranked *m, const int64_t *at, int64_t size)
{
    const int64_t *d = m->descriptor;
    char *base;
    memcpy(&base, d + 1, sizeof base);
    int64_t offset = d[2];
    for (int64_t i = 0; i < m->rank; i++)
        offset += at[i] * d[3 + m->rank + i];
    return base + offset * size;
}

void memrefCopy(int64_t size, const unranked *from, const unranked *to)
{
    const int64_t *extents = (const int64_t *)from->descriptor + 3;
    int64_t at[64] = {0}, i;
    for (i = 0; i < from->rank; i++)
        if (extents[i] == 0)
            return;
    do {
        memcpy(element(to, at, size), element(from, at, size), (size_t)size);
        for (i = from->rank - 1; i >= 0 && ++at[i] == extents[i]; i--)
            at[i] = 0;
    } while (i >= 0);
}

void tenon_print_f64(double value)
{
    printf("%.17g\n", value);
}

void tenon_print_i64(int64_t value)
{
    printf("%" PRId64 "\n", value);
}
