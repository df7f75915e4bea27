/* Runs the network of net.ir on the samples of standard input and prints one line for each: f32
 * numbers as they lie in memory in, the bits of the probabilities out. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "net.h"

enum { SAMPLES = 8, FEATURES = 4, CLASSES = 3 };

int main(void)
{
    static _Alignas(64) char workspace[NET_WORKSPACE_BYTES + 1];
    float x[SAMPLES][FEATURES], p[SAMPLES][CLASSES];
    const void *const inputs[NET_INPUTS] = {x};
    void *const outputs[NET_OUTPUTS] = {p};
    uint32_t bits[CLASSES];

    if (fread(x, sizeof x, 1, stdin) != 1) {
        (void)fprintf(stderr, "%zu bytes are needed\n", sizeof x);
        return 1;
    }
    if (net_run(inputs, outputs, workspace) != 0)
        return 1;
    for (int i = 0; i < SAMPLES; i++) {
        memcpy(bits, p[i], sizeof bits);
        for (int k = 0; k < CLASSES; k++)
            (void)printf("%s%08" PRIx32, k ? " " : "", bits[k]);
        (void)printf("\n");
    }
    return 0;
}
