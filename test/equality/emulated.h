/* The table of programs that emulated_main.c runs. */
#ifndef TEST_EMULATED_H
#define TEST_EMULATED_H

#include <stddef.h>

typedef struct emulated {
    const char *name;
    int (*run)(const void *const *inputs, void *const *outputs, void *workspace);
    size_t n_in, n_out, workspace;
    const size_t *bytes; /* of the inputs, then the outputs */
} emulated;

extern const emulated emulated_programs[]; /* the last has no `run` */

#endif
