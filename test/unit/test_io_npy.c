/* .npy: every element type both ways, element and byte orders, and headers that must be refused. */
#include <fcntl.h>
#include <sys/stat.h>

#include "io/npy.h"
#include "io_check.h"

/* A file of VERSION with the dictionary TEXT and N bytes of DATA; its length. */
static size_t make_file(unsigned char *file, int version, const char *text, const void *data,
                        size_t n)
{
    size_t length = strlen(text);
    size_t prefix = version == 1 ? 10 : 12;
    memcpy(file, "\x93NUMPY", 6);
    file[6] = (unsigned char)version;
    file[7] = 0;
    for (size_t i = 8; i < prefix; i++)
        file[i] = (unsigned char)(length >> (8 * (i - 8)));
    memcpy(file + prefix, text, length);
    if (n)
        memcpy(file + prefix + length, data, n);
    return prefix + length + n;
}

static tn_status read_text(bench *b, const char *text, const void *data, size_t n, array *out)
{
    unsigned char file[4096];
    size_t size = make_file(file, 1, text, data, n);
    return npy_read_memory(b->cx, "x.npy", file, size, out);
}

static void test_round_trips(bench *b)
{
    static const int64_t dims[] = {2, 3};
    for (int d = 0; d < TN_DTYPE_COUNT; d++) {
        unsigned char data[96] = {0};
        for (size_t i = 0; i < sizeof data; i++) {
            unsigned char any = (unsigned char)(i * 37 + 1);
            data[i] = d == TN_I1 ? any & 1 : d == TN_UI4 ? any & 15 : any;
            if (d == TN_SI4)
                data[i] = (unsigned char)((any & 7) - 4);
        }
        for (uint32_t rank = 0; rank <= 2; rank++) {
            array a = borrowed((tn_dtype)d, rank, dims, data), back;
            void *file;
            size_t n;
            if (!CHECK(npy_write_memory(b->cx, &a, &file, &n) == TN_OK))
                continue;
            CHECK_INT((intmax_t)((n - a.bytes) % 64), 0);
            CHECK_INT(npy_read_memory(b->cx, "m", file, n, &back), TN_OK);
            CHECK_INT(back.dtype, (intmax_t)array_carrier(a.dtype));
            CHECK_INT((intmax_t)((uintptr_t)back.data % 64), 0);
            CHECK(array_fits(&back, a.dtype));
            back.dtype = a.dtype;
            CHECK(same_array(&a, &back));
            array_release(b->cx, &back);
            memory_free(&b->cx->allocator, file, n);
        }
    }
}

static void test_bytes_written(bench *b)
{
    static const char text[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }";
    float data[] = {1, 2, 3};
    void *file;
    size_t n;
    array a = borrowed(TN_F32, 1, (const int64_t[]){3}, data);
    if (!CHECK(npy_write_memory(b->cx, &a, &file, &n) == TN_OK))
        return;
    CHECK_INT((intmax_t)n, 128 + 12);
    CHECK(memcmp(file, "\x93NUMPY\1\0\x76\0", 10) == 0);
    CHECK(memcmp((char *)file + 10, text, sizeof text - 1) == 0);
    CHECK(((char *)file)[127] == '\n' && ((char *)file)[126] == ' ');
    memory_free(&b->cx->allocator, file, n);
}

