/* Conversion between dialects, and what tools that convert need: targets, walking, buffer plans,
 * entry symbols. Contracts of status, diagnostics and memory: as in tenon/tenon.h. */
#ifndef TENON_CONVERT_H
#define TENON_CONVERT_H

#include "tenon/tenon.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- conversion ----------------------------------------------------------------------------- */

typedef struct tn_convert_options {
    size_t size;     /* of the structure; 0: its first layout */
    bool exact_only; /* refuse what could only be written with other rounding */
} tn_convert_options;

/* Rewrite M so that DIALECT can express it; tn_module_write then writes that dialect.
 *
 * Broadcasts become explicit or implicit, ops that the dialect lacks are written with others, and
 * patterns are raised to ops that it has (docs/dialects.md lists which). Types of inputs and
 * outputs stay, and so does every bit of every output, unless a warning says that an op was written
 * with another rounding.
 *
 * returns  TN_ERR_REJECTED  something has no form in DIALECT: one diagnostic of kind NotExpressible
 *                           for each such operation. M may only be freed then.
 *          TN_ERR_USAGE     unknown dialect
 *          TN_ERR_NOMEM */
TN_API tn_status tn_module_convert(tn_module *m, const char *dialect,
                                   const tn_convert_options *options);

/* Can DIALECT express M as it stands? Reports what it cannot, and changes nothing.
 * returns  TN_ERR_REJECTED, TN_ERR_USAGE, TN_ERR_NOMEM as above */
TN_API tn_status tn_module_check_legal(const tn_module *m, const char *dialect);

/* What a caller's own target can take. */
typedef struct tn_allowed {
    size_t size;            /* of the structure; 0: its first layout */
    const char *const *ops; /* names as in tn_op_at; NULL: every op */
    size_t n_ops;
    uint32_t dtypes;   /* bit d allows tn_dtype d */
    bool dynamic_dims; /* extents without a value */
} tn_allowed;

/* Is everything in M allowed? Looks at the types of inputs and results, then at the instructions of
 * each function and then of each region, with constants among them, and reports each finding, of
 * kind NotExpressible: `operation X is not allowed`, `dtype X is not allowed`, `dynamic dimensions
 * are not allowed`; notes tell stage, function and number of the instruction.
 * returns  TN_ERR_REJECTED, TN_ERR_NOMEM */
TN_API tn_status tn_module_check_allowed(const tn_module *m, const tn_allowed *allowed);

typedef enum tn_legality {
    TN_LEGAL_SPELT = 0, /* the dialect has the op */
    TN_LEGAL_EXPANDED,  /* it is written with others, where attributes and operands allow it */
    TN_LEGAL_RELAXED,   /* the same, but results may be rounded differently */
    TN_LEGAL_NEVER      /* it is refused */
} tn_legality;

/* How operation OP (an index of tn_op_at) fares in DIALECT. *HOW, if not NULL, is set to a static
 * description of the first way of writing it, or of what is missing, or NULL. False for an unknown
 * op or dialect. */
TN_API bool tn_op_legality(size_t op, const char *dialect, tn_legality *legality, const char **how);

/* ---- equivalence ---------------------------------------------------------------------------- */

typedef struct tn_equiv_options {
    size_t size;                /* of the structure; 0: its first layout */
    tn_level level;             /* of both; the default is TN_LEVEL_0: the programs as written */
    uint32_t runs;              /* 0: 16 */
    uint64_t seed;              /* of the inputs and of random generators */
    const tn_binding *bindings; /* of symbolic sizes; others are chosen for each run */
    size_t n_bindings;
    uint64_t timeout_ns; /* of each run of each program, in wall-clock time; 0: no limit */
    /* Floats of A and B may differ by this many units in the last place, or by
     * atol + rtol * |the float of B|. */
    uint64_t ulp;
    double rtol, atol; /* finite, 0 or more */
    uint64_t turns;    /* that loops of `while` may take in a run of a program, all together; 0:
                          100000. Random inputs may ask for any number. */
} tn_equiv_options;

