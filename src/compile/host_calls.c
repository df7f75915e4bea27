/* The table of host calls. */
#include "compile/host_calls.h"

exe_host *const host_calls[CALL_COUNT] = {[CALL_REFERENCE] = host_reference,
                                          [CALL_SEED] = host_seed,
                                          [CALL_JUDGE] = host_judge,
                                          [CALL_COMPARE] = host_compare};
