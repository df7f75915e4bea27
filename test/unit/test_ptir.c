/* PTIR's forms: the binary layout to the byte, hashes and symbols, agreement of the forms, and what
 * happens when memory runs out. */
#include "dialect/ptir/ptir.h"

#include <stdlib.h>

#include "check.h"
#include "ops/infer.h"

static const char program[] =
    "func @main(%x: tensor<f32, 2x3>, %b: tensor<f32, ?Bx3>) -> (tensor<f32, 2x3>, "
    "(tensor<f32, 2x1>, tensor<si32, 2x1>), tensor<f32, ?C>) {\n"
    "  %c = constant value[1.0, -0.0, inf, nan, 1e-40, 3.5] -> tensor<f32, 2x3>\n"
    "  %y = add(%x, %c) -> tensor<f32, 2x3>\n"
    "  %s = reduce_sum(%y) axes[1] keepdims[true] accum_dtype[f32] -> tensor<f32, 2x1>\n"
    "  %t = top_k(%y) k[1] axis[1] largest[true] indices_dtype[si32] -> (tensor<f32, 2x1>, "
    "tensor<si32, 2x1>)\n"
    "  %p = pad(%t[0]) low[0, 1] high[1, 0] interior[0, 0] pad_value[-inf] -> tensor<f32, 3x2>\n"
    "  %r = reshape(%b) new_shape[infer] -> tensor<f32, ?C>\n"
    "  %z = cond(literal<i1>[true], %x) true_region[0] false_region[1] -> tensor<f32, 2x3>\n"
    "  %k = custom_call(%p) target[\"a.b.v1\"] attrs[f = [1.5, nan], n = \"x\", o = true, w = "
    "i64[]] "
    "-> (tensor<f32>, (tensor<i1>))\n"
    "  return %z, %t, %r\n"
    "}\n"
    "\n"
    "region @0(%a: tensor<f32, 2x3>) -> tensor<f32, 2x3> {\n"
    "  %b = neg(%a) -> tensor<f32, 2x3>\n"
    "  return %b\n"
    "}\n"
    "\n"
    "region @1(%a: tensor<f32, 2x3>) -> tensor<f32, 2x3> {\n"
    "  return %a\n"
    "}\n";

static module *read_as(context *cx, const dialect *d, const char *text, size_t n, tn_status *status)
{
    static const read_options options = {0};
    module *m = module_new(cx);
    char *own = m ? arena_copy_text(&m->arena, text, n) : NULL;
    if (!own) {
        module_free(m);
        *status = TN_ERR_NOMEM;
        return NULL;
    }
    m->source = (source){.name = "test", .text = own, .length = n, .code_of = d->code_of};
    m->dialect = d->name;
    *status = d->read(m, &options);
    if (*status == TN_OK)
        *status = module_verify(m, NULL);
    if (*status != TN_OK) {
        module_free(m);
        return NULL;
    }
    return m;
}

static tn_status write_as(const module *m, const dialect *d, text_buffer *out)
{
    static const write_options options = {0};
    tn_status s = d->write(m, &options, out);
    return s == TN_OK && out->failed ? TN_ERR_NOMEM : s;
}

/* ---- the binary layout ---------------------------------------------------------------------- */

static void put(text_buffer *b, uint64_t value, size_t bytes)
{
    text_put(b, (const char *)&value, bytes);
}

static void put_text(text_buffer *b, const char *s)
{
    put(b, strlen(s), 8);
    text_puts(b, s);
}

/* Tensor of f32[B, 2] */
static void put_type(text_buffer *b)
{
    put(b, 0, 4);  /* Tensor */
    put(b, 15, 4); /* F32 */
    put(b, 2, 8);
    put(b, 1, 4); /* Dynamic */
    put_text(b, "B");
    put(b, 0, 4); /* Static */
    put(b, 2, 8);
}

