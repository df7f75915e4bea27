/* Which rows of expand.def lead from an op to a dialect. */
#include "pass/conversions/legality.h"

#include <string.h>

const expansion_info expansions[] = {
#define EXPAND(op, function, class, uses, label)                                                   \
    {OP_##op, #function, EXPANSION_##class, uses, label},
#include "pass/expand/expand.def"
#undef EXPAND
};
const uint32_t n_expansions = sizeof expansions / sizeof expansions[0];

expand_fn *const expand_functions[] = {
#define EXPAND(op, function, class, uses, label) expand_##function,
#include "pass/expand/expand.def"
#undef EXPAND
};

static const char *const refusals[OP_COUNT] = {
#define REFUSE(op, why) [OP_##op] = why,
#include "pass/conversions/refuse.def"
#undef REFUSE
};

const char *op_refusal(op_id op)
{
    return refusals[op];
}

_Static_assert(sizeof expansions / sizeof expansions[0] <= 128, "reach.row is too short");

/* The largest distance of the ops named in USES. */
static uint8_t distance_of(const reach *r, const char *uses)
{
    uint8_t most = 0;
    for (const char *at = uses; *at;) {
        size_t n = strcspn(at, " ");
        op_id op = op_by_name(at, n);
        uint8_t d = op == OP_COUNT ? UNREACHED : r->distance[op];
        most = d > most ? d : most;
        at += n + (at[n] == ' ');
    }
    return most;
}

void legality_find_reach(const dialect *to, reach *r)
{
    bool changed = true;
    memset(r, 0, sizeof *r);
    for (int op = 0; op < OP_COUNT; op++)
        r->distance[op] = to->spelling((op_id)op) ? 0 : UNREACHED;
    for (uint8_t step = 1; changed && step < SOMETIMES; step++) {
        changed = false;
        for (uint32_t i = 0; i < n_expansions; i++)
            if (r->distance[expansions[i].op] == UNREACHED &&
                expansions[i].class != EXPANSION_SOMETIMES &&
                distance_of(r, expansions[i].uses) < step) {
                r->distance[expansions[i].op] = step;
                changed = true;
            }
    }
    for (uint32_t i = 0; i < n_expansions; i++)
        if (expansions[i].class == EXPANSION_SOMETIMES &&
            r->distance[expansions[i].op] == UNREACHED &&
            distance_of(r, expansions[i].uses) < SOMETIMES)
            r->distance[expansions[i].op] = SOMETIMES;
    for (uint32_t i = 0; i < n_expansions; i++) {
        uint8_t own = r->distance[expansions[i].op], d = distance_of(r, expansions[i].uses);
        r->row[i] = own != UNREACHED && d < SOMETIMES && (d == 0 || own == 0 || d < own);
    }
}

static bool uses_relaxed(const reach *r, const char *uses)
{
    for (const char *at = uses; *at;) {
        size_t n = strcspn(at, " ");
        op_id op = op_by_name(at, n);
        if (op != OP_COUNT && r->relaxed[op])
            return true;
        at += n + (at[n] == ' ');
    }
    return false;
}

/* In order of distance, so that the ops that a row uses are settled before the row. */
static void find_relaxed(reach *r)
{
    for (uint32_t step = 1; step <= SOMETIMES; step++)
        for (int op = 0; op < OP_COUNT; op++)
            for (uint32_t i = 0; r->distance[op] == step && i < n_expansions; i++)
                if (expansions[i].op == (op_id)op && r->row[i]) {
                    r->relaxed[op] = expansions[i].class == EXPANSION_RELAXED ||
                                     uses_relaxed(r, expansions[i].uses);
                    break;
                }
}

legality op_legality(op_id op, const dialect *to, const expansion_info **by, bool *relaxed)
{
    reach r;
    *by = NULL;
    *relaxed = false;
    if (to->spelling(op))
        return LEGAL_SPELT;
    legality_find_reach(to, &r);
    find_relaxed(&r);
    for (uint32_t i = 0; i < n_expansions; i++)
        if (expansions[i].op == op && r.row[i]) {
            *by = &expansions[i];
            *relaxed = r.relaxed[op];
            return LEGAL_EXPANDED;
        }
    return LEGAL_NEVER;
}
