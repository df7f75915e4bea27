/* Quantisation in StableHLO, with scales that are data: arithmetic in f32 or f64, step by step. */
#include "dialect/mlir/stablehlo.h"

#include <stdio.h>

typedef struct scaling {
    mlir_text *w;
    const node *n;
    tensor t;         /* of the elements, in the type of the computation */
    const char *last; /* the prefix of the value so far; empty: none yet */
    uint32_t step;
} scaling;

static const char *const steps[] = {"qa", "qb", "qc", "qd", "qe", "qf", "qg", "qh", "qi", "qj"};

static const char *next_step(scaling *s)
{
    return steps[s->step++];
}

/* Operand K, a scale or zero point, in the shape of the elements. */
static void put_parameter(scaling *s, const char *name, uint32_t k)
{
    mlir_text *w = s->w;
    value_id v = s->n->first_value;
    tensor given = type_of_value(w, s->n->in[k]), wide = type_like(&given, s->t.dtype);
    int64_t axis = attr_int(s->n->attrs, KEY_AXIS, 0);
    char cast[8];
    axis += axis < 0 ? s->t.rank : 0;
    (void)snprintf(cast, sizeof cast, "%sc", name);
    line(w, "%n = \"stablehlo.convert\"(%v) : (%t) -> %t", cast, v, s->n->in[k], &given, &wide);
    hlo_put_broadcast(w, (value_name){w->scope, v, name}, (value_name){w->scope, v, cast}, &axis,
                      &wide, &s->t);
}

static void put_step(scaling *s, const char *op, const char *with)
{
    value_id v = s->n->first_value;
    const char *name = next_step(s);
    if (with)
        line(s->w, "%n = \"stablehlo.%s\"(%n, %n) : (%t, %t) -> %t", name, v, op, s->last, v, with,
             v, &s->t, &s->t, &s->t);
    else
        line(s->w, "%n = \"stablehlo.%s\"(%n) : (%t) -> %t", name, v, op, s->last, v, &s->t, &s->t);
    s->last = name;
}

/* UP and DOWN are the operands that hold the scales, 0 for none, each followed by its zero point if
 * ZEROS. */
static void put_scaling(mlir_text *w, const node *n, uint32_t up, uint32_t down, bool zeros)
{
    value_id v = n->first_value;
    tensor in = type_of_value(w, n->in[0]), out = type_of_value(w, v);
    if (n->n_in == 1) {
        hlo_cast(w, n);
        return;
    }
    tn_dtype wide = value_type(w->f, n->in[up ? up : down])->dtype == TN_F64 ? TN_F64 : TN_F32;
    scaling s = {w, n, type_like(&in, wide), next_step(&(scaling){0}), 1};
    line(w, "%n = \"stablehlo.convert\"(%v) : (%t) -> %t", s.last, v, n->in[0], &in, &s.t);
    if (up) {
        if (zeros) {
            put_parameter(&s, "zu", up + 1);
            put_step(&s, "subtract", "zu");
        }
        put_parameter(&s, "su", up);
        put_step(&s, "multiply", "su");
    }
    if (down) {
        put_parameter(&s, "sd", down);
        put_step(&s, "divide", "sd");
        if (dtype_is_int(out.dtype))
            put_step(&s, "round_nearest_even", NULL);
        if (zeros) {
            put_parameter(&s, "zd", down + 1);
            put_step(&s, "add", "zd");
        }
    }
    hlo_convert(w, v, (value_name){w->scope, v, s.last}, &s.t);
}

void hlo_quantize(mlir_text *w, const node *n)
{
    put_scaling(w, n, 0, 1, n->n_in > 2);
}

void hlo_dequantize(mlir_text *w, const node *n)
{
    put_scaling(w, n, 1, 0, n->n_in > 2);
}

void hlo_requantize(mlir_text *w, const node *n)
{
    put_scaling(w, n, 1, n->n_in == 5 ? 3 : 2, n->n_in == 5);
}
