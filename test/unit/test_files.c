/* Tensor files through the public interface: the formats themselves are tested in test_io_*.c. */
#include <unistd.h>

#include "api_fixture.h"
#include "tenon/files.h"

static const float floats[] = {1, 2, 3, 4};
static const uint16_t halves[] = {0x3f80, 0x4000, 0x4040};
static const uint8_t bits[] = {1, 7, 0};
static const char header[] =
    "{\"a\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[0,16]},"
    "\"b.c\":{\"dtype\":\"BF16\",\"shape\":[3],\"data_offsets\":[16,22]},"
    "\"none\":{\"dtype\":\"I64\",\"shape\":[0,4],\"data_offsets\":[22,22]}}";

/* A .safetensors file with N bytes of data in a new folder. */
static bool write_file(char path[64], size_t n)
{
    unsigned char data[22], length[8] = {0};
    memcpy(data, floats, 16);
    memcpy(data + 16, halves, 6);
    length[0] = (unsigned char)(sizeof header - 1);
    length[1] = (unsigned char)((sizeof header - 1) >> 8);
    (void)snprintf(path, 64, "/tmp/tenon-files-XXXXXX");
    int fd = mkstemp(path);
    FILE *file = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (!CHECK(file != NULL))
        return false;
    bool ok = fwrite(length, 1, 8, file) == 8 &&
              fwrite(header, 1, sizeof header - 1, file) == sizeof header - 1 &&
              fwrite(data, 1, n, file) == n;
    return CHECK(fclose(file) == 0 && ok);
}

static void finds_and_loads(const char *path)
{
    record said = {0};
    tn_diagnostic_sink sink = {remember, &said};
    tn_context *cx = tn_context_new(NULL, &sink);
    tn_tensor_file *f;
    tn_type type;
    tn_buffer a, again;
    size_t at;
    if (!CHECK(cx && tn_tensor_file_open(cx, path, &f) == TN_OK))
        return;
    CHECK_INT(tn_tensor_file_count(f), 3);
    CHECK_TEXT(tn_tensor_file_name(f, 1), "b.c");
    CHECK(!tn_tensor_file_name(f, 3));
    CHECK(!tn_tensor_file_find(f, "c", &at));

    CHECK(tn_tensor_file_find(f, "b.c", &at));
    CHECK_INT(tn_tensor_file_type(f, at, &type), TN_OK);
    CHECK(type.dtype == TN_BF16 && type.rank == 1 && type.dims[0] == 3);
    CHECK_INT(tn_tensor_file_load(f, at, &a), TN_OK);
    CHECK(a.type.dtype == TN_BF16 && a.bytes == 6 && ((const uint16_t *)a.data)[2] == 0x4040);

    CHECK(tn_tensor_file_find(f, "a", &at));
    CHECK_INT(tn_tensor_file_load(f, at, &a), TN_OK);
    CHECK(a.bytes == 16 && (uintptr_t)a.data % 64 == 0 && ((const float *)a.data)[3] == 4);
    CHECK_INT(tn_tensor_file_load(f, at, &again), TN_OK);
    CHECK(again.data == a.data);
    tn_tensor_file_unload(f, at);
    tn_tensor_file_unload(f, at);
    tn_tensor_file_unload(f, 77);
    CHECK_INT(tn_tensor_file_load(f, at, &again), TN_OK);
    CHECK(((const float *)again.data)[0] == 1);

    CHECK(tn_tensor_file_find(f, "none", &at));
    CHECK_INT(tn_tensor_file_load(f, at, &a), TN_OK);
    CHECK(a.bytes == 0 && a.type.rank == 2 && a.type.dims[1] == 4);
    CHECK_INT(said.n, 0);
    CHECK_INT(tn_tensor_file_load(f, 3, &a), TN_ERR_USAGE);
    CHECK_INT(tn_tensor_file_type(f, 3, &type), TN_ERR_USAGE);
    CHECK_INT(said.n, 2);
    tn_tensor_file_close(f);
    tn_tensor_file_close(NULL);
    tn_context_free(cx);
}

static void refuses(const char *path, uint64_t limit, tn_status opened, tn_status loaded)
{
    record said = {0};
    tn_diagnostic_sink sink = {remember, &said};
    tn_context *cx = tn_context_new(NULL, &sink);
    tn_tensor_file *f = NULL;
    tn_buffer a;
    CHECK_INT(tn_context_set_limit(cx, "run_bytes", limit), TN_OK);
    CHECK_INT(tn_tensor_file_open(cx, path, &f), opened);
    CHECK((opened == TN_OK) == (f != NULL));
    if (f)
        CHECK_INT(tn_tensor_file_load(f, 0, &a), loaded);
    CHECK_INT(said.n, 1);
    tn_tensor_file_close(f);
    tn_context_free(cx);
}

