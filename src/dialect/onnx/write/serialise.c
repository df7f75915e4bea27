/* The bytes of a model: its messages, with the fields of each in the order of their numbers. */
#include <inttypes.h>
#include <stdio.h>

#include "dialect/onnx/model.h"
#include "dialect/onnx/tensors.h"
#include "dialect/onnx/write/out.h"
#include "dialect/onnx/write/proto.h"

enum {
    IR_VERSION = 8,
    OPSET = 17,
    EXTERNAL_FROM = 4096, /* bytes of a constant that goes elsewhere on request */
    EXTERNAL_ALIGN = 4096
};

/* ---- names ---- */

/* What nothing else gave a name is numbered in the order of the model. */
static const char *name_of(onnx_new_model *o, onnx_id id)
{
    if (id == ONNX_NOTHING)
        return "";
    if (!o->values.at[id].name) {
        char text[16];
        (void)snprintf(text, sizeof text, "v%" PRIu32, id);
        onnx_name(o, id, text);
    }
    return o->values.at[id].name ? o->values.at[id].name : "";
}

/* ---- types ---- */

static void put_dim(const onnx_new_model *o, dim d, text_buffer *out)
{
    const size_t at = proto_open(out, 1);
    if (!dim_is_symbolic(d))
        proto_int(out, 1, d);
    else if (dim_expr_of(&o->m->types, d)->op == DIM_SYM)
        proto_text(out, 2, dim_expr_of(&o->m->types, d)->name);
    proto_close(out, at); /* a computed size is left open */
}

static void put_port(onnx_new_model *o, uint32_t field, const onnx_port *p, text_buffer *out)
{
    const size_t info = proto_open(out, field);
    proto_text(out, 1, name_of(o, p->id));
    const size_t of = proto_open(out, 2), tensor = proto_open(out, 1);
    proto_int(out, 1, onnx_dtype_number(p->type->dtype));
    const size_t dims = proto_open(out, 2);
    for (uint32_t i = 0; i < p->type->rank; i++)
        put_dim(o, p->type->dims[i], out);
    proto_close(out, dims);
    proto_close(out, tensor);
    proto_close(out, of);
    proto_close(out, info);
}

/* ---- constants ---- */

static void put_pair(text_buffer *out, const char *key, const char *value)
{
    const size_t at = proto_open(out, 13);
    proto_text(out, 1, key);
    proto_text(out, 2, value);
    proto_close(out, at);
}

static void put_elsewhere(const onnx_new_constant *c, const onnx_external *to, text_buffer *out)
{
    char number[32];
    text_fill(to->data, '\0', (EXTERNAL_ALIGN - to->data->n % EXTERNAL_ALIGN) % EXTERNAL_ALIGN);
    put_pair(out, "location", to->location);
    (void)snprintf(number, sizeof number, "%zu", to->data->n);
    put_pair(out, "offset", number);
    (void)snprintf(number, sizeof number, "%zu", c->bytes);
    put_pair(out, "length", number);
    text_put(to->data, c->data, c->bytes);
}

static void put_constant(onnx_new_model *o, const onnx_new_constant *c, const onnx_external *to,
                         text_buffer *out)
{
    const bool is_external = to->location && c->bytes >= EXTERNAL_FROM;
    const size_t at = proto_open(out, 5);
    for (uint32_t i = 0; i < c->rank; i++)
        proto_int(out, 1, c->dims[i]);
    proto_int(out, 2, onnx_dtype_number(c->dtype));
    proto_text(out, 8, name_of(o, c->id));
    if (is_external) {
        put_elsewhere(c, to, out);
        proto_int(out, 14, 1);
    } else {
        proto_bytes(out, ONNX_TENSOR_RAW, c->data, c->bytes);
    }
    proto_close(out, at);
}

/* ---- graphs ---- */

static void put_graph(onnx_new_model *o, const onnx_new_graph *g, const onnx_external *to,
                      text_buffer *out);

static void put_setting(onnx_new_model *o, const onnx_setting *s, text_buffer *out)
{
    static const onnx_attribute_kind kinds[] = {[ONNX_SET_INT] = ONNX_INT,
                                                [ONNX_SET_FLOAT] = ONNX_FLOAT,
                                                [ONNX_SET_TEXT] = ONNX_STRING,
                                                [ONNX_SET_INTS] = ONNX_INTS,
                                                [ONNX_SET_GRAPH] = ONNX_GRAPH};
    const size_t at = proto_open(out, 5);
    proto_text(out, 1, s->name);
    switch (s->kind) {
    case ONNX_SET_INT:
        proto_int(out, 3, s->i);
        break;
    case ONNX_SET_FLOAT:
        proto_f32(out, 2, (float)s->f);
        break;
    case ONNX_SET_TEXT:
        proto_text(out, 4, s->s);
        break;
    case ONNX_SET_INTS:
        for (uint32_t i = 0; i < s->n; i++)
            proto_int(out, 8, s->ints[i]);
        break;
    case ONNX_SET_GRAPH: {
        const size_t inner = proto_open(out, 6);
        put_graph(o, s->graph, NULL, out);
        proto_close(out, inner);
        break;
    }
    }
    proto_int(out, 20, (int64_t)kinds[s->kind]);
    proto_close(out, at);
}

static void put_node(onnx_new_model *o, const onnx_new_node *n, text_buffer *out)
{
    const size_t at = proto_open(out, 1);
    for (uint32_t i = 0; i < n->n_in; i++)
        proto_text(out, 1, name_of(o, n->in[i]));
    for (uint32_t i = 0; i < n->n_out; i++)
        proto_text(out, 2, name_of(o, n->first + i));
    proto_text(out, 4, n->op);
    for (uint32_t i = 0; i < n->n_settings; i++)
        put_setting(o, &n->settings[i], out);
    proto_close(out, at);
}

/* Constants belong to the outermost graph, whose names the inner ones see. */
static void put_graph(onnx_new_model *o, const onnx_new_graph *g, const onnx_external *to,
                      text_buffer *out)
{
    for (uint32_t i = 0; i < g->nodes.n && !out->failed; i++)
        put_node(o, &g->nodes.at[i], out);
    proto_text(out, 2, g->name);
    for (uint32_t i = 0; to && i < o->constants.n && !out->failed; i++)
        put_constant(o, &o->constants.at[i], to, out);
    for (uint32_t i = 0; i < g->inputs.n; i++)
        put_port(o, 11, &g->inputs.at[i], out);
    for (uint32_t i = 0; i < g->outputs.n; i++)
        put_port(o, 12, &g->outputs.at[i], out);
}

void onnx_model_write(onnx_new_model *o, const onnx_external *external, text_buffer *out)
{
    proto_int(out, 1, IR_VERSION);
    proto_text(out, 2, "tenon");
    const size_t graph = proto_open(out, 7);
    put_graph(o, o->top, external, out);
    proto_close(out, graph);
    const size_t imports = proto_open(out, 8);
    proto_int(out, 2, OPSET);
    proto_close(out, imports);
}
