/* Every program of the case files is run, optimised and written while memory runs out. */
#include "memory_fixture.h"

static void go_whole_way(const tn_module *m)
{
    compile_and_run(m);
    optimize(m);
}

int main(void)
{
    enum { MOST = 6 }; /* requests that fail in turn, for each program */
    CHECK(try_folder(TEST_FOLDER, go_whole_way, MOST) > 500);
    return check_result();
}
