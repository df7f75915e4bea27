/* What devices do together, where there is one. */
#include "dialect/mlir/hlo/lower.h"

/* Is no group larger than one device? Groups are rows of a table; their number is its first axis.
 */
static bool alone(shlo_call *c)
{
    int64_t members[2];
    uint32_t n;
    const mir_attr *groups = shlo_attr(c, "replica_groups");
    if (!groups)
        return true;
    if (groups->kind == MIR_DENSE && groups->type && groups->type->rank == 2 &&
        (groups->type->dims[0] == 0 || groups->type->dims[1] <= 1))
        return true;
    if (groups->kind == MIR_LIST && shlo_ints_of(c, "replica_groups", groups, 2, members, &n) &&
        n <= 1)
        return true;
    return shlo_refuse(c, DIAG_NotImplemented,
                       "its groups have several devices; programs of one "
                       "are read");
}

/* The operands, in the types that the text gives the results. */
static bool unchanged(shlo_call *c)
{
    bool ok = true;
    if (c->op->n_in != c->op->n_out)
        return shlo_refuse(c, DIAG_ArityMismatch, "it has as many results as operands");
    for (uint32_t k = 0; k < c->op->n_out; k++)
        ok = shlo_give(c, k, shlo_convert(c, shlo_in(c, k), shlo_out_type(c, k)->dtype)) && ok;
    return ok;
}

bool shlo_lower_collective(shlo_call *c)
{
    return alone(c) && unchanged(c);
}

/* What device 0 sends itself; zeros if it sends itself nothing. */
bool shlo_lower_collective_permute(shlo_call *c)
{
    int64_t pairs[2];
    uint32_t n;
    const type *t = shlo_in_type(c, 0);
    if (!t || !shlo_ints(c, "source_target_pairs", 2, pairs, &n))
        return false;
    if (n == 2 && pairs[0] == 0 && pairs[1] == 0)
        return unchanged(c);
    if (n)
        return shlo_refuse(c, DIAG_NotImplemented,
                           "its pairs name several devices; programs of "
                           "one are read");
    const tn_value zero = tn_cast(c->b, tn_scalar_int(c->b, TN_SI64, 0), t->dtype);
    return shlo_give(c, 0, tn_broadcast(c->b, zero, shlo_dims(t)));
}

/* The number of the one device. */
bool shlo_lower_device_id(shlo_call *c)
{
    return shlo_give(c, 0, tn_scalar_int(c->b, TN_UI32, 0));
}