static void every_allocation_may_fail(const char *path)
{
    for (unsigned k = 1; k < 1000; k++) {
        meter mt = {.fail_at = k};
        tn_allocator allocator = {metered, &mt};
        tn_context *cx = tn_context_new(&allocator, NULL);
        tn_tensor_file *f = NULL;
        tn_buffer a;
        tn_status s = cx ? tn_tensor_file_open(cx, path, &f) : TN_ERR_NOMEM;
        for (size_t i = 0; s == TN_OK && i < 3; i++)
            s = tn_tensor_file_load(f, i, &a);
        CHECK_INT(s, mt.failed ? TN_ERR_NOMEM : TN_OK);
        tn_tensor_file_close(f);
        tn_context_free(cx);
        CHECK_INT(mt.alive, 0);
        CHECK_INT(mt.wrong, 0);
        if (!mt.failed)
            return;
    }
    CHECK(false); /* it never came to an end */
}

/* ---- writing ---- */

static tn_status write_tensors(tn_context *cx, const char *path, const char *const *names)
{
    const tn_buffer tensors[] = {
        {(void *)(uintptr_t)floats, sizeof floats, {TN_F32, 2, {2, 2}}},
        {(void *)(uintptr_t)halves, sizeof halves, {TN_BF16, 1, {3}}},
        {(void *)(uintptr_t)bits, sizeof bits, {TN_I1, 1, {3}}},
    };
    tn_file_set *set;
    tn_status s = tn_file_set_begin(cx, &set);
    return s == TN_OK ? tn_file_set_end(set, tn_file_set_add_tensors(set, path, names, tensors, 3))
                      : s;
}

static void writes(void)
{
    static const char *const names[] = {"a \"1\"", "b", "c"}, *const twice[] = {"x", "y", "x"},
                             *const broken[] = {"x", "\xff", "y"};
    record said = {0};
    tn_diagnostic_sink sink = {remember, &said};
    tn_context *cx = tn_context_new(NULL, &sink);
    char folder[] = "/tmp/tenon-files-XXXXXX", path[64];
    if (!CHECK(cx && mkdtemp(folder)))
        return;
    (void)snprintf(path, sizeof path, "%s/w.safetensors", folder);
    CHECK_INT(write_tensors(cx, path, twice), TN_ERR_IO);
    CHECK(strstr(said.message, "two tensors named 'x'"));
    CHECK_INT(write_tensors(cx, path, broken), TN_ERR_IO);
    CHECK(access(path, F_OK) != 0);
    CHECK_INT(write_tensors(cx, path, names), TN_OK);

    tn_tensor_file *f;
    tn_buffer t;
    if (CHECK_INT(tn_tensor_file_open(cx, path, &f), TN_OK)) {
        CHECK_INT(tn_tensor_file_count(f), 3);
        CHECK_TEXT(tn_tensor_file_name(f, 0), names[0]);
        CHECK_INT(tn_tensor_file_load(f, 0, &t), TN_OK);
        CHECK(t.type.rank == 2 && t.type.dims[1] == 2 && memcmp(t.data, floats, 16) == 0);
        CHECK_INT(tn_tensor_file_load(f, 1, &t), TN_OK);
        CHECK(t.type.dtype == TN_BF16 && memcmp(t.data, halves, 6) == 0);
        CHECK_INT(tn_tensor_file_load(f, 2, &t), TN_OK);
        CHECK(t.type.dtype == TN_I1 && memcmp(t.data, "\1\1\0", 3) == 0);
        tn_tensor_file_close(f);
    }
    (void)unlink(path);
    (void)rmdir(folder);
    tn_context_free(cx);
}

static void writes_each_once(void)
{
    const tn_buffer one = {(void *)(uintptr_t)floats, sizeof floats, {TN_F32, 2, {2, 2}}};
    record said = {0};
    tn_diagnostic_sink sink = {remember, &said};
    tn_context *cx = tn_context_new(NULL, &sink);
    char folder[] = "/tmp/tenon-files-XXXXXX", path[64];
    tn_file_set *set;
    if (!CHECK(cx && mkdtemp(folder)))
        return;
    (void)snprintf(path, sizeof path, "%s/a.npy", folder);
    if (CHECK_INT(tn_file_set_begin(cx, &set), TN_OK)) {
        CHECK_INT(tn_file_set_add(set, path, "x", 1), TN_OK);
        CHECK_INT(tn_file_set_add(set, path, "y", 1), TN_ERR_USAGE);
        CHECK(strstr(said.message, "has a file of this name"));
        CHECK_INT(tn_file_set_add_tensors(set, path, NULL, &one, 1), TN_ERR_USAGE);
        CHECK_INT(tn_file_set_add(set, "/dev/null", "x", 1), TN_OK);
        CHECK_INT(tn_file_set_add(set, "/dev/null", "y", 1), TN_OK);
        CHECK_INT(tn_file_set_end(set, TN_OK), TN_OK);
    }
    CHECK(access(path, F_OK) == 0);
    (void)unlink(path);
    (void)rmdir(folder);
    tn_context_free(cx);
}

int main(void)
{
    char whole[64], cut[64];
    if (!write_file(whole, 22) || !write_file(cut, 20))
        return check_result();
    finds_and_loads(whole);
    refuses(whole, 15, TN_OK, TN_ERR_NOMEM);
    refuses(cut, 1 << 20, TN_ERR_IO, TN_OK);
    refuses("/tmp/there is no such file", 1 << 20, TN_ERR_IO, TN_OK);
    every_allocation_may_fail(whole);
    writes();
    writes_each_once();
    (void)unlink(whole);
    (void)unlink(cut);
    return check_result();
}