/* What was found. Where the programs differ by more than the options allow, also the run that
 * showed it. */
typedef struct tn_equiv_result {
    bool equal;           /* every bit of every output in every run, where NaNs equal each other */
    uint32_t runs;        /* that were compared: sizes that fit neither program are passed over */
    uint32_t run;         /* the first that differs by more than is allowed */
    uint64_t largest_ulp; /* between float elements; UINT64_MAX: only one is NaN, or another type */
    size_t output;        /* the first that differs, or the number of outputs: one program failed */
    int64_t element;      /* of that output, in row-major order */
    tn_buffer *inputs;    /* of that run; NULL where nothing differs by more than is allowed */
    size_t n_inputs;
    tn_binding *sizes[2]; /* of the symbols of A and of B then; the names are those of A and B */
    size_t n_sizes[2];
    char *tried; /* the sizes that were chosen, a line `M=2 N=3` for each run; "" when none were */
    bool close;  /* nothing differs by more than is allowed */
    uint32_t passed_over; /* runs that were not compared, since loops take more than `turns` */
} tn_equiv_result;

/* Run A and B on the same generated inputs, matched by position, and compare the outputs. The
 * inputs are random numbers, then mixtures of these with zeros of both signs, infinities, NaN,
 * denormals and extreme values; symbolic sizes take small values, 1 and 0 among them, that fit both
 * programs as far as such are found. Inputs that give positions stay in bounds. A run that fails
 * must fail in both programs.
 *
 * result   on TN_OK, to be freed with tn_equiv_result_release
 * returns  TN_ERR_REJECTED  the programs have different inputs or outputs (NotEquivalent), or one
 *                           does not compile
 *          TN_ERR_RUN       a run took longer than `timeout_ns`, or every run more than `turns`
 *                           (Timeout)
 *          TN_ERR_USAGE     a tolerance is negative or not finite
 *          TN_ERR_NOMEM */
TN_API tn_status tn_modules_compare(const tn_module *a, const tn_module *b,
                                    const tn_equiv_options *options, tn_equiv_result *result);
TN_API void tn_equiv_result_release(tn_context *cx, tn_equiv_result *result);

/* How two tensors differ. */
typedef struct tn_difference {
    size_t size;             /* of the structure; 0: its first layout */
    bool is_equal;           /* in every bit, where NaNs equal each other */
    uint64_t largest_ulp;    /* between floats; UINT64_MAX: only one is NaN, or no floats differ */
    double largest_absolute; /* |got - want| */
    double largest_relative; /* |got - want| / |want|, where that is not 0 */
    uint64_t n_beyond;       /* elements that differ by more than is allowed */
    int64_t first;           /* of them, in row-major order; -1: none */
} tn_difference;

/* Compare tensors of one type. Floats may differ by atol + rtol * |want|; other elements not.
 * Complex elements are compared by their parts.
 *
 * difference  its size is set
 * returns     TN_ERR_INPUT  the types differ, or data is missing
 *             TN_ERR_USAGE  the size, or a tolerance that is negative or not finite */
TN_API tn_status tn_buffer_compare(const tn_buffer *got, const tn_buffer *want, double rtol,
                                   double atol, tn_difference *difference);

/* ---- checks inside of texts ------------------------------------------------------------------ */

typedef enum tn_check_verdict {
    TN_CHECKS_PASSED = 0,
    TN_CHECKS_FAILED, /* a check does not hold, or the function could not be run */
    TN_CHECKS_REFUSED /* the function cannot be read or compiled: reported as a diagnostic */
} tn_check_verdict;

/* What came of the checks of a function. */
typedef struct tn_function_checks {
    const char *name; /* of the function; "" for a text that could not be taken apart */
    uint32_t line;    /* where it stands */
    tn_check_verdict verdict;
    uint32_t n_checks, n_failed;
    const char *why; /* TN_CHECKS_FAILED: what the first check found; else "" */
} tn_function_checks;

