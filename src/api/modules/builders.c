/* The public builder: it builds modules of PTIR, whose names its diagnostics use. */
#include "dialect/ptir/codes.h"
#include "forms/building.h"

tn_builder *tn_builder_new(tn_context *cx)
{
    tn_builder *b = builder_new(cx);
    if (!b)
        return NULL;
    b->m->dialect = "ptir";
    b->m->source.code_of = ptir_code_of;
    b->m->source.restate = ptir_restate;
    b->m->source.says_operands = true;
    return b;
}