/* Elements whose bytes are not unique are written in one form. */
static void test_normalising(bench *b)
{
    static const struct {
        tn_dtype dtype;
        unsigned char have[4], want[4];
    } rows[] = {
        {TN_I1, {0, 1, 2, 255}, {0, 1, 1, 1}},
        {TN_SI4, {7, 8, 0x1f, 0}, {7, 0xf8, 0xff, 0}},
        {TN_UI4, {15, 16, 0xf3, 0}, {15, 0, 3, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unsigned char data[4];
        void *file;
        size_t n;
        memcpy(data, rows[i].have, 4);
        array a = borrowed(rows[i].dtype, 1, (const int64_t[]){4}, data);
        if (!CHECK(npy_write_memory(b->cx, &a, &file, &n) == TN_OK))
            continue;
        CHECK(memcmp((char *)file + n - 4, rows[i].want, 4) == 0);
        memory_free(&b->cx->allocator, file, n);
    }
    unsigned char bools[] = {0, 1, 2, 255};
    array back;
    CHECK_INT(
        read_text(b, "{'descr': '|b1', 'fortran_order': False, 'shape': (4,)}", bools, 4, &back),
        TN_OK);
    CHECK(back.data && memcmp(back.data, "\0\1\1\1", 4) == 0);
    array_release(b->cx, &back);
}

static void test_orders(bench *b)
{
    /* x[i,j,k] = 100 i + 10 j + k, stored with i fastest, big-endian */
    unsigned char data[48];
    size_t at = 0;
    for (int k = 0; k < 4; k++)
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < 2; i++) {
                data[at++] = 0;
                data[at++] = (unsigned char)(100 * i + 10 * j + k);
            }
    array a;
    if (!CHECK(read_text(b, "{'descr':'>i2','fortran_order':True,'shape':(2,3,1,4)}", data, at,
                         &a) == TN_OK))
        return;
    CHECK_INT(a.rank, 4);
    const int16_t *x = a.data;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++)
                CHECK_INT(x[(i * 3 + j) * 4 + k], 100 * i + 10 * j + k);
    array_release(b->cx, &a);

    /* each part of a complex number is swapped by itself */
    static const unsigned char parts[] = {0x3f, 0x80, 0, 0, 0x40, 0, 0, 0};
    if (!CHECK(read_text(b, "{'descr':'>c8','fortran_order':False,'shape':()}", parts, 8, &a) ==
               TN_OK))
        return;
    const float *z = a.data;
    CHECK(z[0] == 1.0f && z[1] == 2.0f);
    array_release(b->cx, &a);
}

/* A transposition larger than the squares it is done in. */
static void test_large_columns(bench *b)
{
    enum { ROWS = 70, COLUMNS = 45 };
    static unsigned char data[ROWS * COLUMNS], file[ROWS * COLUMNS + 256];
    for (int c = 0; c < COLUMNS; c++)
        for (int r = 0; r < ROWS; r++)
            data[c * ROWS + r] = (unsigned char)(r * 3 + c * 7);
    size_t n = make_file(file, 2, "{'shape': (70, 45), 'fortran_order': True, 'descr': '|u1'}\n",
                         data, sizeof data);
    array a;
    if (!CHECK(npy_read_memory(b->cx, "x", file, n, &a) == TN_OK))
        return;
    bool same = true;
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            same &= ((unsigned char *)a.data)[r * COLUMNS + c] == (unsigned char)(r * 3 + c * 7);
    CHECK(same);
    array_release(b->cx, &a);
}

static void test_accepted(bench *b)
{
    static const char *const texts[] = {
        "{'descr': '|i1', 'fortran_order': False, 'shape': (2, 2)}",
        "{'descr': '<i1', 'fortran_order': True, 'shape': (2, 2,), }   \n",
        " { \"shape\" :( 2 ,\t2 ) , 'descr' : 'i1','fortran_order':False , }\n",
        "{'descr': '>i1', 'fortran_order': False, 'shape': (2L, 2L)}",
        "{'descr': '|i1', 'fortran_order': False, 'shape': (4,)}",
    };
    array a;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        CHECK_INT(read_text(b, texts[i], "abcd", 4, &a), TN_OK);
        array_release(b->cx, &a);
    }
    CHECK_INT(read_text(b, "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 9)}", "", 0, &a),
              TN_OK);
    CHECK(a.data != NULL && a.bytes == 0);
    array_release(b->cx, &a);

    unsigned char file[256];
    for (int version = 1; version <= 3; version++) {
        size_t n = make_file(file, version,
                             "{'descr': '|u1', 'fortran_order': False, 'shape': ()}\n", "z", 1);
        CHECK_INT(npy_read_memory(b->cx, "x", file, n, &a), TN_OK);
        CHECK_INT(a.rank, 0);
        array_release(b->cx, &a);
    }
}

#define HEAD "{'descr': '|i1', 'fortran_order': False, "

