/* Any lines as a command line, an argument a line, in a folder with a few small programs. A byte
 * below 32 stands for an argument of a list, so that long options need not be guessed. Nothing
 * outside of the folder is named. */
#define _XOPEN_SOURCE 700 /* nftw */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/session/cli.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

enum { MOST_ARGUMENTS = 14, MOST_LENGTH = 200 };

/* Commands that only work on files and end by themselves. */
static const char *const commands[] = {"check",  "fmt",    "opt",    "convert", "explain", "run",
                                       "grad",   "equiv",  "info",   "fix",     "compile", "ops",
                                       "passes", "report", "verify", "help"};
static const char *const words[] = {"a.ir",
                                    "b.ptir",
                                    "c.tiny.json",
                                    "x.npy",
                                    "--input",
                                    "x=x.npy",
                                    "x=[[1, 2, 3], [4, 5, 6]]",
                                    "--random",
                                    "1",
                                    "--output",
                                    "out",
                                    "-o",
                                    "out.ir",
                                    "--to",
                                    "ptir-text",
                                    "--from",
                                    "mind",
                                    "--dim",
                                    "n=2",
                                    "--print",
                                    "-O1",
                                    "--json",
                                    "--engine",
                                    "ref",
                                    "--threads",
                                    "--timeout",
                                    "--passes",
                                    "--style",
                                    "--wrt",
                                    "--dump",
                                    "all"};

static const struct {
    const char *name, *text;
} files[] = {
    {"a.ir", "%0 = Input () {name=\"x\"} : tensor<f32>[2, 3]\n%1 = Relu (%0) : tensor<f32>[2, 3]\n"
             "%2 = Sum (%1) {axes=[0, 1], keepdims=false} : tensor<f32>[]\noutputs: %2\n"},
    {"b.ptir", "func @main(%x: tensor<f32, ?nx3>) -> tensor<f32, ?nx3> {\n  %y = exp(%x) -> "
               "tensor<f32, ?nx3>\n"
               "  return %y\n}\n"},
    {"c.tiny.json",
     "{\"uops\": [{\"id\": \"a\", \"uop\": \"INPUT\", \"arg\": {\"tensor_id\": \"x\", \"dtype\": "
     "\"fp32\", \"shape\": [2, 3]}}, {\"id\": \"b\", \"uop\": \"RELU\", \"src\": [\"a\"]}]}\n"},
};

static void need(bool ok)
{
    if (!ok)
        abort();
}

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *at)
{
    (void)s;
    (void)kind;
    return at->level > 0 ? remove(path) : 0;
}

static void write_file(const char *name, const void *bytes, size_t n)
{
    FILE *f = fopen(name, "wb");
    need(f && fwrite(bytes, 1, n, f) == n && fclose(f) == 0);
}

/* The folder as it was in the beginning. */
static void renew(void)
{
    static const char head[] =
        "\x93NUMPY\x01\0v\0{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
    char npy[128 + 24];
    need(nftw(".", remove_one, 8, FTW_DEPTH | FTW_PHYS) == 0);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        write_file(files[i].name, files[i].text, strlen(files[i].text));
    memset(npy, 0, sizeof npy);
    memset(npy, ' ', 128);
    memcpy(npy, head, sizeof head - 1);
    npy[127] = '\n';
    write_file("x.npy", npy, sizeof npy);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    char folder[] = "/tmp/tenon-fuzz-XXXXXX";
    (void)argc;
    (void)argv;
    need(mkdtemp(folder) && setenv("TENON_CACHE_BYTES", "0", 1) == 0);
    need(freopen("/dev/null", "r", stdin) != NULL);
    /* The fuzzer's own files are named from where it began, so each run goes there and back. */
    need(setenv("TENON_FUZZ_FOLDER", folder, 1) == 0);
    return 0;
}

/* Nothing that names what is not in the folder, or never ends. */
static bool is_harmless(const char *word)
{
    return !strchr(word, '/') && !strstr(word, "..") && strcmp(word, "-") != 0 &&
           !strstr(word, "=-");
}

/* The arguments in DATA, behind a command; how many. */
static int split(const uint8_t *data, size_t size, char text[static MOST_ARGUMENTS][MOST_LENGTH])
{
    int n = 0;
    for (size_t at = 1; at < size && n < MOST_ARGUMENTS;) {
        const char *own = data[at] < 32 && data[at] != '\n'
                              ? words[data[at] % (sizeof words / sizeof *words)]
                              : NULL;
        size_t end = at;
        while (end < size && data[end] != '\n' && (own ? end == at : data[end] >= 32))
            end++;
        const size_t length = end - at < MOST_LENGTH - 1 ? end - at : MOST_LENGTH - 1;
        (void)snprintf(text[n], MOST_LENGTH, "%.*s", (int)length,
                       own ? own : (const char *)data + at);
        if (own)
            (void)snprintf(text[n], MOST_LENGTH, "%s", own);
        n += *text[n] != '\0' && is_harmless(text[n]);
        at = end + (end < size && data[end] == '\n') + (end == at && !own);
    }
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const limits[] = {
        "--limit", "run_bytes=1000000",   "--limit", "memory_bytes=50000000", "--timeout", "5",
        "--limit", "output_bytes=1000000"};
    char text[MOST_ARGUMENTS][MOST_LENGTH];
    char *argv[MOST_ARGUMENTS + 10] = {(char *)(uintptr_t) "tenon"};
    int argc = 1, n = size ? split(data, size, text) : 0;
    char before[1024];
    if (!size)
        return 0;
    need(getcwd(before, sizeof before) && chdir(getenv("TENON_FUZZ_FOLDER")) == 0);
    renew();
    argv[argc++] = (char *)(uintptr_t)commands[data[0] % (sizeof commands / sizeof *commands)];
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        argv[argc++] = (char *)(uintptr_t)limits[i];
    for (int i = 0; i < n; i++)
        argv[argc++] = text[i];
    const int status = cli_main(argc, argv);
    need(status >= 0 && status <= 3);
    need(chdir(before) == 0);
    return 0;
}