static void test_layout(void)
{
    static const char text[] = "func @9a-b(%x: tensor<f32, ?Bx2>) -> tensor<f32, ?Bx2> {\n"
                               "  %y = maximum(%x, %x) -> tensor<f32, ?Bx2>\n"
                               "  return %y\n"
                               "}\n";
    context *cx = context_new(NULL, NULL);
    text_buffer want, have, symbol;
    tn_status status;
    module *m;
    uint64_t hash = 0, fnv = 14695981039346656037U;
    /* A name in quotes, for its dash. */
    text_init(&have, &cx->allocator);
    text_puts(&have, "func @\"9a-b\"");
    text_puts(&have, strchr(text, '('));
    m = read_as(cx, &dialect_ptir_text, have.at, have.n, &status);
    text_release(&have);
    if (!CHECK(m != NULL))
        return;

    text_init(&want, &cx->allocator);
    put_text(&want, "ptir.v0.4");
    put_text(&want, "9a-b");
    put(&want, 1, 8); /* functions */
    put_text(&want, "9a-b");
    put(&want, 1, 8); /* parameters */
    put_type(&want);
    put(&want, 1, 8); /* parameter ids */
    put(&want, 0, 4);
    put(&want, 1, 8); /* results */
    put_type(&want);
    put(&want, 1, 8); /* body */
    put(&want, 1, 4); /* id */
    put(&want, 2, 4); /* ElementwiseBinary */
    put(&want, 4, 4); /* Maximum */
    put(&want, 2, 8); /* operands */
    for (int i = 0; i < 2; i++) {
        put(&want, 0, 4); /* Value */
        put(&want, 0, 4);
    }
    put_type(&want);
    put(&want, 0, 8); /* hints */
    put(&want, 1, 8); /* result ids */
    put(&want, 1, 4);
    put(&want, 0, 8); /* regions */

    text_init(&have, &cx->allocator);
    CHECK_INT(write_as(m, &dialect_ptir_bincode, &have), TN_OK);
    CHECK_INT(have.n, want.n);
    CHECK(have.n == want.n && memcmp(have.at, want.at, want.n) == 0);
    CHECK(dialect_ptir_bincode.looks_like(have.at, have.n));

    for (size_t i = 0; i < want.n; i++)
        fnv = (fnv ^ (unsigned char)want.at[i]) * 1099511628211U;
    CHECK_INT(ptir_program_hash(m, &hash), TN_OK);
    CHECK_BITS(hash, fnv);

    text_init(&symbol, &cx->allocator);
    CHECK_INT(ptir_entry_symbol(m, NULL, &symbol), TN_OK);
    CHECK(strncmp(text_c_string(&symbol), "_9a_b__", 7) == 0 && symbol.n == 7 + 16);
    text_reset(&symbol);
    CHECK_INT(ptir_entry_symbol(m, "", &symbol), TN_OK);
    CHECK(strncmp(text_c_string(&symbol), "entry__", 7) == 0);
    text_release(&symbol);
    text_release(&have);
    text_release(&want);
    module_free(m);
    context_free(cx);
}

/* Every prefix of a binary program is refused, and reads nothing beyond its end. */
static void test_truncated(void)
{
    context *cx = context_new(NULL, NULL);
    tn_status status;
    text_buffer bytes;
    module *m = read_as(cx, &dialect_ptir_text, program, sizeof program - 1, &status);
    text_init(&bytes, &cx->allocator);
    if (CHECK(m != NULL) && CHECK_INT(write_as(m, &dialect_ptir_bincode, &bytes), TN_OK))
        for (size_t n = 0; n < bytes.n; n++) {
            char *copy = malloc(n + 1); /* its own block, for the sanitizer */
            module *cut = NULL;
            if (copy) {
                memcpy(copy, bytes.at, n);
                copy[n] = '\0';
                cut = read_as(cx, &dialect_ptir_bincode, copy, n, &status);
            }
            CHECK(cut == NULL && status == TN_ERR_REJECTED);
            free(copy);
        }
    text_release(&bytes);
    module_free(m);
    context_free(cx);
}

