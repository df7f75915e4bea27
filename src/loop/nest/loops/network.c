/* Sorting networks on vectors: Batcher's merging of odd and even ones in registers, and above that
 * bitonic merging whose first step compares with the mirrored other half, so that every exchange
 * leaves the smaller vector at the lower place, and those beyond the end can be left out. */
#include "loop/nest/loops/network.h"

static void exchange(loop_builder *b, loop_value *low, loop_value *high)
{
    const loop_value x = *low, y = *high, less = loop_binary(b, LOOP_ILT, y, x);
    *low = loop_select(b, less, y, x);
    *high = loop_select(b, less, x, y);
}

void network_sort_held(const network *w, loop_value *x)
{
    const uint32_t n = w->held;
    for (uint32_t p = 1; p < n; p *= 2)
        for (uint32_t k = p; k > 0; k /= 2)
            for (uint32_t j = k % p; j + k < n; j += 2 * k)
                for (uint32_t i = j; i < j + k && i + k < n; i++)
                    if (i / (2 * p) == (i + k) / (2 * p))
                        exchange(w->b, &x[i], &x[i + k]);
}

static int64_t bytes_of(const network *w)
{
    return (int64_t)(loop_elem_bytes((loop_elem)w->type.elem) * w->type.lanes);
}

/* The address of vector NUMBER. */
static loop_value address(const network *w, loop_value number)
{
    loop_builder *b = w->b;
    return loop_offset(b, w->at, loop_binary(b, LOOP_IMUL, number, loop_i64(b, bytes_of(w))));
}

static uint32_t alignment(const network *w)
{
    return bytes_of(w) < LOOP_ALIGN ? (uint32_t)bytes_of(w) : LOOP_ALIGN;
}

void network_load(const network *w, loop_value first, loop_value *x)
{
    const loop_value p = address(w, first);
    for (uint32_t i = 0; i < w->held; i++)
        x[i] = loop_load(w->b, w->type, loop_at(w->b, p, i * bytes_of(w)), alignment(w));
}

void network_store(const network *w, loop_value first, const loop_value *x)
{
    const loop_value p = address(w, first);
    for (uint32_t i = 0; i < w->held; i++)
        loop_store(w->b, loop_at(w->b, p, i * bytes_of(w)), x[i], alignment(w));
}

/* Steps of a merge on blocks of BLOCK vectors: those at distances below BLOCK and not below STEP.
 */
typedef struct merge_steps {
    int64_t block, step;
    bool mirrors; /* the first step compares with the mirrored half */
} merge_steps;

/* Vectors that these steps exchange with each other: each STEP-th from number J < STEP on, or the
 * lower half of them and their mirror images. */
static uint32_t set_size(const merge_steps *m)
{
    return (uint32_t)(m->block / m->step);
}

/* Are they below END, of a block from 0 on, for J = LOW .. LOW + `held` - 1? A bit for each. */
static uint32_t below(const merge_steps *m, int64_t held, int64_t low, int64_t end)
{
    const uint32_t n = set_size(m);
    uint32_t are = 0;
    for (uint32_t e = 0; e < n; e++) {
        const int64_t at = !m->mirrors || e < n / 2 ? low + e * m->step
                                                    : m->block - low - held - (n - 1 - e) * m->step;
        are |= (uint32_t)(at < end) << e;
    }
    return are;
}

typedef struct held_set {
    const network *w;
    loop_value at[NETWORK_MOST_HELD], x[NETWORK_MOST_HELD];
    uint32_t have, loaded;
} held_set;

static void exchange_in(held_set *s, uint32_t low, uint32_t high)
{
    const uint32_t both = UINT32_C(1) << low | UINT32_C(1) << high;
    if ((s->have & both) != both)
        return;
    for (uint32_t e = low; e <= high; e += high - low)
        if (!(s->loaded >> e & 1))
            s->x[e] = loop_load(s->w->b, s->w->type, s->at[e], alignment(s->w));
    s->loaded |= both;
    exchange(s->w->b, &s->x[low], &s->x[high]);
}

