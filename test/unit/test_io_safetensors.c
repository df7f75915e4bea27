/* .safetensors: headers that are read, headers that are refused, and the data they lead to. */
#include "io/archive.h"
#include "io_check.h"

/* A file with this header and N bytes of data 0, 1, 2, ...; its length. */
static size_t make_file(unsigned char *file, const char *header, size_t n)
{
    size_t length = strlen(header);
    for (size_t i = 0; i < 8; i++)
        file[i] = (unsigned char)(length >> (8 * i));
    memcpy(file + 8, header, length);
    for (size_t i = 0; i < n; i++)
        file[8 + length + i] = (unsigned char)i;
    return 8 + length + n;
}

static tn_status open_text(bench *b, unsigned char *file, const char *header, size_t n, archive **a)
{
    return archive_open_memory(b->cx, "m", file, make_file(file, header, n), a);
}

static void test_reading(bench *b)
{
    static const char header[] =
        "{\"__metadata__\":{\"format\":\"pt\",\"a\":\"\"},"
        "\"b\":{\"dtype\":\"I16\",\"shape\":[2,1],\"data_offsets\":[2,6]},"
        "\"a\\u00e9\\ud83d\\ude00\\n\" : {\"data_offsets\":[0,2], \"shape\":[] , "
        "\"dtype\":\"BF16\"},"
        "\"none\":{\"dtype\":\"F64\",\"shape\":[3,0],\"data_offsets\":[6,6]},"
        "\"t\":{\"dtype\":\"BOOL\",\"shape\":[2],\"data_offsets\":[6,8]}}   ";
    unsigned char file[1024];
    archive *a;
    array x;
    uint32_t i;
    if (!CHECK(open_text(b, file, header, 8, &a) == TN_OK)) {
        printf("    %s\n", bench_said(b));
        return;
    }
    CHECK_INT(archive_count(a), 4);
    CHECK_TEXT(archive_name(a, 0), "b");
    CHECK(archive_find(a, "a\xc3\xa9\xf0\x9f\x98\x80\n", &i) && i == 1);
    CHECK(!archive_find(a, "__metadata__", &i));
    CHECK_INT(archive_describe(b->cx, a, 0, &x), TN_OK);
    CHECK(x.dtype == TN_SI16 && x.rank == 2 && x.dims[0] == 2 && x.dims[1] == 1 && !x.data);
    CHECK_INT(archive_load(b->cx, a, 0, &x), TN_OK);
    CHECK(x.bytes == 4 && memcmp(x.data, "\2\3\4\5", 4) == 0);
    array_release(b->cx, &x);
    CHECK_INT(archive_load(b->cx, a, 1, &x), TN_OK);
    CHECK(x.dtype == TN_BF16 && x.rank == 0 && memcmp(x.data, "\0\1", 2) == 0);
    array_release(b->cx, &x);
    CHECK_INT(archive_load(b->cx, a, 2, &x), TN_OK);
    CHECK(x.rank == 2 && x.bytes == 0 && x.data);
    array_release(b->cx, &x);
    CHECK_INT(archive_load(b->cx, a, 3, &x), TN_OK);
    CHECK(memcmp(x.data, "\1\1", 2) == 0); /* 6 and 7, both true */
    array_release(b->cx, &x);
    archive_close(b->cx, a);

    CHECK_INT(open_text(b, file, "{}", 0, &a), TN_OK);
    CHECK(a && archive_count(a) == 0);
    archive_close(b->cx, a);
}

