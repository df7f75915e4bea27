/* What every reference kernel is given, and how it reports. */
#ifndef EVAL_PARTS_EVAL_CALL_H
#define EVAL_PARTS_EVAL_CALL_H

#include "base/system/clock.h"
#include "graph/module.h"
#include "ops/law.h"

/* A dense row-major tensor; `data` holds type->count elements of storage size. */
typedef struct tensor {
    const type *type;
    void *data;
} tensor;

struct custom_registry;
struct stream_values;

/* The last random generator that ran: which function of its module, which node, and how many
 * generators stand before that. */
typedef struct generator_cursor {
    const function *of;
    uint32_t function, node, stream;
} generator_cursor;

/* What every kernel of one run can see. */
typedef struct eval_run {
    context *cx;
    uint64_t seed;        /* of the random generators */
    uint64_t bytes_alive; /* tensors held now */
    uint64_t bytes_peak;
    uint64_t bytes_limit; /* UINT64_MAX: none */
    bool quiet;           /* failures give only their status */
    bool discards;        /* they may leave anything in outputs that were given */
    bool holds_all;       /* every value is held: no streams, which tests compare with this */
    uint32_t depth;       /* of regions inside regions, so far */
    uint64_t iterations, most_iterations; /* regions that ran; how many may, 0: any number */
    uint64_t turns, most_turns;           /* the same of the loops of while */
    const struct custom_registry *custom; /* kernels for custom_call; NULL: none */
    int64_t deadline;                     /* in ns of clock_now; 0: none */
    uint64_t time_limit;                  /* ns that the deadline stands for, for messages */
    bool (*cancel)(void *user);           /* is the run to end? NULL: it is not */
    void *cancel_user;
    void (*written)(void *user, size_t output); /* tn_run_options; NULL: no one is told */
    void *written_user;
    uint64_t work; /* elements since the clock was last looked at */
    generator_cursor generator;
} eval_run;

typedef struct eval_call eval_call;
/* A reference kernel: computes the results of one node. */
typedef tn_status eval_fn(eval_call *call);

/* One node being evaluated. `out` tensors have their types and their memory. */
struct eval_call {
    eval_run *run;
    const function *function;
    const node *node;
    const attrs *attrs;
    const tensor *in;
    uint32_t n_in;
    tensor *out;
    uint32_t n_out;
    arena *scratch; /* emptied after each node */
    /* Where the elements of operands without data come from; only reductions meet such. */
    const struct stream_values *values;
};

/* Stop the run because of this node. */
tn_status eval_report(const eval_call *call, diag_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
tn_status eval_no_memory(const eval_call *call);
/* The same as eval_report, about the operation OP of a caller's own. */
tn_status eval_report_on(const eval_call *call, const char *op, diag_kind kind, const char *format,
                         ...) __attribute__((format(printf, 4, 5)));
/* Timeout when the deadline of the run has passed, Cancelled when it is to end. */
tn_status eval_on_time(const eval_call *call);
/* The same inside of long loops: checks the clock only when enough WORK (elements made or read) has
 * accumulated. */
enum { EVAL_TICK = 1 << 18 };
static inline tn_status eval_tick(const eval_call *call, uint64_t work)
{
    call->run->work += work;
    if (call->run->work < EVAL_TICK)
        return TN_OK;
    call->run->work = 0;
    return eval_on_time(call);
}
/* `[2, 3]`, cut off at SIZE. */
void eval_shape_text(const type *t, char *text, size_t size);

#endif
