/* Diagnostics of work that may be for nothing: held until it is known whether it was. */
#ifndef BASE_CONTEXT_DIAG_HOLD_H
#define BASE_CONTEXT_DIAG_HOLD_H

#include "base/context/diag.h"

typedef struct diag_held {
    diag_channel *channel;
    tn_diagnostic_sink sink; /* that the channel had before */
    uint32_t n_errors;
    arena text;
    VECTOR(tn_diagnostic) list;
} diag_held;

/* Keep in H, which stays where it is, what D is told from now on. */
void diag_hold(diag_held *h, diag_channel *d);
/* D reports to its own sink again. */
void diag_unhold(diag_held *h);
/* After that: SHOWN, what H holds is reported, else it was never said. Frees H. */
void diag_held_end(diag_held *h, bool shown);

#endif
