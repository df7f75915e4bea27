/* The sums of contractions, from their chains to results. */
#include "eval/parts/sums.h"

#include "eval/parts/scratch.h"

bool sums_init(sums *s, const eval_call *call, size_t rows, size_t n)
{
    const tn_dtype in = call->in[0].type->dtype;
    s->sum = (tn_dtype)attr_int(call->attrs, KEY_ACCUM_DTYPE, accumulator_of(in));
    s->form = dtype_compute(s->sum);
    s->result = call->out->type->dtype;
    s->rounded = NULL;
    s->tile = scratch_array(call, n, rows * dtype_bytes(s->form));
    if (s->sum != s->form)
        s->rounded = scratch_array(call, n, rows * dtype_bytes(s->form));
    return s->tile && (s->rounded || s->sum == s->form);
}

void sums_deliver(const sums *s, char *out, size_t n)
{
    char *from = s->tile;
    if (dtype_table[s->sum].bits < 8)
        dtype_narrow(s->sum, from, from, n); /* 4-bit integers wrap */
    if (s->rounded) {
        dtype_narrow(s->sum, from, s->rounded, n);
        from = s->rounded;
    }
    (void)dtype_cast(s->sum, from, s->result, out, n);
}
