/* Pictures of programs: what the compiler made of them, to be looked at. */
#ifndef TENON_REPORT_H
#define TENON_REPORT_H

#include "tenon/tenon.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Write the graph of P as an SVG document, as it is before kernels are made: each operation with
 * the type of its result, coloured by the kernel it is computed in, with constants written where
 * they are used; functions of more than 400 nodes as kernels. Equal programs give equal documents.
 * Names of the program are in it as texts only. All sizes of P must have values.
 *
 * title    NULL: the name of the program's file
 * returns  TN_ERR_REJECTED     a symbolic size has no value (UnboundSymbol)
 *          TN_ERR_UNAVAILABLE  it has more than 65536 boxes
 *          TN_ERR_IO           the writer failed
 *          TN_ERR_NOMEM
 * threads  as tn_program_emit */
TN_API tn_status tn_program_picture(const tn_program *p, const char *title,
                                    const tn_writer *writer);

#ifdef __cplusplus
}
#endif

#endif
