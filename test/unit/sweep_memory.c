/* Whatever can be done with a program, while one of its requests for memory fails; a number as
 * argument says how many of them fail in turn, for each program and way. */
#include "memory_fixture.h"

int main(int argc, char **argv)
{
    static way *const ways[] = {compile_and_run, optimize, differentiate, convert, emit, describe};
    enum { MOST = TEST_IS_SANITIZED ? 2 : 8 }; /* sanitizers take ten times as long */
    const unsigned most = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : MOST;
    for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++) {
        CHECK(try_folder(TEST_FOLDER, ways[k], most) > 500);
        printf("way %zu: %lu checks\n", k, check_done);
        (void)fflush(stdout);
    }
    return check_result();
}
