/* The reference evaluator: dense tensors in, dense tensors out, by the law of bits
 * (docs/numerics.md). Plain code that shares nothing with planning and code generation but the
 * scalar math expansions, so that it can judge them. */
#ifndef EVAL_EVAL_H
#define EVAL_EVAL_H

#include "base/clock.h"
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
    bool holds_all;       /* every value is held: no streams, which tests compare with this */
    uint32_t depth;       /* of regions inside regions, so far */
    uint64_t iterations, most_iterations; /* regions that ran; how many may, 0: any number */
    const struct custom_registry *custom; /* kernels for custom_call; NULL: none */
    int64_t deadline;                     /* in ns of clock_now; 0: none */
    uint64_t time_limit;                  /* ns that the deadline stands for, for messages */
    bool (*cancel)(void *user);           /* is the run to end? NULL: it is not */
    void *cancel_user;
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

/* Evaluate F on INPUTS (one per f->inputs, borrowed, with exactly the declared types, all static)
 * into OUTPUTS (one per f->outputs): `type` is set and `data` allocated from the allocator of
 * run->cx when NULL (type_bytes of the type, which is what to free; never NULL, even of 0 bytes),
 * else the caller's memory is filled. On failure nothing stays allocated, and caller's memory holds
 * anything. Nodes that no output needs are not evaluated, so they cannot fail either. Data is
 * aligned for its dtype. Only run->cx is used for memory and reports: runs of one function in
 * several threads need one context each. */
tn_status evaluate(eval_run *run, const function *f, const tensor *inputs, tensor *outputs);

/* The same for the N values WANTED of F, each once and none of them an input, in place of its
 * outputs. */
tn_status evaluate_values(eval_run *run, const function *f, const value_id *wanted, uint32_t n,
                          const tensor *inputs, tensor *values);

/* Evaluate one node on given operand values (for folding). The n_results tensors of OUT get their
 * types and fresh memory in MEMORY. Never reports; false when the node cannot be evaluated, would
 * fail, runs regions more than ITERATIONS times, or there is no memory. */
bool evaluate_node_quietly(const function *f, const node *n, const tensor *in, uint64_t iterations,
                           tensor *out, arena *memory);

#endif
