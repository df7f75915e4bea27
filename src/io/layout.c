/* Byte order and element order. */
#include "io/layout.h"

#include <string.h>

/* A loop over numbers held as WORD, each passed through SWAP. memcpy keeps to the effective types.
 */
#define SWAP_ALL(word, swap)                                                                       \
    for (size_t i = 0; i + sizeof(word) <= n; i += sizeof(word)) {                                 \
        word number;                                                                               \
        memcpy(&number, bytes + i, sizeof number);                                                 \
        number = swap(number);                                                                     \
        memcpy(bytes + i, &number, sizeof number);                                                 \
    }

void layout_swap(array *a)
{
    char *bytes = a->data;
    size_t n = a->bytes;
    size_t width = dtype_bytes(dtype_table[a->dtype].part);
    if (width == 2)
        SWAP_ALL(uint16_t, __builtin_bswap16)
    else if (width == 4)
        SWAP_ALL(uint32_t, __builtin_bswap32)
    else if (width == 8)
        SWAP_ALL(uint64_t, __builtin_bswap64)
}

bool layout_order_matters(const array *a)
{
    uint32_t wide = 0;
    for (uint32_t i = 0; i < a->rank; i++)
        wide += a->dims[i] > 1;
    return wide > 1 && a->bytes > 0;
}

/* A matrix to transpose: neighbours in a column of src, and in a row of dst, are adjacent. It is
 * copied in squares that stay in the cache. */
typedef struct plane {
    size_t rows, columns;
    size_t row_step;    /* in dst, bytes from row to row */
    size_t column_step; /* in src, bytes from column to column */
} plane;

static inline void copy_plane(char *dst, const char *src, plane p, size_t width)
{
    enum { SQUARE = 32 };
    for (size_t r0 = 0; r0 < p.rows; r0 += SQUARE) {
        size_t r1 = p.rows - r0 < SQUARE ? p.rows : r0 + SQUARE;
        for (size_t c0 = 0; c0 < p.columns; c0 += SQUARE) {
            size_t c1 = p.columns - c0 < SQUARE ? p.columns : c0 + SQUARE;
            for (size_t r = r0; r < r1; r++)
                for (size_t c = c0; c < c1; c++)
                    memcpy(dst + r * p.row_step + c * width, src + c * p.column_step + r * width,
                           width);
        }
    }
}

/* With the width a constant, each copy is one move. */
static void copy_plane_of(char *dst, const char *src, plane p, size_t width)
{
    switch (width) {
    case 1:
        copy_plane(dst, src, p, 1);
        break;
    case 2:
        copy_plane(dst, src, p, 2);
        break;
    case 4:
        copy_plane(dst, src, p, 4);
        break;
    case 8:
        copy_plane(dst, src, p, 8);
        break;
    default:
        copy_plane(dst, src, p, 16);
        break;
    }
}

void layout_to_rows(array *a, const void *columns)
{
    size_t width = dtype_bytes(a->dtype);
    size_t dst_step[TN_MAX_RANK], src_step[TN_MAX_RANK];
    int64_t dims[TN_MAX_RANK], index[TN_MAX_RANK] = {0};
    uint32_t rank = 0;
    for (uint32_t i = 0; i < a->rank; i++) /* axes of extent 1 change nothing */
        if (a->dims[i] != 1)
            dims[rank++] = a->dims[i];
    if (rank < 2 || a->bytes == 0) {
        memcpy(a->data, columns, a->bytes);
        return;
    }

    /* The first axis runs fastest in src and the last in dst; those between are counted through. */
    uint32_t last = rank - 1;
    dst_step[last] = src_step[0] = width;
    for (uint32_t i = 1; i < rank; i++) {
        src_step[i] = src_step[i - 1] * (size_t)dims[i - 1];
        dst_step[last - i] = dst_step[last - i + 1] * (size_t)dims[last - i + 1];
    }
    plane p = {(size_t)dims[0], (size_t)dims[last], dst_step[0], src_step[last]};

    char *dst = a->data;
    const char *src = columns;
    for (;;) {
        copy_plane_of(dst, src, p, width);
        uint32_t axis = last - 1;
        for (; axis > 0; axis--) {
            dst += dst_step[axis];
            src += src_step[axis];
            if (++index[axis] < dims[axis])
                break;
            dst -= dst_step[axis] * (size_t)dims[axis];
            src -= src_step[axis] * (size_t)dims[axis];
            index[axis] = 0;
        }
        if (axis == 0)
            return;
    }
}
