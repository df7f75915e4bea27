/* exe_verify accepts what exe_finish makes and names what it would not make. */
#include "program/executable.h"

#include "check.h"

enum { BYTES = 256 };

/* Two steps by way of a temporary, and a third that reads both of its kind. */
static executable *make(void)
{
    executable *x = exe_new(&memory_system);
    const uint32_t block = exe_block_add(x, 1, 1);
    const exe_buffer in = exe_input(x, block, 0, BYTES), out = exe_output(x, block, 0, BYTES);
    const exe_buffer a = exe_temp(x, block, BYTES), b = exe_temp(x, block, BYTES);
    const exe_buffer first[] = {in, a}, second[] = {in, b}, third[] = {a, b, out};
    const exe_buffer *const all[] = {first, second, third};
    for (uint32_t i = 0; i < 3; i++) {
        const exe_step s = {.kind = EXE_KERNEL,
                            .buffers = all[i],
                            .n_read = i == 2 ? 2 : 1,
                            .n_written = 1,
                            .extent = 1,
                            .scratch = 64};
        exe_step_add(x, block, &s);
    }
    CHECK(exe_finish(x) == TN_OK);
    return x;
}

#define BROKEN(change)                                                                             \
    do {                                                                                           \
        executable *x = make();                                                                    \
        exe_block_info *b = &x->blocks.at[0];                                                      \
        CHECK(exe_verify(x) == NULL);                                                              \
        change;                                                                                    \
        CHECK(exe_verify(x) != NULL);                                                              \
        exe_free(x);                                                                               \
    } while (0)

int main(void)
{
    enum { IN, OUT, A, B };
    BROKEN(b->buffers.at[B].offset = b->buffers.at[A].offset);
    BROKEN(b->buffers.at[B].offset = x->memory);
    BROKEN(b->buffers.at[IN].index = 1);
    BROKEN(b->buffers.at[A].space = MEMORY_SPACES);
    BROKEN(b->buffers.at[A].kind = IS_VIEW; b->buffers.at[A].index = A);
    BROKEN(b->buffers.at[A].kind = b->buffers.at[B].kind = IS_VIEW; b->buffers.at[A].index = B;
           b->buffers.at[B].index = A);
    BROKEN(((exe_buffer *)(uintptr_t)b->steps.at[1].as.buffers)[1] = b->buffers.n);
    BROKEN(b->steps.at[2].as.scratch = x->scratch + 1);
    BROKEN(b->steps.at[0].as.kind = EXE_SCAN);
    return check_result();
}
