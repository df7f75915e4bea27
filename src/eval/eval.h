/* The reference evaluator: dense tensors in, dense tensors out, by the law of bits
 * (docs/numerics.md). Plain code that shares nothing with planning and code generation but the
 * scalar math expansions, so that it can judge them. */
#ifndef EVAL_EVAL_H
#define EVAL_EVAL_H

#include "eval/parts/eval_call.h"

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
/* The same of what may take long: false, too, when the context is to stop (context_is_stopped). */
bool evaluate_node_in_time(const function *f, const node *n, const tensor *in, uint64_t iterations,
                           tensor *out, arena *memory);
/* One element of the result of N, which is elementwise, for one element of each operand: IN and OUT
 * are scalars. */
bool evaluate_element(const function *f, const node *n, const tensor *in, tensor *out,
                      arena *memory);

#endif
