/* Tensors written in place of a file: `16000`, `true`, `-inf`, `[[1, 2.5], [3, 4]]`. */
#include <string.h>

#include "cli/arguments/in_place.h"

/* ---- reading ---- */

static void skip_blanks(in_place *r)
{
    r->at += strspn(r->at, " \t");
}

static bool fail(in_place *r, const char *what)
{
    if (!r->fault) {
        r->fault = what;
        r->fault_at = r->at;
    }
    return false;
}

/* Take WORD, behind which no letter stands. */
static bool take_word(in_place *r, const char *word)
{
    const size_t n = strlen(word);
    const char behind = strncmp(r->at, word, n) == 0 ? r->at[n] : 'x';
    if ((behind >= 'a' && behind <= 'z') || (behind >= '0' && behind <= '9'))
        return false;
    r->at += n;
    return true;
}

static bool take_named(in_place *r, in_place_number *out)
{
    static const struct {
        const char *word;
        in_place_number number;
    } words[] = {
        {"true", {IN_PLACE_WHOLE, 1, 0, 1}},
        {"false", {IN_PLACE_WHOLE, 0, 0, 0}},
        {"inf", {IN_PLACE_FLOAT, 0, 0, __builtin_inf()}},
        {"+inf", {IN_PLACE_FLOAT, 0, 0, __builtin_inf()}},
        {"-inf", {IN_PLACE_FLOAT, 0, 0, -__builtin_inf()}},
        {"nan", {IN_PLACE_FLOAT, 0, 0, __builtin_nan("")}},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (take_word(r, words[i].word)) {
            *out = words[i].number;
            return true;
        }
    return false;
}

static bool take_number(in_place *r, in_place_number *out)
{
    char text[64];
    const size_t n = strspn(r->at, "+-.0123456789eE"), sign = *r->at == '+';
    if (take_named(r, out))
        return true;
    if (n == 0)
        return fail(r, "a number should stand");
    if (n >= sizeof text)
        return fail(r, "a shorter number should stand");
    memcpy(text, r->at, n);
    text[n] = '\0';
    *out = (in_place_number){.kind = IN_PLACE_WHOLE};
    if (!number_f64(text, &out->f))
        return fail(r, "a number should stand");
    if (!number_i64(text, n, &out->i))
        out->kind = number_u64(text + sign, n - sign, &out->u) ? IN_PLACE_WIDE : IN_PLACE_FLOAT;
    if (out->f > 1.7976931348623157e308 || out->f < -1.7976931348623157e308)
        return fail(r, "a number in the range of f64 should stand");
    r->at += n;
    return true;
}

static bool read_one(in_place *r, uint32_t depth)
{
    if (r->known[depth] || (r->n > 0 && depth < r->rank))
        return fail(r, "a list should stand, as before it");
    r->numbers = cli_grow(&r->s->memory, r->numbers, &r->cap, r->n, sizeof *r->numbers);
    r->no_memory = !r->numbers;
    if (r->no_memory || !take_number(r, &r->numbers[r->n]))
        return false;
    r->all_whole = r->all_whole && r->numbers[r->n].kind == IN_PLACE_WHOLE;
    r->rank = depth;
    r->n++;
    return true;
}

static bool read_any(in_place *r, uint32_t depth);

/* The entries of a list, whose bracket was taken, and their number. */
static bool read_entries(in_place *r, uint32_t depth, int64_t *n)
{
    for (skip_blanks(r); *r->at != ']'; (*n)++) {
        if (*n > 0 && *r->at != ',')
            return fail(r, "',' or ']' should stand");
        r->at += *n > 0;
        if (!read_any(r, depth + 1))
            return false;
        skip_blanks(r);
    }
    return true;
}

/* Extents are those of the first list at each depth. */
static bool read_any(in_place *r, uint32_t depth)
{
    int64_t n = 0;
    skip_blanks(r);
    if (*r->at != '[')
        return read_one(r, depth);
    if (r->n > 0 && depth >= r->rank)
        return fail(r, "a number should stand, as before it");
    if (depth == TN_MAX_RANK)
        return fail(r, "fewer lists should stand in each other");
    r->at++;
    if (!read_entries(r, depth, &n))
        return false;
    if (r->known[depth] && r->dims[depth] != n)
        return fail(r, "a list ends that is not as long as those before it,");
    r->at++;
    r->known[depth] = true;
    r->dims[depth] = n;
    if (r->n == 0 && r->rank <= depth)
        r->rank = depth + 1;
    return true;
}

static bool read_all(in_place *r)
{
    const bool ok = read_any(r, 0);
    skip_blanks(r);
    return ok && (!*r->at || fail(r, "nothing more should stand"));
}

bool in_place_is(session *s, const char *text)
{
    in_place_number ignored;
    in_place r = {.s = s, .at = text};
    skip_blanks(&r);
    if (*r.at == '[')
        return true;
    if (!take_number(&r, &ignored))
        return false;
    skip_blanks(&r);
    return !*r.at;
}

tn_status in_place_read(session *s, const char *name, const char *text, in_place *out)
{
    *out = (in_place){.s = s, .at = text, .all_whole = true};
    if (read_all(out))
        return TN_OK;
    if (out->no_memory)
        return no_memory(s);
    const char *rest = out->fault_at;
    return usage_error(s, "the value of '%s': %s %s '%.60s'", name, out->fault,
                       *rest ? "at" : "behind", *rest ? rest : text);
}

/* ---- as a tensor ---- */

static void set_type(const in_place *r, tn_dtype dtype, tn_type *t)
{
    *t = (tn_type){.dtype = dtype, .rank = r->rank};
    memcpy(t->dims, r->dims, r->rank * sizeof r->dims[0]);
}

tn_status in_place_plain(session *s, const in_place *r, tn_buffer *out)
{
    int64_t *ints = cli_alloc(&s->memory, r->n + 1, sizeof *ints);
    double *floats = cli_alloc(&s->memory, r->n + 1, sizeof *floats);
    if (!ints || !floats)
        return no_memory(s);
    for (size_t i = 0; i < r->n; i++) {
        ints[i] = r->numbers[i].i;
        floats[i] = r->numbers[i].f;
    }
    *out = (tn_buffer){.data = r->all_whole ? (void *)ints : (void *)floats,
                       .bytes = r->n * sizeof *ints};
    set_type(r, r->all_whole ? TN_SI64 : TN_F64, &out->type);
    return TN_OK;
}

static bool is_float(tn_dtype d)
{
    return d >= TN_FP8_E4M3 && d <= TN_F64;
}

static bool is_finite(double x)
{
    return x - x == 0;
}

/* X as a float of type D; false when only infinity is near. */
static bool store_float(const in_place_number *x, tn_dtype d, void *to)
{
    double back;
    const bool is_whole = x->kind == IN_PLACE_WHOLE && x->i != 0; /* -0 has a sign */
    (void)(is_whole                   ? tn_dtype_convert(TN_SI64, &x->i, d, to, 1)
           : x->kind == IN_PLACE_WIDE ? tn_dtype_convert(TN_UI64, &x->u, d, to, 1)
                                      : tn_dtype_convert(TN_F64, &x->f, d, to, 1));
    (void)tn_dtype_convert(d, to, TN_F64, &back, 1);
    return is_finite(back) || !is_finite(x->f);
}

/* X as an integer or truth value of type D; false when there is none. */
static bool store_whole(const in_place_number *x, tn_dtype d, void *to)
{
    const double limit = 9223372036854775808.0;
    int64_t whole = x->i, back;
    if (x->kind == IN_PLACE_WIDE && d == TN_UI64)
        memcpy(to, &x->u, sizeof x->u);
    if (x->kind == IN_PLACE_WIDE)
        return d == TN_UI64;
    if (x->kind == IN_PLACE_FLOAT) {
        if (!(x->f >= -limit && x->f < limit))
            return false;
        whole = (int64_t)x->f;
        if ((double)whole < x->f || (double)whole > x->f)
            return false;
    }
    (void)tn_dtype_convert(TN_SI64, &whole, d, to, 1);
    (void)tn_dtype_convert(d, to, TN_SI64, &back, 1);
    return back == whole;
}

static bool store(const in_place_number *x, tn_dtype d, void *to)
{
    float single;
    double wide;
    if (d == TN_CF32)
        return store_float(x, TN_F32, &single) &&
               tn_dtype_convert(TN_F32, &single, d, to, 1) == TN_OK;
    if (d == TN_CF64)
        return store_float(x, TN_F64, &wide) && tn_dtype_convert(TN_F64, &wide, d, to, 1) == TN_OK;
    return is_float(d) ? store_float(x, d, to) : store_whole(x, d, to);
}

/* ` at [1, 0]`: where element I of R stands. */
static void put_position(cli_text *text, const in_place *r, size_t i)
{
    int64_t index[TN_MAX_RANK];
    for (uint32_t k = r->rank; k-- > 0;) {
        index[k] = (int64_t)(i % (size_t)r->dims[k]);
        i /= (size_t)r->dims[k];
    }
    for (uint32_t k = 0; k < r->rank; k++)
        cli_printf(text, "%s%lld", k ? ", " : " at [", (long long)index[k]);
    cli_puts(text, r->rank ? "]" : "");
}

static tn_status no_such_element(session *s, const char *name, const in_place *r, size_t i,
                                 tn_dtype d)
{
    cli_text where = {0};
    put_position(&where, r, i);
    const tn_status status = report_error(
        s, TN_ERR_INPUT, "InputMismatch", "the value of '%s': the number%s, %.17g, is no %s", name,
        where.failed || !where.n ? "" : where.at, r->numbers[i].f, tn_dtype_name(d));
    cli_text_release(&where);
    return status;
}

/* One number may stand for a tensor of any rank with one element. */
static void widen(const tn_type *declared, tn_type *t)
{
    if (t->rank > 0)
        return;
    for (uint32_t k = 0; k < declared->rank; k++)
        if (declared->dims[k] != 1 && declared->dims[k] != TN_DIM_UNKNOWN)
            return;
    t->rank = declared->rank;
    for (uint32_t k = 0; k < t->rank; k++)
        t->dims[k] = 1;
}

tn_status in_place_tensor(session *s, const char *name, const in_place *r, const tn_type *declared,
                          tn_buffer *out)
{
    const size_t size = tn_dtype_size(declared->dtype);
    char *data = cli_alloc(&s->memory, r->n + 1, size);
    if (!data)
        return no_memory(s);
    for (size_t i = 0; i < r->n; i++)
        if (!store(&r->numbers[i], declared->dtype, data + i * size))
            return no_such_element(s, name, r, i, declared->dtype);
    *out = (tn_buffer){.data = data, .bytes = r->n * size};
    set_type(r, declared->dtype, &out->type);
    widen(declared, &out->type);
    return TN_OK;
}