static void test_refused(bench *b)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"", "byte 10: expected '{'"},
        {"{}", "missing key"},
        {HEAD "}", "missing key"},
        {HEAD "'shape': (4,)", "expected ',' or '}'"},
        {HEAD "'shape': (4)}", "expected ',' after a single extent"},
        {HEAD "'shape': [4]}", "expected a shape"},
        {HEAD "'shape': (-4,)}", "expected an extent"},
        {HEAD "'shape': (04,)}", "leading zero"},
        {HEAD "'shape': (,)}", "expected an extent"},
        {HEAD "'shape': (2 2)}", "expected ',' or ')'"},
        {HEAD "'shape': (99999999999999999999,)}", "extent too large"},
        {HEAD "'shape': (9223372036854775807,)}", "x.npy: the array has too many elements"},
        {HEAD "'shape': (4294967296, 4294967296)}", "too many elements"},
        {HEAD "'shape': (5,)}", "ends too early: the header declares 5 bytes of data, 4 follow it"},
        {HEAD "'shape': (3,)}", "goes on for 1 byte after the array"},
        {HEAD "'shape': (4,), 'shape': (4,)}", "repeated key"},
        {HEAD "'shape': (4,), 'more': 1}", "unknown key"},
        {HEAD "'shape': (4,)} x", "text after the dictionary"},
        {HEAD "'sha\\x70e': (4,)}", "escape or line end"},
        {HEAD "'shape", "unterminated string"},
        {HEAD "shape: (4,)}", "expected a string"},
        {HEAD "'shape' (4,)}", "expected ':'"},
        {HEAD "'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}",
         "more axes"},
        {"{'fortran_order': 0, ", "expected True or False"},
        {"{'descr': [('a', '<f4')], ", "structured element type"},
        {"{'descr': '|O', ", "'|O' is not read (Python objects)"},
        {"{'descr': '<U5', ", "(text)"},
        {"{'descr': '|V2', ", "uint16 and uint8"},
        {"{'descr': '<M8[ns]', ", "(dates or times)"},
        {"{'descr': '<f16', ", "numbers of a size"},
        {"{'descr': 'f4', ", "without a byte order"},
        {"{'descr': '|f4', ", "without a byte order"},
        {"{'descr': '=f4', ", "an unknown type"},
        {"{'descr': '', ", "an unknown type"},
        {"{'descr': '<\x1b[2J', ", "'<?[2J'"},
    };
    array a;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CHECK_INT(read_text(b, rows[i].text, "abcd", 4, &a), TN_ERR_IO);
        bench_says(b, rows[i].says);
        CHECK_TEXT(b->kind, "FileError");
        CHECK(a.data == NULL && a.block == NULL);
    }

    unsigned char file[256];
    size_t n = make_file(file, 1, HEAD "'shape': ()}", "z", 1);
    for (size_t cut = 0; cut < n; cut++)
        CHECK_INT(npy_read_memory(b->cx, "x", file, cut, &a), TN_ERR_IO);
    file[7] = 1;
    CHECK_INT(npy_read_memory(b->cx, "x", file, n, &a), TN_ERR_IO);
    bench_says(b, "version 1.1");
    file[6] = 4, file[7] = 0;
    CHECK_INT(npy_read_memory(b->cx, "x", file, n, &a), TN_ERR_IO);
    bench_says(b, "version 4.0");
    CHECK_INT(npy_read_memory(b->cx, "x", "PK\3\4aaaaaaaa", 12, &a), TN_ERR_IO);
    bench_says(b, "zip archive");
    CHECK_INT(npy_read_memory(b->cx, "x", "hello, this is text", 19, &a), TN_ERR_IO);
    bench_says(b, "is not an .npy file");
    CHECK_INT(npy_read_memory(b->cx, "x", "\x93NUMPY\2\0\xff\xff\xff\x7f", 12, &a), TN_ERR_IO);
    bench_says(b, "header of 2147483647 bytes");
}

static void test_limits(bench *b)
{
    array a;
    b->cx->limits.run_bytes = 3;
    CHECK_INT(read_text(b, HEAD "'shape': (4,)}", "abcd", 4, &a), TN_ERR_NOMEM);
    bench_says(b, "exceeds the limit run_bytes=3");
    b->cx->limits.run_bytes = limits_default.run_bytes;
    for (unsigned long i = 0;; i++) {
        b->left = i;
        tn_status s = read_text(b, "{'descr': '<i2', 'fortran_order': True, 'shape': (2,2)}",
                                "abcdefgh", 8, &a);
        b->left = (unsigned long)-1;
        array_release(b->cx, &a);
        if (s == TN_OK)
            break;
        if (!CHECK(s == TN_ERR_NOMEM && i < 10))
            break;
    }
}

