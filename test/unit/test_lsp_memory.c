/* Each request for memory of the language server fails in turn: it comes to a clean end, and leaks
 * nothing. The sessions are the seeds of its fuzzer: messages, one a line. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "lsp/server.h"

typedef struct failing {
    long left; /* requests that succeed before one fails */
    long live; /* blocks */
} failing;

static void *resize(void *user, void *block, size_t old_size, size_t new_size)
{
    failing *f = user;
    if (new_size > old_size && f->left-- == 0)
        return NULL;
    if (new_size == 0) {
        f->live -= block != NULL;
        free(block);
        return NULL;
    }
    void *moved = realloc(block, new_size);
    f->live += !block && moved;
    return moved;
}

static bool drop(void *user, const char *bytes, size_t n)
{
    (void)user;
    (void)bytes;
    (void)n;
    return true;
}

static void serve(const tn_allocator *a, const char *text, size_t n)
{
    static const char first[] = "{\"id\":0,\"method\":\"initialize\"}";
    const tn_writer out = {drop, NULL};
    lsp_server *s = lsp_new(a, &out, "file:///pages");
    bool more = s && lsp_take(s, first, sizeof first - 1);
    for (size_t at = 0; more && at < n;) {
        const char *end = memchr(text + at, '\n', n - at);
        const size_t length = end ? (size_t)(end - text) - at : n - at;
        char *line = calloc(1, length + 1);
        more = line && lsp_take(s, memcpy(line, text + at, length), length);
        free(line);
        at += length + 1;
    }
    lsp_free(s);
}

/* All ways in which PATH can go wrong; how many there are. */
static long try_session(const char *path)
{
    static char text[1 << 16];
    FILE *in = fopen(path, "rb");
    long k = 0;
    if (!CHECK(in != NULL))
        return 0;
    const size_t n = fread(text, 1, sizeof text, in);
    (void)fclose(in);
    for (bool failed = true; failed; k++) {
        failing f = {.left = k};
        const tn_allocator a = {resize, &f};
        serve(&a, text, n);
        failed = f.left < 0;
        if (!CHECK(f.live == 0))
            printf("%s: %ld blocks are left when request %ld fails\n", path, f.live, k);
    }
    return k;
}

/* ---- a text that there is no memory to check ---- */

static bool look(void *user, const char *bytes, size_t n)
{
    bool *told = user;
    char text[1024];
    const size_t kept = n < sizeof text ? n : sizeof text - 1;
    memcpy(text, bytes, kept);
    text[kept] = '\0';
    *told = *told || strstr(text, "publishDiagnostics") || strstr(text, "\"error\":{\"code\"");
    return true;
}

/* The editor hears of each text that is sent, or the server ends. */
static void test_publishing(void)
{
    static const char first[] = "{\"id\":0,\"method\":\"initialize\"}";
    static const char opened[] =
        "{\"method\":\"textDocument/didOpen\",\"params\":{\"textDocument\":{\"uri\":\"file:///"
        "a.ir\","
        "\"languageId\":\"mind\",\"version\":1,\"text\":\"%0 = Iput () : tensor<f32>[3]\\noutputs: "
        "%0\\n\"}}}";
    long k = 0;
    for (bool failed = true; failed; k++) {
        failing f = {.left = 1000000};
        const tn_allocator a = {resize, &f};
        bool told = false;
        const tn_writer out = {look, &told};
        lsp_server *s = lsp_new(&a, &out, NULL);
        char *message = calloc(1, sizeof opened);
        CHECK(message && s && lsp_take(s, first, sizeof first - 1));
        f.left = k;
        const bool more = lsp_take(s, memcpy(message, opened, sizeof opened), sizeof opened - 1);
        failed = f.left < 0;
        if (!CHECK(told || !more))
            printf("nothing is said when request %ld fails\n", k);
        lsp_free(s);
        free(message);
        CHECK(f.live == 0);
    }
    CHECK(k > 10);
}

int main(void)
{
    static const char folder[] = TEST_FOLDER "/fuzz/corpus/lsp";
    DIR *all = opendir(folder);
    long n = 0;
    CHECK(all != NULL);
    for (const struct dirent *e; all && (e = readdir(all)) != NULL;) {
        char path[4096];
        if (e->d_name[0] == '.')
            continue;
        (void)snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        n += try_session(path);
    }
    if (all)
        (void)closedir(all);
    CHECK(n > 500);
    test_publishing();
    return check_result();
}