/* ---- agreement of the forms ------------------------------------------------------------------ */

static void test_forms(void)
{
    static const dialect *const chain[] = {&dialect_ptir_text,    &dialect_ptir,
                                           &dialect_ptir_bincode, &dialect_ptir_text,
                                           &dialect_ptir_bincode, &dialect_ptir};
    context *cx = context_new(NULL, NULL);
    text_buffer texts[6];
    const char *text = program;
    size_t n = sizeof program - 1;
    for (size_t i = 0; i < 6; i++) {
        tn_status status;
        module *m = read_as(cx, i ? chain[i - 1] : &dialect_ptir_text, text, n, &status);
        text_init(&texts[i], &cx->allocator);
        if (!CHECK(m != NULL) || !CHECK_INT(write_as(m, chain[i], &texts[i]), TN_OK))
            return;
        CHECK(m->source.reading == NULL);
        module_free(m);
        text = texts[i].at;
        n = texts[i].n;
    }
    CHECK(texts[0].n == sizeof program - 1 && memcmp(texts[0].at, program, texts[0].n) == 0);
    CHECK(texts[1].n == texts[5].n && memcmp(texts[1].at, texts[5].at, texts[5].n) == 0);
    CHECK(texts[2].n == texts[4].n && memcmp(texts[2].at, texts[4].at, texts[4].n) == 0);
    for (size_t i = 0; i < 6; i++)
        text_release(&texts[i]);
    context_free(cx);
}

/* ---- memory that runs out -------------------------------------------------------------------- */

typedef struct scarce {
    size_t left; /* requests that still succeed */
    size_t held; /* bytes */
} scarce;

static void *scarce_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    scarce *s = user;
    if (new_size == 0) {
        s->held -= old_size;
        free(block);
        return NULL;
    }
    if (s->left == 0)
        return NULL;
    s->left--;
    void *moved = realloc(block, new_size);
    if (moved)
        s->held += new_size - old_size;
    return moved;
}

static tn_status once(scarce *s, const dialect *d, const char *text, size_t n)
{
    tn_allocator a = {scarce_resize, s};
    context *cx = context_new(&a, NULL);
    tn_status status = TN_ERR_NOMEM;
    text_buffer out;
    if (!cx)
        return status;
    module *m = read_as(cx, d, text, n, &status);
    if (m) {
        text_init(&out, &cx->allocator);
        status = write_as(m, d, &out);
        CHECK(status != TN_OK || (out.n == n && memcmp(out.at, text, n) == 0));
        text_release(&out);
        module_free(m);
    }
    context_free(cx);
    return status;
}

static void test_no_memory(void)
{
    static const dialect *const forms[] = {&dialect_ptir_text, &dialect_ptir,
                                           &dialect_ptir_bincode};
    for (size_t i = 0; i < 3; i++) {
        context *cx = context_new(NULL, NULL);
        tn_status status;
        text_buffer text;
        module *m = read_as(cx, &dialect_ptir_text, program, sizeof program - 1, &status);
        text_init(&text, &cx->allocator);
        if (!CHECK(m != NULL) || !CHECK_INT(write_as(m, forms[i], &text), TN_OK))
            return;
        status = TN_ERR_NOMEM;
        for (size_t k = 0; status != TN_OK && k < 10000; k++) {
            scarce s = {k, 0};
            status = once(&s, forms[i], text.at, text.n);
            if (!CHECK(status == TN_OK || status == TN_ERR_NOMEM) || !CHECK_INT(s.held, 0)) {
                printf("    form %zu, request %zu: status %d\n", i, k, (int)status);
                break;
            }
        }
        CHECK_INT(status, TN_OK);
        text_release(&text);
        module_free(m);
        context_free(cx);
    }
}

int main(void)
{
    test_layout();
    test_truncated();
    test_forms();
    test_no_memory();
    return check_result();
}
