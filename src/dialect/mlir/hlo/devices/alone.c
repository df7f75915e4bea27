/* What devices do together, where there is one; and what several were given in parallel.c. */
#include "base/text/text.h"
#include "dialect/mlir/hlo/devices/devices.h"
#include "dialect/mlir/hlo/lower.h"

tn_value shlo_zeros(shlo_call *c, tn_value x)
{
    const type *t = shlo_type_of(c, x);
    if (!t)
        return x;
    const tn_value zero = tn_cast(c->b, tn_scalar_int(c->b, TN_SI64, 0), t->dtype);
    return tn_broadcast(c->b, zero, shlo_dims(t));
}

/* The results that were made together with those of other processes. */
static bool take_given(shlo_call *c)
{
    const shlo_value *given = c->r->given;
    c->r->given = NULL;
    for (uint32_t k = 0; k < c->op->n_out; k++)
        (void)shlo_give_value(c, k, &given[k]);
    return true;
}

/* Is the program one of several devices, of which there is one? */
static bool lacks_devices(shlo_call *c)
{
    const uint32_t n = c->r->all.n_replicas * c->r->all.n_partitions;
    if (n <= 1 || c->r->n_ranks > 1)
        return false;
    (void)shlo_refuse(c, DIAG_NotImplemented, "its program is for %u device%s, and this is one",
                      (unsigned)n, plural(n));
    shlo_advise(c->r, "run it with as many processes (mpirun -np N)");
    return true;
}

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
    (void)shlo_refuse(c, DIAG_NotImplemented,
                      "its groups have several devices; programs of one are read");
    shlo_advise(c->r, "run it with as many processes (mpirun -np N)");
    return false;
}

/* The operands, in the types that the text gives the results. */
static bool unchanged(shlo_call *c)
{
    bool ok = true;
    if (c->op->n_in != c->op->n_out + shlo_flag(c, "has_dynamic_root", false))
        return shlo_refuse(c, DIAG_ArityMismatch, "it has as many results as operands");
    for (uint32_t k = 0; k < c->op->n_out; k++)
        ok = shlo_give(c, k, shlo_convert(c, shlo_in(c, k), shlo_out_type(c, k)->dtype)) && ok;
    return ok;
}

bool shlo_lower_collective(shlo_call *c)
{
    if (c->r->given)
        return take_given(c);
    if (c->r->n_ranks > 1)
        return shlo_exchange_ranks(c);
    return !lacks_devices(c) && alone(c) && unchanged(c);
}

/* What device 0 sends itself; zeros if it sends itself nothing. */
bool shlo_lower_collective_permute(shlo_call *c)
{
    int64_t pairs[2];
    uint32_t n;
    if (c->r->given)
        return take_given(c);
    if (c->r->n_ranks > 1)
        return shlo_exchange_ranks(c);
    if (lacks_devices(c))
        return false;
    if (!shlo_ints(c, "source_target_pairs", 2, pairs, &n))
        return false;
    if (n == 2 && pairs[0] == 0 && pairs[1] == 0)
        return unchanged(c);
    if (n)
        return shlo_refuse(c, DIAG_NotImplemented,
                           "its pairs name several devices; programs of "
                           "one are read");
    return shlo_give(c, 0, shlo_zeros(c, shlo_in(c, 0)));
}

/* The number of the process; 0, where it is the only one. ARG: that of the partition. */
bool shlo_lower_device_id(shlo_call *c)
{
    const shlo_process *p = c->r->process;
    if (!p && c->r->n_ranks > 1)
        return shlo_give(c, 0, shlo_rank_id(c, c->arg));
    if (!p && lacks_devices(c))
        return false;
    const uint32_t id = !p ? 0 : c->arg ? p->partition : p->replica;
    return shlo_give(c, 0, tn_scalar_int(c->b, TN_UI32, id));
}

/* To and from a host or another process. */
bool shlo_lower_transfer(shlo_call *c)
{
    return c->r->given ? take_given(c)
                       : shlo_refuse(c, DIAG_NotImplemented,
                                     "there is no host and no other device to exchange data with");
}
