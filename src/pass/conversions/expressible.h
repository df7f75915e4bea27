/* What a dialect can express of a program as it stands, for legalisation and checks. */
#ifndef PASS_CONVERSIONS_EXPRESSIBLE_H
#define PASS_CONVERSIONS_EXPRESSIBLE_H

#include "dialect/dialect.h"

/* Was M read from a form of the dialect TO? */
bool expressible_same_family(const module *m, const dialect *to);
/* Can the extents of N's results be written? Other operations make results of the same extents. */
bool expressible_extents(const dialect *to, const function *f, const node *n);
/* Does N broadcast operands implicitly, which TO does not do? */
bool expressible_needs_broadcast(const dialect *to, const function *f, const node *n);
/* Can N be written as it stands? If not, WHY says what is in the way. */
bool expressible_node(const dialect *to, const function *f, const node *n,
                      char why[OBJECTION_SIZE]);

/* What the program says at a place, before it was rewritten. */
typedef struct origin {
    span at;
    op_id op;
} origin;

typedef struct origins {
    arena memory;
    const origin *at;
    uint32_t n;
    bool is_exact; /* what a relaxed expansion could write is refused */
} origins;
/* Each place of the text that M has, in O, whose `memory` is set up. */
tn_status expressible_note_origins(const module *m, origins *o);

/* Report that M has more functions than programs of TO. */
tn_status expressible_report_module(const module *m, const dialect *to);
/* Report every node that TO cannot express, but one node for each instruction of the text. O: the
 * program before it was rewritten, or NULL where it was not. */
tn_status expressible_report_nodes(const module *m, const dialect *to, const origins *o);

/* Is every node of M expressible in TO as it stands? Reports each that is not, changing nothing. */
tn_status check_legal(const module *m, const dialect *to);

#endif
