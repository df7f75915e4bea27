/* What the compiler made of a program, for people and for tools. */
#ifndef COMPILE_EXPLAIN_EXPLAIN_H
#define COMPILE_EXPLAIN_EXPLAIN_H

#include "base/text/text.h"
#include "compile/compiled.h"
#include "compile/explain/limits.h"
#include "compile/pipeline.h"

/* The plan of P, whose sizes must be known: TN_ERR_USAGE, reported, otherwise. It is what P kept,
 * or else made now. After TN_OK give it back; several threads may have that of one program. */
tn_status program_plan(const tn_program *p, const pipeline **made);
void program_plan_give_back(const tn_program *p, const pipeline *made);
/* What runs of P go through, where that is known; NULL: the evaluator, or it was not made. */
const executable *program_executable(const tn_program *p);

/* The same as program_explain, of what program_plan MADE of P. MEASURED are the limits of this
 * machine; NULL: not known. */
tn_status program_explain_plan(const tn_program *p, const pipeline *made,
                               const machine_limits *measured, bool json, text_buffer *out);

/* Append the kernels of P: what each computes, reads and writes, how, what it moves and what that
 * must take on this machine at least, and why its operands are not computed in it. As text, or as
 * one JSON object. All sizes of P must be known: TN_ERR_USAGE, reported, otherwise. */
tn_status program_explain(const tn_program *p, bool json, text_buffer *out);

#endif
