/* What the compiler made of a program, for people and for tools. */
#ifndef COMPILE_EXPLAIN_EXPLAIN_H
#define COMPILE_EXPLAIN_EXPLAIN_H

#include "base/text/text.h"
#include "compile/compiled.h"
#include "compile/explain/limits.h"
#include "compile/pipeline.h"

/* The plan of P, whose sizes must be known: TN_ERR_USAGE, reported, otherwise. Release MADE only
 * after TN_OK. */
tn_status program_plan(const tn_program *p, pipeline *made);

/* The same as program_explain, of what program_plan MADE of P. MEASURED are the limits of this
 * machine; NULL: not known. */
tn_status program_explain_plan(const tn_program *p, pipeline *made, const machine_limits *measured,
                               bool json, text_buffer *out);

/* Append the kernels of P: what each computes, reads and writes, how, what it moves and what that
 * must take on this machine at least, and why its operands are not computed in it. As text, or as
 * one JSON object. All sizes of P must be known: TN_ERR_USAGE, reported, otherwise. */
tn_status program_explain(const tn_program *p, bool json, text_buffer *out);

#endif