static void test_dtypes(bench *b)
{
    static const struct {
        const char *name;
        tn_dtype dtype;
    } rows[] = {
        {"BOOL", TN_I1},  {"U8", TN_UI8},   {"I8", TN_SI8},           {"U16", TN_UI16},
        {"I16", TN_SI16}, {"U32", TN_UI32}, {"I32", TN_SI32},         {"U64", TN_UI64},
        {"I64", TN_SI64}, {"F16", TN_F16},  {"BF16", TN_BF16},        {"F32", TN_F32},
        {"F64", TN_F64},  {"C64", TN_CF32}, {"F8_E4M3", TN_FP8_E4M3}, {"F8_E5M2", TN_FP8_E5M2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char header[128];
        unsigned char file[256];
        archive *a;
        array x;
        size_t n = dtype_bytes(rows[i].dtype);
        (void)snprintf(header, sizeof header,
                       "{\"x\":{\"dtype\":\"%s\",\"shape\":[],\"data_offsets\":[0,%zu]}}",
                       rows[i].name, n);
        if (!CHECK(open_text(b, file, header, n, &a) == TN_OK))
            continue;
        CHECK_INT(archive_load(b->cx, a, 0, &x), TN_OK);
        CHECK(x.dtype == rows[i].dtype && x.bytes == n);
        array_release(b->cx, &x);
        archive_close(b->cx, a);
    }
}

#define U8(name, shape, from, to)                                                                  \
    "\"" name "\":{\"dtype\":\"U8\",\"shape\":" shape ",\"data_offsets\":[" #from "," #to "]}"

static void test_refused(bench *b)
{
    static const struct {
        const char *header, *says;
    } rows[] = {
        {"{", "byte 9: expected '\"'"},
        {"{\"a", "unterminated string"},
        {"{\"a\\", "unterminated string"},
        {"{\"a\\x\":1}", "unknown escape"},
        {"{\"a\\u12\":1}", "four hexadecimal digits"},
        {"{\"a\\u0000\":1}", "NUL inside"},
        {"{\"a\\ud800\":1}", "half a surrogate pair"},
        {"{\"a\\ud800\\u0041\":1}", "half a surrogate pair"},
        {"{\"a\\udc00\\ud800\":1}", "half a surrogate pair"},
        {"{\"a\x01\":1}", "control character"},
        {"{\"a\xc0\x80\":1}", "malformed UTF-8"},
        {"{\"a\xed\xa0\x80\":1}", "malformed UTF-8"},
        {"{\"a\xf4\x90\x80\x80\":1}", "malformed UTF-8"},
        {"{\"a\xe2\x82\":1}", "malformed UTF-8"},
        {"{\"a\":1}", "expected '{'"},
        {"{\"a\":{}}", "expected '\"'"},
        {"{\"a\":{\"dtype\":\"U8\"}}", "missing key"},
        {"{\"a\":{\"dtype\":\"U8\",\"dtype\":\"U8\"}}", "repeated key"},
        {"{\"a\":{\"dtype\":\"U8\",\"more\":1}}", "unknown key"},
        {"{\"a\":{\"dtype\":\"F4\"}}", "the element type 'F4' is not read"},
        {"{\"a\":{\"dtype\":\"F\\u0007\"}}", "the element type 'F?' is not read"},
        {"{" U8("a", "[4]", 0, 4) "} x", "unexpected text at the end"},
        {"{" U8("a", "[4]", 0, 4) ",}", "expected '\"'"},
        {"{" U8("a", "[4,]", 0, 4) "}", "expected a whole number"},
        {"{" U8("a", "[-4]", 0, 4) "}", "expected a whole number"},
        {"{" U8("a", "[4.0]", 0, 4) "}", "expected ']'"},
        {"{" U8("a", "[04]", 0, 4) "}", "leading zero"},
        {"{" U8("a", "[99999999999999999999]", 0, 4) "}", "number too large"},
        {"{" U8("a", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", 0,
                1) "}",
         "more axes"},
        {"{" U8("a", "[4294967296,4294967296]", 0, 4) "}", "too many elements"},
        {"{" U8("a", "[3]", 0, 4) "}", "has 4 bytes of data, its shape needs 3"},
        {"{" U8("a", "[5]", 0, 5) "}", "is to lie in bytes 0 to 5 of 4 bytes of data"},
        {"{" U8("a", "[0]", 4, 3) "}", "is to lie in bytes 4 to 3"},
        {"{" U8("a", "[4]", 0, 4) "," U8("a", "[0]", 4, 4) "}", "two arrays named 'a'"},
        {"{" U8("a", "[4]", 0, 4) "," U8("b", "[2]", 1, 3) "}", "'b' overlaps another"},
        {"{" U8("a", "[4]", 0, 4) "," U8("b", "[0]", 1, 1) "}", "'b' overlaps another"},
        {"{" U8("a", "[1]", 0, 1) "," U8("b", "[2]", 2, 4) "}", "belong to no tensor"},
        {"{" U8("a", "[3]", 0, 3) "}", "belong to no tensor"},
        {"{}", "belong to no tensor"},
        {"{\"__metadata__\":{\"a\":1},}", "expected '\"'"},
        {"{\"__metadata__\":{},\"__metadata__\":{}}", "repeated key"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unsigned char file[512];
        archive *a;
        CHECK_INT(open_text(b, file, rows[i].header, 4, &a), TN_ERR_IO);
        bench_says(b, rows[i].says);
        CHECK(a == NULL);
    }
    unsigned char file[256];
    archive *a;
    size_t n = make_file(file, "{" U8("a", "[4]", 0, 4) "}", 4);
    for (size_t cut = 0; cut < n; cut++)
        CHECK_INT(archive_open_memory(b->cx, "m", file, cut, &a), TN_ERR_IO);
    file[3] = 0xff;
    CHECK_INT(archive_open_memory(b->cx, "m", file, n, &a), TN_ERR_IO);
    bench_says(b, "has a header of ");
}

/* Many tensors in an order of their own: the sort must find that they cover the data. */
static void test_many(bench *b)
{
    enum { COUNT = 1000 };
    size_t room = COUNT * 80, at = 0;
    char *header = malloc(room);
    unsigned char *file = malloc(room + COUNT + 8);
    archive *a;
    if (CHECK(header && file)) {
        at = (size_t)snprintf(header, room, "{");
        for (unsigned i = 0; i < COUNT; i++) {
            unsigned place = i * 377 % COUNT;
            at += (size_t)snprintf(
                header + at, room - at,
                "%s\"t%u\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[%u,%u]}", i ? "," : "",
                place, place, place + 1);
        }
        (void)snprintf(header + at, room - at, "}");
        CHECK_INT(open_text(b, file, header, COUNT, &a), TN_OK);
        uint32_t index;
        array x;
        CHECK(a && archive_find(a, "t999", &index) && archive_load(b->cx, a, index, &x) == TN_OK);
        CHECK_INT(*(unsigned char *)x.data, 999 % 256);
        array_release(b->cx, &x);
        archive_close(b->cx, a);
        CHECK_INT(open_text(b, file, header, COUNT + 1, &a), TN_ERR_IO);
    }
    free(header);
    free(file);
}

static void test_no_memory(bench *b)
{
    unsigned char file[256];
    for (unsigned long i = 0; i < 50; i++) {
        archive *a;
        array x = {0};
        b->left = i;
        tn_status s = open_text(b, file, "{" U8("a", "[4]", 0, 4) "}", 4, &a);
        if (s == TN_OK)
            s = archive_load(b->cx, a, 0, &x);
        b->left = (unsigned long)-1;
        array_release(b->cx, &x);
        archive_close(b->cx, a);
        if (s == TN_OK)
            return;
        CHECK_INT(s, TN_ERR_NOMEM);
    }
    CHECK(false);
}

int main(void)
{
    bench b;
    bench_start(&b);
    test_reading(&b);
    test_dtypes(&b);
    test_refused(&b);
    test_many(&b);
    test_no_memory(&b);
    bench_end(&b);
    return check_result();
}
