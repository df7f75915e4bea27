/* Holding back the signals that end a program while there is something to be tidied up. */
#ifndef BASE_SYSTEM_SIGNALS_H
#define BASE_SYSTEM_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* What one thread holds back. Nothing global changes: where other threads let these signals
 * through, they still end the program. */
typedef struct signal_hold {
    sigset_t before; /* what the thread blocked already */
    sigset_t asked;  /* the signals that ask the program to end */
    bool on;
} signal_hold;

/* Hold back interrupts, hang-ups and requests to end or quit, as far as they are not ignored, and
 * the signal that a file became too large, which a failing write tells as well. */
void signals_hold(signal_hold *h);
/* Has one come that asks the program to end? */
bool signals_waiting(const signal_hold *h);
/* Let them through: what has come takes effect now. Does nothing when they are not held. */
void signals_let_through(signal_hold *h);

/* Block every signal on this thread, and so on the threads that it starts, but for those that tell
 * of a fault of the thread itself, which would end the process without its handlers: others are
 * for the threads of the caller. False when that cannot be. */
bool signals_block(sigset_t *before);

#endif
