/* The C compilers of the system, for tests of what is printed as C. */
#ifndef TEST_COMPILERS_H
#define TEST_COMPILERS_H

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text/text.h"
#include "check.h"

#define COMPILER_WARNINGS                                                                          \
    "-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wmissing-prototypes "       \
    "-Wvla -Wundef -Wcast-align -Werror"

static const char *const compiler_names[] = {"gcc", "clang"};
enum { COMPILERS = 2 };

/* A folder for one test's files, ending in 6 letters that are filled in. */
#define COMPILER_FOLDER "/tmp/tenon-test-XXXXXX"

static inline bool run_shell(const char *text)
{
    return system(text) == 0; /* NOLINT(cert-env33-c): fixed texts of the tests */
}

static inline bool has_compiler(const char *name)
{
    char line[64];
    (void)snprintf(line, sizeof line, "command -v %s >/dev/null", name);
    return run_shell(line);
}

static inline bool write_text(const char *path, const text_buffer *text)
{
    FILE *f = fopen(path, "wb");
    const bool written = f && fwrite(text->at, 1, text->n, f) == text->n;
    return f && fclose(f) == 0 && written;
}

/* TEXT as a loaded shared object; NULL, and a failed check, when it does not compile without
 * warnings. The text stays in FOLDER then. */
static inline void *compile_and_load(const char *folder, const char *compiler, const char *flags,
                                     const text_buffer *text)
{
    char file[256], object[256], line[1024];
    (void)snprintf(file, sizeof file, "%s/program.c", folder);
    (void)snprintf(object, sizeof object, "%s/program.so", folder);
    (void)snprintf(line, sizeof line, "%s %s " COMPILER_WARNINGS " -fPIC -shared %s -o %s -lm",
                   compiler, flags, file, object);
    void *handle = NULL;
    if (CHECK(!text->failed && write_text(file, text)) && CHECK(run_shell(line)))
        handle = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    if (CHECK(handle != NULL))
        (void)remove(file);
    else
        printf("    %s\n", line);
    (void)remove(object);
    return handle;
}

#endif