/* Run the functions of a StableHLO text that have checks (`check.expect_eq` and the like, also as
 * custom calls) and no inputs, one after the other. Lines `// -----` cut the text into programs of
 * their own; places are those in the whole text.
 *
 * read, compile  as for tn_module_read and tn_program_compile; NULL: defaults. `file` of READ is
 *                what diagnostics call the text; its dialect and entry are not looked at
 * each           told of every function in the order of the text; what it is given is valid during
 *                the call
 * returns        TN_OK           EACH was told of all, whatever came of them
 *                TN_ERR_REJECTED no function has checks (MissingOutputs)
 *                TN_ERR_NOMEM, TN_ERR_USAGE, and TN_ERR_RUN when the time is up */
TN_API tn_status tn_checks_run(tn_context *cx, const tn_read_options *read,
                               const tn_compile_options *compile, const char *text, size_t length,
                               void (*each)(void *user, const tn_function_checks *found),
                               void *user);

/* ---- targets -------------------------------------------------------------------------------- */

/* What one conversion is asked for; passed to the target as it is. */
typedef struct tn_target_options {
    size_t size;       /* of the structure; 0: its first layout */
    const char *entry; /* the name in the symbol of the entry; NULL: that of the function */
    const void *own;   /* whatever the target takes beside that; NULL: nothing */
} tn_target_options;

/* A form that a caller adds for programs to be converted to. */
typedef struct tn_target {
    size_t size; /* of the structure; 0: its first layout */
    const char *name;
    uint32_t version;
    const char *extension; /* of files; may be NULL */
    /* Can it take M? NULL: always. It reports what is in the way by itself (tn_module_check_allowed
     * does). */
    tn_status (*check)(void *user, const tn_module *m, const tn_target_options *options);
    /* Write M. The entry is to be called what tn_module_entry_symbol says for options->entry. */
    tn_status (*convert)(void *user, const tn_module *m, const tn_target_options *options,
                         const tn_writer *writer);
    void *user;
} tn_target;

/* Add TARGET to CX, which copies its texts; one of the same name is replaced. No other context sees
 * it.
 * returns  TN_ERR_USAGE without a name or `convert`; TN_ERR_NOMEM */
TN_API tn_status tn_target_register(tn_context *cx, const tn_target *target);
/* The targets of CX, ascending by name; NULL past the last and for an unknown name. They stay valid
 * until the next registration. */
TN_API size_t tn_target_count(const tn_context *cx);
TN_API const tn_target *tn_target_at(const tn_context *cx, size_t index);
TN_API const tn_target *tn_target_find(const tn_context *cx, const char *name);
/* Check M, then convert it; OPTIONS NULL: none.
 * returns  TN_ERR_USAGE for an unknown target, else what its functions return */
TN_API tn_status tn_target_convert(const tn_module *m, const char *name,
                                   const tn_target_options *options, const tn_writer *writer);

/* ---- walking -------------------------------------------------------------------------------- */

typedef struct tn_walk_function {
    const char *name;
    uint32_t index;
    bool is_region;
    uint32_t n_parameters, n_results;
} tn_walk_function;

typedef struct tn_walk_instruction {
    const char *function;
    uint32_t index; /* in the function, parameters not counted */
    const char *op;
    const char *name; /* its own, or NULL */
    const uint32_t *operands;
    size_t n_operands;
    uint32_t first_result, n_results; /* values, numbered through the function */
    tn_type type;                     /* of the first result */
} tn_walk_instruction;

/* Each may be NULL. One that returns false ends the walk. */
typedef struct tn_walker {
    bool (*function)(void *user, const tn_walk_function *f);
    bool (*instruction)(void *user, const tn_walk_instruction *i);
    bool (*hint)(void *user, const char *function, uint32_t id);
    void *user;
} tn_walker;