static void test_fits(void)
{
    int8_t four[] = {-8, 7}, five[] = {-8, 8};
    uint8_t low[] = {0, 15}, high[] = {0, 16};
    const int64_t two[] = {2};
    array a = borrowed(TN_SI8, 1, two, four), c = borrowed(TN_SI8, 1, two, five);
    CHECK(array_fits(&a, TN_SI4) && array_fits(&a, TN_SI8) && !array_fits(&c, TN_SI4));
    CHECK(!array_fits(&a, TN_UI4) && !array_fits(&a, TN_UI8) && !array_fits(&a, TN_FP8_E4M3));
    a = borrowed(TN_UI8, 1, two, low), c = borrowed(TN_UI8, 1, two, high);
    CHECK(array_fits(&a, TN_UI4) && !array_fits(&c, TN_UI4));
    CHECK(array_fits(&c, TN_FP8_E4M3) && array_fits(&c, TN_FP8_E5M2) && !array_fits(&c, TN_I1));
    a.dtype = TN_UI16;
    CHECK(array_fits(&a, TN_BF16) && !array_fits(&a, TN_F16) && !array_fits(&a, TN_SI16));
    a.dtype = TN_BF16;
    CHECK(array_fits(&a, TN_BF16) && !array_fits(&a, TN_UI16));
}

static void test_files(bench *b)
{
    char folder[64], path[256], other[256];
    int32_t data[] = {1, -2, 3, -4};
    array a = borrowed(TN_SI32, 2, (const int64_t[]){2, 2}, data), back;
    if (!make_folder(folder))
        return;
    (void)in_folder(path, folder, "a.npy");
    for (int i = 0; i < 2; i++) { /* the second time over an existing file */
        CHECK_INT(write_npy(b->cx, path, &a), TN_OK);
        CHECK_INT(npy_read(b->cx, path, &back), TN_OK);
        CHECK(same_array(&a, &back));
        array_release(b->cx, &back);
    }
    CHECK_INT(npy_read(b->cx, in_folder(other, folder, "none.npy"), &back), TN_ERR_IO);
    bench_says(b, "none.npy: cannot be opened: ");
    CHECK_INT(npy_read(b->cx, folder, &back), TN_ERR_IO);
    bench_says(b, "is not a regular file");
    CHECK_INT(write_npy(b->cx, in_folder(other, folder, "no/a.npy"), &a), TN_ERR_IO);
    bench_says(b, "cannot be written");
    CHECK_INT(write_npy(b->cx, folder, &a), TN_ERR_IO);
    CHECK_INT(npy_read(b->cx, "/dev/null", &back), TN_ERR_IO);
    bench_says(b, "is not a regular file");
    CHECK_INT(write_npy(b->cx, "/dev/null", &a), TN_OK); /* and does not replace it */
    struct stat info;
    CHECK(stat("/dev/null", &info) == 0 && S_ISCHR(info.st_mode));
    int full = access("/dev/full", W_OK);
    if (full == 0)
        CHECK_INT(write_npy(b->cx, "/dev/full", &a), TN_ERR_IO);
    tn_status wrote = TN_ERR_NOMEM;
    for (unsigned long i = 0; wrote != TN_OK && i < 20; i++) {
        b->left = i;
        wrote = write_npy(b->cx, path, &a);
        CHECK(wrote == TN_ERR_NOMEM || (wrote == TN_OK && i > 0));
        b->left = (unsigned long)-1;
    }
    CHECK_INT(wrote, TN_OK);
    CHECK(unlink(path) == 0 && rmdir(folder) == 0); /* no temporary file is left */
}

int main(void)
{
    bench b;
    bench_start(&b);
    test_round_trips(&b);
    test_bytes_written(&b);
    test_normalising(&b);
    test_orders(&b);
    test_large_columns(&b);
    test_accepted(&b);
    test_refused(&b);
    test_limits(&b);
    test_fits();
    test_files(&b);
    bench_end(&b);
    return check_result();
}