/* The vectors HAVE of the set J of the block that begins at vector FIRST. */
static void steps_of_set(const network *w, const merge_steps *m, loop_value first, loop_value j,
                         uint32_t have)
{
    loop_builder *b = w->b;
    const uint32_t n = set_size(m), half = m->mirrors ? n / 2 : n;
    const int64_t stride = m->step * bytes_of(w);
    held_set s = {.w = w, .have = have};
    const loop_value up = address(w, loop_binary(b, LOOP_IADD, first, j));
    const loop_value last = loop_i64(b, m->block / 2 + m->step - 1);
    const loop_value down =
        address(w, loop_binary(b, LOOP_ISUB, loop_binary(b, LOOP_IADD, first, last), j));
    for (uint32_t e = 0; e < n; e++)
        s.at[e] = e < half ? loop_at(b, up, e * stride) : loop_at(b, down, (e - half) * stride);
    for (uint32_t e = 0; m->mirrors && e < half; e++)
        exchange_in(&s, e, n - 1 - e);
    for (uint32_t k = half / 2; k > 0; k /= 2)
        for (uint32_t e = 0; e < n; e++)
            if (!(e & k))
                exchange_in(&s, e, e + k);
    for (uint32_t e = 0; e < n; e++)
        if (s.loaded >> e & 1)
            loop_store(b, s.at[e], s.x[e], alignment(w));
}

/* On vectors 0 .. END: whole blocks, then the vectors that there are of the last. */
static void apply_steps(const network *w, const merge_steps *m, int64_t end)
{
    loop_builder *b = w->b;
    const int64_t whole = end - end % m->block, zero = 0;
    const uint32_t all = (uint32_t)((UINT64_C(1) << set_size(m)) - 1);
    if (whole > 0) {
        const loop_value first = loop_for(b, loop_i64(b, zero), loop_i64(b, whole), m->block);
        const loop_value j = loop_for(b, loop_i64(b, zero), loop_i64(b, m->step), 1);
        steps_of_set(w, m, first, j, all);
        loop_end(b);
        loop_end(b);
    }
    for (int64_t low = 0, high; whole < end && low < m->step; low = high) {
        const uint32_t have = below(m, w->held, low, end - whole);
        high = low + w->held;
        while (high < m->step && below(m, w->held, high, end - whole) == have)
            high += w->held;
        if ((have & (have - 1)) == 0) /* one alone */
            continue;
        const loop_value j = loop_for(b, loop_i64(b, low), loop_i64(b, high), 1);
        steps_of_set(w, m, loop_i64(b, whole), j, have);
        loop_end(b);
    }
}

/* Distances below `held`, in registers. */
static void merge_held(const network *w, int64_t end)
{
    loop_builder *b = w->b;
    loop_value x[NETWORK_MOST_HELD];
    const loop_value first = loop_for(b, loop_i64(b, 0), loop_i64(b, end), w->held);
    network_load(w, first, x);
    for (uint32_t k = w->held / 2; k > 0; k /= 2)
        for (uint32_t i = 0; i < w->held; i++)
            if (!(i & k))
                exchange(b, &x[i], &x[i + k]);
    network_store(w, first, x);
    loop_end(b);
}

void network_merge(const network *w)
{
    const int64_t held = w->held;
    for (int64_t sorted = held; sorted < w->n; sorted *= 2) {
        const int64_t rest = w->n % (2 * sorted), end = rest > sorted ? w->n : w->n - rest;
        merge_steps m = {.block = 2 * sorted, .mirrors = true};
        for (; m.block > held; m.block = m.step, m.mirrors = false) {
            m.step = m.block / held > held ? m.block / held : held;
            apply_steps(w, &m, end);
        }
        merge_held(w, end);
    }
}