/* Show W all of M, always in the same order: functions, then regions, and of each its instructions,
 * then its hints. False when W ended it. */
TN_API bool tn_module_walk(const tn_module *m, const tn_walker *w);

/* ---- buffer plans --------------------------------------------------------------------------- */

enum {
    TN_BUFFER_PARAMETER = 1,
    TN_BUFFER_RESULT = 2,
    TN_BUFFER_TEMPORARY = 4,
    TN_BUFFER_CONSTANT = 8
};

typedef enum tn_buffer_alias {
    TN_ALIAS_NONE = 0,
    TN_ALIAS_IDENTITY, /* the bytes of its source */
    TN_ALIAS_VIEW      /* some of them, or in another order */
} tn_buffer_alias;

/* The memory of one value. */
typedef struct tn_planned_buffer {
    const char *function;
    uint32_t value;
    tn_type type;
    int64_t bytes;       /* -1: unknown */
    uint32_t usage;      /* TN_BUFFER_ bits */
    uint32_t begin, end; /* parameters at 0, instruction i at i + 1, results to their number + 1 */
    tn_buffer_alias alias;
    size_t source, group; /* buffers of the plan */
    int64_t slot, offset; /* of temporaries; -1: none */
} tn_planned_buffer;

typedef struct tn_buffer_plan tn_buffer_plan;

/* Plan the memory of M's values. Temporaries of one element type and size whose lifetimes do not
 * overlap share a slot; offsets are multiples of 64 in one block. The same for the same module.
 *
 * plan     owned by the caller, freed before M changes or is freed
 * returns  TN_ERR_REJECTED  a size overflows
 *          TN_ERR_NOMEM
 * source   PTIR v0.4, "Conversion services" */
TN_API tn_status tn_module_plan_buffers(const tn_module *m, tn_buffer_plan **plan);
TN_API void tn_buffer_plan_free(tn_buffer_plan *p);
TN_API size_t tn_buffer_plan_count(const tn_buffer_plan *p);
TN_API bool tn_buffer_plan_at(const tn_buffer_plan *p, size_t index, tn_planned_buffer *out);
TN_API size_t tn_buffer_plan_slots(const tn_buffer_plan *p);
/* Of the block of all slots; the most that temporaries need at one time, those of regions that run
 * then included. */
TN_API int64_t tn_buffer_plan_bytes(const tn_buffer_plan *p);
TN_API int64_t tn_buffer_plan_peak(const tn_buffer_plan *p);

/* ---- entry symbols -------------------------------------------------------------------------- */

/* Write the symbol of M's entry for generated code: NAME (NULL: that of the entry function) with
 * every character outside [A-Za-z0-9_] as `_`, then `__` and the 16 hexadecimal digits of the
 * FNV-1a hash of the program in binary PTIR. A program in another dialect is converted first.
 * returns  TN_ERR_REJECTED  PTIR cannot express M */
TN_API tn_status tn_module_entry_symbol(const tn_module *m, const char *name,
                                        const tn_writer *writer);

/* What a conversion depends on beside the program. */
typedef struct tn_cache_key {
    size_t size; /* of the structure; 0: its first layout */
    const char *target;
    uint32_t version;
    uint64_t options_hash;       /* the caller's, of the options of the conversion */
    const uint64_t *device_hash; /* NULL: it does not depend on a device */
} tn_cache_key;

/* Write the name under which the conversion of M can be kept: the FNV-1a hash of the program in
 * binary PTIR with functions called f0, f1, .., then `-`, target, `-v`, version, `-`, and the
 * hashes of options and device, each of 16 hexadecimal digits. Names of functions and values do not
 * matter; everything else does.
 * returns  TN_ERR_REJECTED  PTIR cannot express M; TN_ERR_USAGE without a target */
TN_API tn_status tn_module_cache_key(const tn_module *m, const tn_cache_key *key,
                                     const tn_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
