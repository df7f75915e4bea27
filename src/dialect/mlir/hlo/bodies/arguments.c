/* Whether the arguments of a region on single numbers are of types that its operation gives it. */
#include "base/text/text.h"
#include "dialect/mlir/hlo/bodies/bodies.h"

/* Is TO as wide as FROM or wider, and of the same kind? */
static bool is_promotable(tn_dtype from, tn_dtype to)
{
    const bool is_like = dtype_is_float(from)     ? dtype_is_float(to)
                         : dtype_is_complex(from) ? dtype_is_complex(to)
                         : from == TN_I1          ? to == TN_I1
                                                  : dtype_is_int(to) && to != TN_I1;
    return from == to || (is_like && dtype_table[from].bits <= dtype_table[to].bits);
}

static bool takes(shlo_call *c, const mir_region *region, uint32_t k, const type *t, bool exactly)
{
    if (!t)
        return false;
    const mir_type *own = region->args[k].type;
    const bool suits = own->kind == MIR_TENSOR && own->rank == 0 &&
                       (exactly ? own->dtype == t->dtype : is_promotable(t->dtype, own->dtype));
    return suits || shlo_refuse(c, DIAG_RegionSignature,
                                exactly ? "argument %u of its region is not one %s"
                                        : "argument %u of its region is not one number like %s",
                                (unsigned)k, dtype_name(t->dtype));
}

bool shlo_takes_each(shlo_call *c, const mir_region *region, uint32_t first, uint32_t n,
                     uint32_t times)
{
    bool ok = region->n_args == n * times ||
              shlo_refuse(c, DIAG_RegionSignature, "its region has %u argument%s for each input",
                          (unsigned)times, plural(times));
    for (uint32_t i = 0; ok && i < n * times; i++)
        ok = takes(c, region, i, shlo_in_type(c, first + i / times), true);
    return ok;
}

bool shlo_takes_pairs(shlo_call *c, const mir_region *region, uint32_t own, uint32_t other,
                      uint32_t n)
{
    bool ok = region->n_args == 2 * n ||
              shlo_refuse(c, DIAG_RegionSignature, "its region has two arguments for each input");
    for (uint32_t k = 0; ok && k < n; k++)
        ok = takes(c, region, k, shlo_in_type(c, own + k), false) &&
             takes(c, region, n + k, shlo_in_type(c, other + k), false);
    return ok;
}

bool shlo_gives_own(shlo_call *c, const mir_region *region, uint32_t n)
{
    bool ok = true;
    for (uint32_t k = 0; ok && k < n; k++) {
        const mir_type *to = shlo_out_type(c, k), *own = region->args[k].type;
        ok = (to->kind == MIR_TENSOR && to->dtype == own->dtype) ||
             shlo_refuse(c, DIAG_TypeMismatch, "result %u is %.*s, and its region computes %s",
                         (unsigned)k, MIR_TEXT(to->text), dtype_name(own->dtype));
    }
    return ok;
}

bool shlo_takes_reducer(shlo_call *c, uint32_t n)
{
    const mir_region *region = &c->op->regions[0];
    if (c->op->n_in != 2 * n || c->op->n_out != n)
        return shlo_refuse(c, DIAG_ArityMismatch,
                           "it has as many initial values and results as inputs");
    return shlo_takes_pairs(c, region, n, 0, n) && shlo_gives_own(c, region, n);
}
