/* The public interface: read a program, check it, rewrite it, write it, run it.
 *
 *     tn_context *cx = tn_context_new(NULL, &sink);
 *     tn_module *m;
 *     if (tn_module_read(cx, NULL, text, length, &m) == TN_OK) { ... }
 *     tn_module_free(m);
 *     tn_context_free(cx);
 *
 * Every function that can fail returns a tn_status, and describes a failure to the diagnostic sink
 * (of the context, or of the run) before it returns. Result arguments come last and are set to NULL
 * or left alone on failure. Options structures may be NULL and their fields may be zero: that is
 * the default of each. The first field of those that may grow is their size: sizeof the structure,
 * or 0 for the layout that it had in version 0.1, so that only those who use newer fields must set
 * it. TN_ERR_USAGE tells of a size or of fields that the library does not know, and of a list that
 * is NULL where its count is not 0, unless NULL has a meaning of its own. Strings are UTF-8; names
 * that are passed in end with a NUL. No function writes to a global or ends the process.
 *
 * Files: compiling with the engine "jit", and a run that needs code for new sizes, load
 * libtenon-llvm.so when something must be compiled, and read and write the cache of compiled
 * kernels (tn_cache_options). Emitting a shared object starts the system's linker (cc, gcc, clang
 * or ld, along PATH) in a folder of its own in $TMPDIR, else /tmp, which is removed again.
 * tn_module_read_file and tenon/files.h read and write files that the caller names. Nothing else
 * touches a file.
 *
 * Environment: TENON_CACHE_DIR, TENON_CACHE_BYTES, XDG_CACHE_HOME and HOME for the cache, as far as
 * its options leave it open; TENON_LLVM_PLUGIN for the file to load as libtenon-llvm.so; PATH and
 * TMPDIR for the linker. Nothing else is looked at.
 *
 * Signals: while a file of the cache, of the linker or of a tn_file_set is unfinished, the thread
 * that writes it holds back SIGINT, SIGTERM, SIGHUP and SIGQUIT. Threads of the library that run
 * programs block all signals but those of faults (SIGSEGV, SIGBUS, ...).
 *
 * A context and everything made from it belong to one thread at a time. The exception is
 * tn_program, which many threads may run at once: see tn_program_run. A child of fork(), made while
 * no call was in progress, may use and free what its parent made; programs run on the calling
 * thread alone there. Trainers may only be freed. */
#ifndef TENON_TENON_H
#define TENON_TENON_H

#include "tenon/types.h"

#if defined(_WIN32)
#define TN_API
#elif defined(__GNUC__)
#define TN_API __attribute__((visibility("default")))
#else
#define TN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_context tn_context;
typedef struct tn_module tn_module;
typedef struct tn_program tn_program;

/* "major.minor.patch", static. */
TN_API const char *tn_version(void);
/* "f32", "si64", ...; NULL for a value outside the enumeration. */
TN_API const char *tn_dtype_name(tn_dtype dtype);
/* Bytes of one element in a buffer: i1, the 4-bit integers and fp8 take one; 0 as above. In memory
 * that callers hand in (inputs, constants, results of custom calls) an i1 is the byte 0 or 1, and a
 * 4-bit integer is sign- or zero-extended: -8 to 7, 0 to 15. Other bytes are refused. */
TN_API size_t tn_dtype_size(tn_dtype dtype);
/* Convert N elements by value, as the operation `cast` does: floats are rounded to nearest even,
 * integers saturate, NaN becomes the integer 0.
 *
 * src, dst  need no alignment; they do not overlap, but may be equal for types of one size
 * returns   TN_ERR_USAGE for a type that does not exist, and for complex to real */
TN_API tn_status tn_dtype_convert(tn_dtype from, const void *src, tn_dtype to, void *dst, size_t n);

/* ---- contexts ---- */

/* What one user of the library owns: an allocator, a sink for diagnostics, limits.
 *
 * allocator  copied; NULL: malloc. Must outlive everything made from the context.
 * sink       copied; NULL: diagnostics are dropped and only the status remains. The sink may not
 *            call the library with the same context.
 * returns    NULL when there is no memory */
TN_API tn_context *tn_context_new(const tn_allocator *allocator, const tn_diagnostic_sink *sink);
/* Free CX, which may be NULL. Its modules must be freed before; programs may live on. */
TN_API void tn_context_free(tn_context *cx);

/* Set the limit called NAME for what is read and compiled from now on:
 *
 *     nodes          operations in a module (2^23)
 *     nesting        depth of literals and regions (128; at most 256)
 *     errors         reported before reading stops (100; 0: as many as there are)
 *     literal_bytes  all constants of a module together (4 GiB)
 *     output_bytes   the text of a module, an explanation or a report that is written (1 GiB)
 *     run_bytes      all tensors alive at once during a run (16 GiB)
 *     memory_bytes   all modules of the context together, and what rewriting them takes (8 GiB)
 *
 * returns  TN_ERR_USAGE for another name, or a value that does not fit (32 bits for the first
 * three)
 */
TN_API tn_status tn_context_set_limit(tn_context *cx, const char *name, uint64_t value);
/* Bound the time of what is read, checked, rewritten and compiled in CX from now on, all of it
 * together: then calls stop with TN_ERR_RUN (Timeout). Looked at whenever a module takes memory.
 * Runs have time limits of their own (tn_run_options).
 *
 * timeout_ns  wall-clock time from now; 0: no limit */
TN_API void tn_context_set_timeout(tn_context *cx, uint64_t timeout_ns);
/* Let CANCEL be asked as often: true stops the call (Cancelled). NULL: nobody is asked. */
TN_API void tn_context_set_cancel(tn_context *cx, bool (*cancel)(void *user), void *user);

/* Messages that advise to set something name it as these headers do. A program whose users know it
 * by other names, such as flags, gives them: with {"bindings", "--dim"} the advice is to use
 * `--dim`.
 *
 * setting  bindings, known, dialect, entry, results, max_pieces, limit, turns, exact_only, engine,
 *          tn_trainer_resume, loss, seed, batch, tn_op_at, tn_pass_at
 * names    N of them, instead of those given before; a setting without one keeps its name here, and
 *          names of other settings have no effect. Borrowed until CX, and every program that was
 *          made in it from now on, is freed */
TN_API void tn_context_name_settings(tn_context *cx, const tn_setting_name *names, size_t n);

/* ---- text going out ---- */

/* Receives bytes. `write` returns false when they could not be written; the call that was writing
 * then stops with TN_ERR_IO. */
typedef struct tn_writer {
    bool (*write)(void *user, const char *bytes, size_t n);
    void *user;
} tn_writer;

typedef enum tn_diagnostic_style {
    TN_DIAGNOSTIC_TEXT = 0, /* file:line:col, the source line, a marker under the place */
    TN_DIAGNOSTIC_COLOR,    /* the same with terminal colours */
    TN_DIAGNOSTIC_JSON      /* one object on one line */
} tn_diagnostic_style;

/* Write one diagnostic, line end included. Meant for use in a sink: CX only provides memory.
 * returns  TN_ERR_NOMEM or TN_ERR_IO, without a diagnostic of their own */
TN_API tn_status tn_diagnostic_write(const tn_context *cx, const tn_diagnostic *diagnostic,
                                     tn_diagnostic_style style, const tn_writer *writer);

/* ---- modules ---- */

typedef enum tn_profile {
    TN_PROFILE_EXTENDED = 0, /* the dialect with all of the library's extensions */
    TN_PROFILE_CORE_V1       /* MIND Core v1 to the letter */
} tn_profile;

typedef enum tn_slice_negative {
    TN_SLICE_WRAP = 0, /* MIND: negative slice bounds count from the end */
    TN_SLICE_CLAMP     /* they become 0 */
} tn_slice_negative;

/* A value for a symbolic extent. */
typedef struct tn_binding {
    const char *symbol;
    int64_t extent;
} tn_binding;

struct tn_buffer;
/* An input that has one value for good, known while the program is read: it is no input then. The
 * value is converted to the type that the program declares, which must hold integers exactly. */
typedef struct tn_known_input {
    const char *name;
    const struct tn_buffer *value;
} tn_known_input;

/* The extents of an input, where a program leaves them open. */
typedef struct tn_input_shape {
    const char *name;
    uint32_t rank;
    const int64_t *dims; /* TN_DIM_UNKNOWN: left open */
} tn_input_shape;

typedef struct tn_read_options {
    size_t size;         /* of the structure; 0: its first layout */
    const char *dialect; /* NULL: from the extension of `file`, else from the text itself */
    const char *file;    /* name shown in diagnostics; NULL: "<memory>". It is not opened. */
    tn_profile profile;
    tn_slice_negative slice_negative;
    bool strict;               /* Tiny IR: the published text to the letter; nothing is inserted */
    uint32_t max_pieces;       /* Tiny IR: most pieces in a chain of movement; 0: 64 */
    const char *entry;         /* the function that is the entry; NULL: the program says, or in MIND
                                  source `main`, else the last, and only that is read */
    const char *const *inputs; /* MIND source: free variables of a script, each "x=f32[2,3]" */
    size_t n_inputs;
    /* ONNX, StableHLO: sizes that are known now, so that what depends on them is */
    const tn_binding *bindings;
    size_t n_bindings;
    const tn_known_input *known; /* ONNX, StableHLO: such inputs, on which shapes may depend */
    size_t n_known;
    /* ONNX: where data of tensors comes from that lies in files beside the model. Sets *DATA to the
     * LENGTH bytes behind the first OFFSET of the file LOCATION: a relative name without `..`, as
     * the model writes it, which may still lead anywhere by links. Returns NULL, or what is wrong,
     * in a text that stays until the module is read. The bytes stay, unchanged, until the module,
     * its copies and all programs compiled from them are freed; they are not copied where they are
     * large and aligned for their elements. NULL: models with such data are refused. */
    const char *(*external)(void *user, const char *location, uint64_t offset, uint64_t length,
                            const void **data);
    void *external_user;
    /* ONNX, StableHLO: shapes of inputs, from which sizes follow that `bindings` does not give;
     * what names no input, or has another rank, is passed over */
    const tn_input_shape *shapes;
    size_t n_shapes;
    /* ONNX, StableHLO: what a file of weights has, as `known`. A name is that of an input, or its
     * path with or without the argument in front (`params['mlp'][0].w` is `params.mlp.0.w`,
     * `params/mlp/0/w` and `mlp.0.w`), or its position (`3`). What no input is called by is passed
     * over. */
    const tn_known_input *weights;
    size_t n_weights;
    /* StableHLO: how many processes run the program together, replicas times partitions. It calls
     * the kernels of tn_context_register_exchange where they exchange data. 0 or 1: it runs alone
     */
    uint32_t processes;
    /* ONNX: values of the model's graph that are the results, instead of its outputs. Nodes and
     * inputs that these do not need are not looked at, so that a model can be cut off before what
     * is refused. 0: the outputs. Programs of other dialects are refused with such names. */
    const char *const *results;
    size_t n_results;
} tn_read_options;

/* Read a program from LENGTH bytes of text.
 *
 * text      borrowed for the call only: the module keeps its own copy for later diagnostics.
 *           Constants of 64 KiB or more may lie in that copy, as the weights of ONNX models do:
 *           then all of it stays in memory until the last module and program that use one are freed
 * module    owned by the caller, who frees it with tn_module_free before the context
 * returns   TN_ERR_REJECTED  the text is not a valid program; every fault was reported
 *           TN_ERR_USAGE     unknown dialect, or none is given and none can be guessed; no function
 *                            is called as `entry` says; a malformed value in `known`, `weights`
 *           TN_ERR_NOMEM
 * threads   one at a time for each context */
TN_API tn_status tn_module_read(tn_context *cx, const tn_read_options *options, const char *text,
                                size_t length, tn_module **module);
/* The same with the text in the file PATH, which may be a pipe, or standard input for "-". In
 * diagnostics it is called PATH, unless options->file gives another name.
 * returns   also TN_ERR_IO when it cannot be read, or is 4 GiB or larger */
TN_API tn_status tn_module_read_file(tn_context *cx, const tn_read_options *options,
                                     const char *path, tn_module **module);
/* Read a program that is refused without the inputs of a run, or that leaves sizes open which they
 * do not fit: of PATH, or of LENGTH bytes of TEXT where PATH is NULL. The extents of INPUTS are
 * known then, as with `shapes`; where that is not enough, the values of those that may be shapes,
 * axes or conditions are, too, as with `known`: of integers, and then of lists of a few floats.
 * Where all is refused, the reports are those of the first attempt.
 *
 * inputs   by name; the data of a value may be NULL, so that it is not looked at; borrowed
 * taken    NULL, or one for each of INPUTS: true, its value is known, and it is no input of the
 *          module
 * returns  as tn_module_read_file */
TN_API tn_status tn_module_read_for(tn_context *cx, const tn_read_options *options,
                                    const char *path, const char *text, size_t length,
                                    const tn_known_input *inputs, size_t n_inputs, bool *taken,
                                    tn_module **module);
/* Make a module of the same context that is as M is now, and changes on its own.
 *
 * copy     owned by the caller: tn_module_free; NULL on failure
 * returns  TN_ERR_NOMEM */
TN_API tn_status tn_module_copy(const tn_module *m, tn_module **copy);
/* Free M, which may be NULL. Programs compiled from it are not affected. */
TN_API void tn_module_free(tn_module *m);

/* What a module is as a whole. Texts are borrowed from it. */
typedef struct tn_module_info {
    size_t size;         /* of the structure; 0: its first layout */
    const char *dialect; /* that tn_module_write uses by itself: "ptir" for what was built in
                            C; NULL: none */
    const char *entry;   /* the name of the function that is compiled, differentiated, and whose
                            inputs and outputs are those of the module */
    bool is_lowered;     /* it was read from a dialect whose texts are not kept as they are, such as
                            MIND source, and is what that text means in `dialect` */
    const char *lowered_from; /* where `is_lowered`: that dialect, which may be `dialect` itself
                                 (StableHLO); else NULL */
} tn_module_info;

/* Fill INFO, whose size is set. returns TN_ERR_USAGE for a size below that of the first layout */
TN_API tn_status tn_module_get_info(const tn_module *m, tn_module_info *info);

/* How much there is in a module, its regions included. */
typedef struct tn_module_counts {
    size_t size;                /* of the structure; 0: its first layout */
    uint64_t operations;        /* constants among them, inputs not */
    uint64_t parameters;        /* elements of constants, without those of one element and those
                                   that repeat one number */
    uint64_t parameter_tensors; /* how many constants these are */
    uint64_t parameter_bytes;   /* and their bytes */
} tn_module_counts;

/* Fill COUNTS, whose size is set. returns TN_ERR_USAGE for a size below that of the first layout */
TN_API tn_status tn_module_get_counts(const tn_module *m, tn_module_counts *counts);

/* Make the function NAME (NULL: that which is) the entry of M, and with ONLY drop the others, so
 * that dialects with one function can take M. (tn_module_walk shows all functions.) A warning tells
 * of random numbers that will be others without the functions before them.
 * returns  TN_ERR_USAGE  no such function; M is as before */
TN_API tn_status tn_module_select_entry(tn_module *m, const char *name, bool only);

struct tn_binding;
/* Give symbolic sizes of M their values for good, everywhere, and check what comes of it. (Sizes
 * may also get values when M is compiled, or by the tensors of a run.)
 *
 * returns  TN_ERR_USAGE     a binding names no symbol of M, or one twice
 *          TN_ERR_REJECTED  a negative extent, another value than the text of M gives the symbol,
 *                           a symbol that still has no value (UnboundSymbol), or a rule that M
 *                           breaks with these sizes
 *          TN_ERR_NOMEM
 * After any failure M may only be freed. Without bindings nothing happens. */
TN_API tn_status tn_module_bind(tn_module *m, const struct tn_binding *bindings, size_t n);

/* Make an input a constant: it has this value in every run from now on and is no input any more;
 * the inputs behind it move up. The pass fold-parameters then computes what depends on constants
 * alone, however large, and dce drops what nothing else uses.
 *
 * input    position among the inputs of M as they are now
 * value    of exactly the input's type; copied. Symbols in that type take their values from its
 *          shape in all of M, whose names that were handed out earlier are gone then
 * returns  TN_ERR_USAGE     no such input
 *          TN_ERR_INPUT     another type, fewer bytes than that needs, or bytes that are no
 *                           elements (tn_dtype_size)
 *          TN_ERR_REJECTED  a size in the input's type is not determined by its shape
 *                           (UnboundSymbol) or M does not fit together with it, or the input is
 *                           larger than the limit literal_bytes
 *          TN_ERR_NOMEM
 * M is as before after any failure. */
TN_API tn_status tn_module_set_constant(tn_module *m, size_t input, const struct tn_buffer *value);

/* Make a constant an input, in the order of the program's text: where ONNX was read, behind the
 * inputs there are. The constants of ONNX have the names of their initializers.
 *
 * name     of the constant in the text or file, and of the input
 * value    what it was, borrowed until M is freed; NULL: not wanted
 * returns  TN_ERR_USAGE     no constant, or several, or an input that is called so
 *          TN_ERR_REJECTED  the value, which M holds as one element, has more bytes than the
 *                           limit literal_bytes
 *          TN_ERR_NOMEM
 * M is as before after any failure. */
TN_API tn_status tn_module_open_constant(tn_module *m, const char *name, struct tn_buffer *value);
/* The same, but the data is not copied: value->data must stay, unchanged, until M, its copies and
 * all programs compiled from them are freed, and be aligned for the elements (TN_ERR_INPUT). */
TN_API tn_status tn_module_borrow_constant(tn_module *m, size_t input,
                                           const struct tn_buffer *value);

/* Check every rule again: what reading guarantees and each pass must keep.
 * returns  TN_ERR_REJECTED after reporting every fault; TN_ERR_NOMEM */
TN_API tn_status tn_module_verify(tn_module *m);

/* Called after each pass. It may write M but not change it. */
typedef struct tn_pass_observer {
    void (*after)(void *user, const tn_module *m, const char *pass, uint32_t n_changed);
    void *user;
} tn_pass_observer;

/* Run the passes named in PASSES ("canonicalize,cse"), in the order given; each result is verified.
 *
 * observer  NULL: none
 * returns   TN_ERR_USAGE for an unknown pass (nothing has run then). After any other failure the
 *           module may only be freed.
 * source    docs/numerics.md says what each class of pass may change */
TN_API tn_status tn_module_run_passes(tn_module *m, const char *passes,
                                      const tn_pass_observer *observer);
/* How much is done to a program before it runs. */
typedef enum tn_level {
    TN_LEVEL_DEFAULT = 0, /* TN_LEVEL_2 */
    TN_LEVEL_0,           /* nothing */
    TN_LEVEL_1,           /* passes that change no bit of any result */
    TN_LEVEL_2            /* all passes */
} tn_level;

/* The same with the passes of a level. TN_ERR_USAGE for another number than those. */
TN_API tn_status tn_module_optimize(tn_module *m, tn_level level, const tn_pass_observer *observer);
/* The same with relaxed numerics: see tn_numerics. */
TN_API tn_status tn_module_optimize_relaxed(tn_module *m, tn_level level,
                                            const tn_pass_observer *observer);

/* Write M as text.
 *
 * dialect  NULL: the one it was read from
 * style    one of the dialect's styles; NULL: its canonical form
 * returns  TN_ERR_USAGE     unknown dialect or style
 *          TN_ERR_REJECTED  the dialect cannot express something; nothing is written
 *          TN_ERR_IO        the writer failed
 *          TN_ERR_NOMEM */
TN_API tn_status tn_module_write(const tn_module *m, const char *dialect, const char *style,
                                 const tn_writer *writer);

typedef struct tn_write_options {
    size_t size;                 /* of the structure; 0: its first layout */
    const char *dialect, *style; /* as in tn_module_write */
    bool comments;               /* of a gradient: say what each value belongs to */
    bool needs_map;              /* of a gradient: refuse a dialect without a place for its map */
    bool entry;                  /* MLIR: add a function @entry that runs M on `inputs` and prints
                                    the outputs */
    const struct tn_buffer *inputs; /* for each input of M, a tensor of its type */
    size_t n_inputs;
    const char *external_location; /* ONNX: constants of 4096 bytes or more go to another file,
                                      which the model calls so; NULL: all stay in the model */
    const tn_writer *external;     /* gets the bytes of that file, before those of the model */
} tn_write_options;

/* The same with more to choose.
 * returns  TN_ERR_USAGE     also where the dialect has no comments, no place for a map, no function
 *                           that runs it, or no data in other files
 *          TN_ERR_INPUT     `inputs` are not of the types of M's inputs */
TN_API tn_status tn_module_write_with(const tn_module *m, const tn_write_options *options,
                                      const tn_writer *writer);

/* ---- gradients ---- */

/* Values are named as in the program's text (inputs by their name, others by theirs or as %number),
 * inputs and outputs also by position. Fields may be zero. */
typedef struct tn_gradient_options {
    size_t size;      /* of the structure; 0: its first layout */
    const char *loss; /* the output to differentiate, by position or else name; NULL: the first */
    const char *const *wrt; /* the inputs to differentiate by; NULL: every floating-point one */
    size_t n_wrt;
    const char *cotangent; /* the input that holds the gradient of the loss, of the same type */
    double seed;           /* without a cotangent: the gradient of every element of the loss; 0: 1,
                              and the loss must have one element */
    const char *const *recompute; /* values that the gradient computes again, not keeps */
    size_t n_recompute;
    tn_profile profile; /* CORE_V1: Core v1 instructions only, and no derivative of Conv2d */
    bool unverified;    /* the gradient module is not verified */
    bool conv2d;        /* CORE_V1: the derivative of Conv2d too, in Core v1 instructions */
} tn_gradient_options;

/* Make the gradient module of M by reverse-mode differentiation: the operations of M, then those of
 * the gradient, canonical and verified. Its outputs are those of M, then one gradient for each
 * input of `wrt`. Can itself be differentiated.
 *
 * options   NULL: all defaults
 * gradient  owned by the caller: tn_module_free; NULL on failure. M is not changed.
 * returns   TN_ERR_REJECTED  an operation has no derivative (NoDerivative), the loss has more than
 *                            one element (GradientShape), the loss or an input is no float
 *                            (NotDifferentiable)
 *           TN_ERR_USAGE     no such input, output or value
 *           TN_ERR_NOMEM
 * source    MIND autodiff; docs/gradients.md has the rules and their order */
TN_API tn_status tn_module_gradient(const tn_module *m, const tn_gradient_options *options,
                                    tn_module **gradient);
/* The map of a gradient module: how many inputs have a gradient, and the INDEX-th pair: position of
 * the input, and of the output that is its gradient (SIZE_MAX: no input, no output). */
TN_API size_t tn_module_gradient_count(const tn_module *m);
TN_API bool tn_module_gradient_at(const tn_module *m, size_t index, size_t *input, size_t *output);
/* Without the map M is an ordinary module; its text no longer lists the pairs. */
TN_API void tn_module_forget_gradients(tn_module *m);

/* ---- types and interfaces ---- */

/* An extent that is a symbol without a value. */
#define TN_DIM_UNKNOWN (-1)

typedef struct tn_type {
    tn_dtype dtype;
    uint32_t rank;
    int64_t dims[TN_MAX_RANK]; /* the first `rank` count; >= 0, or TN_DIM_UNKNOWN */
} tn_type;

/* One input or output. */
typedef struct tn_port {
    const char *name; /* borrowed from the module or program. Of an input: under which it takes
                         data (Tiny IR: its `tensor_id`). Of an output: of its value, also where
                         that is an input (Tiny IR: the `id` of the node). `%7` for a value without
                         a name */
    tn_type type;
} tn_port;

TN_API size_t tn_module_input_count(const tn_module *m);
TN_API size_t tn_module_output_count(const tn_module *m);
/* Port INDEX in interface order. returns TN_ERR_USAGE when there is none; TN_ERR_NOMEM */
TN_API tn_status tn_module_input(const tn_module *m, size_t index, tn_port *port);
TN_API tn_status tn_module_output(const tn_module *m, size_t index, tn_port *port);

/* The name of the INDEX-th symbol that an extent in M depends on; tn_module_bind gives it a value.
 * NULL past the last; without memory, which is reported. */
TN_API const char *tn_module_symbol(const tn_module *m, size_t index);
/* Extent AXIS of input or output INDEX as text, which lives as long as M: `3`, a symbol such as
 * `batch`, or an expression of symbols such as `(batch*2)`, or `...` for a very long one. NULL when
 * there is no such axis, or no memory, which is reported. */
TN_API const char *tn_module_input_extent(const tn_module *m, size_t index, uint32_t axis);
TN_API const char *tn_module_output_extent(const tn_module *m, size_t index, uint32_t axis);

/* ---- programs ---- */

/* Which changes of results are allowed. */
typedef enum tn_numerics {
    TN_NUMERICS_EXACT = 0, /* the bits that docs/numerics.md defines, on every machine */
    TN_NUMERICS_RELAXED /* also passes and instructions that change some of them, unless the level
                           is TN_LEVEL_0; docs/numerics.md, "Relaxed numerics", says which */
} tn_numerics;

/* Something that took time. Texts live as long as the program. */
typedef struct tn_profile_event {
    const char *name;         /* of a pass, an operation or a kernel */
    const char *kind;         /* "compile", "kernel", "reference", "copy", "control" or "run" */
    int64_t begin_ns, end_ns; /* of CLOCK_MONOTONIC */
    uint32_t threads;         /* that took part */
    uint64_t bytes, flops;    /* moved and computed; 0: not known */
    const void *step;         /* the same address in all events of one step of a program, such as
                                 the turns of a loop; NULL: not a step */
} tn_profile_event;

/* Receives events on the thread that compiles or runs; the outer one of two that nest comes last.
 */
typedef struct tn_profiler {
    void (*event)(void *user, const tn_profile_event *event);
    void *user;
} tn_profiler;

/* Where compiled kernels are kept between runs of a process. Files that are not the user's own are
 * not read; a folder that cannot be used, or that others may write to, keeps nothing. */
typedef struct tn_cache_options {
    size_t size;        /* of the structure; 0: its first layout */
    const char *folder; /* made if missing; NULL: $TENON_CACHE_DIR, else $XDG_CACHE_HOME/tenon, else
                           $HOME/.cache/tenon */
    uint64_t bytes;     /* that all files may take together; what was not used for longest goes.
                           0: $TENON_CACHE_BYTES, else 256 MiB. There 0 means off; so does text
                           that is no number, after a warning */
    bool off;           /* nothing is read or written */
} tn_cache_options;

/* A cache as it is now. */
typedef struct tn_cache_state {
    size_t size;       /* of the structure, set by the caller; 0: its first layout */
    bool is_used;      /* the folder can be used, and the cache is not off */
    char folder[4096]; /* its path; "" where nothing says where it is */
    uint64_t files;    /* compiled kernels */
    uint64_t bytes;    /* that they take */
    uint64_t limit;    /* that they may take */
    bool is_off;       /* the options or TENON_CACHE_BYTES turn it off */
} tn_cache_state;

/* What the cache of OPTIONS (NULL: all zero) holds; its folder is made if missing. A cache that is
 * not used holds nothing. May be called while others use the cache.
 * Errors: TN_ERR_USAGE for options or a state of another layout. */
TN_API tn_status tn_cache_get_state(tn_context *cx, const tn_cache_options *options,
                                    tn_cache_state *state);
/* The same, after which all of its files are removed, as far as the system permits; STATE (may be
 * NULL) is what was there before. Programs that are compiled stay as they are. */
TN_API tn_status tn_cache_clear(tn_context *cx, const tn_cache_options *options,
                                tn_cache_state *state);

typedef struct tn_compile_options {
    size_t size; /* of the structure; 0: its first layout */
    tn_level level;
    tn_numerics numerics;
    const char *engine; /* "ref", the reference evaluator, or "jit" (NULL), which gives the same
                           bits faster, or warns (BackendUnavailable; once in a context) that there
                           is no machine code and runs reference kernels */
    const char *device; /* NULL: "cpu", the only one so far */
    const tn_binding *bindings; /* each symbol at most once */
    size_t n_bindings;
    const char *cpu;            /* that machine code is for: "native" (NULL), "x86-64-v3", ... */
    uint32_t threads;           /* of a run, at most; 0: as many as the machine has. They start with
                                   the first run that has work for them and end with the program */
    const tn_thread_pool *pool; /* run on these threads; copied. NULL: the program has its own */
    const tn_profiler *profiler; /* of the compilation; NULL: none */
    bool check; /* compare every run with the reference evaluator, kernel by kernel (slow): the
                   first that differs is reported with all that is needed to find out why. Nothing
                   to compare with engine "ref" */
    const tn_cache_options *cache; /* of kernels compiled for it; copied. NULL: all zero */
    const char *schedule;  /* of its matrix products and convolutions, for tuning: choices as
                              tn_program_dump shows them with "kernels", such as "rows=8,vectors=2"
                              (docs/compiler.md). Each takes those that it can have, and makes the
                              others itself; the bits of results stay the same. NULL: none */
    uint64_t memory_bytes; /* what a run may hold of values between inputs and outputs: to keep
                              within it, as far as that is found, values are computed again where
                              they are needed, which changes no bit. 0: everything is kept */
    bool eager;     /* compile all code optimised. Else kernels with little to do may first get code
                       that is ready sooner and slower, with the same bits; the second run of the
                       program compiles the optimised code before it begins, which counts for its time
                       limit. Where sizes are open until a run, `pool` is given or the allocator is not
                       the system's, all code is optimised without being asked for. Open sizes whose
                       runs have taken long get code for these alone, likewise, in a run without a
                       time limit */
    bool plan_only; /* the program is to be explained and shown, and cannot be run: `cpu` may be one
                       whose code this machine cannot run, for which there is none */
} tn_compile_options;

/* Make M executable. The program keeps a copy of its own: M may be changed or freed afterwards, and
 * so may the context. Kernels for custom calls are those that the context has now.
 *
 * A program whose inputs have symbolic extents without a value takes their values from the tensors
 * of each run: it is bound, checked and optimised for them then, and keeps what it made for the 64
 * choices of input extents that were used last.
 *
 * program   owned by the caller: tn_program_free
 * returns   TN_ERR_UNAVAILABLE  no such engine or device; the message lists what there is. No such
 *                               CPU, or, but for `plan_only`, this machine cannot run code for it
 *           TN_ERR_REJECTED     every input is known, but a symbol elsewhere has no value; or with
 *                               the values given the program breaks a rule
 *           TN_ERR_USAGE        a binding names no symbol of M, or one twice
 *           TN_ERR_NOMEM */
TN_API tn_status tn_program_compile(const tn_module *m, const tn_compile_options *options,
                                    tn_program **program);
/* Free P, which may be NULL. No run of it may be in progress. */
TN_API void tn_program_free(tn_program *p);

/* The interface. Extents that only a run knows are TN_DIM_UNKNOWN. Names and order are those of the
 * module. TN_ERR_USAGE past the last: nothing is reported, so that loops may end there */
TN_API size_t tn_program_input_count(const tn_program *p);
TN_API size_t tn_program_output_count(const tn_program *p);
TN_API tn_status tn_program_input(const tn_program *p, size_t index, tn_port *port);
TN_API tn_status tn_program_output(const tn_program *p, size_t index, tn_port *port);

/* A dense row-major tensor in memory of the caller's. */
typedef struct tn_buffer {
    void *data;   /* aligned for the element type; may be NULL without elements */
    size_t bytes; /* room at `data`: at least that of the elements */
    tn_type type; /* every extent known */
} tn_buffer;

typedef struct tn_run_options {
    size_t size;      /* of the structure; 0: its first layout */
    uint32_t threads; /* at most, the calling one among them; 0, or more than compiled for: as many
                         as that. Never changes a bit of the result; the reference evaluator always
                         uses the calling thread only. */
    uint64_t seed;    /* of the random generators in the program */
    const tn_diagnostic_sink *sink; /* for this run; NULL: the one of the context that compiled */
    uint64_t timeout_ns; /* of wall-clock time; 0: no limit. Checked before each operation, in each
                            iteration of a loop, and every few milliseconds inside of long ones */
    const tn_profiler *profiler; /* NULL: none */
    bool (*cancel)(void *user);  /* asked as often, on any thread that works for the run: true ends
                                    it, and must be the answer from then on. NULL: nothing does */
    void *cancel_user;
    uint64_t cancel_interval_ns; /* not 0: `cancel` is asked on the calling thread only, and first
                                    after this time, then once in it: for hooks that are slow */
    bool discards;               /* a failure may leave anything in given outputs. Where a run can
                                    fail late, they need not be held and copied then */
    void (*written)(void *user, size_t output); /* with `discards`: called once for each given
                                    output, on the calling thread, as soon as the run has written
                                    all of it and does not read it again; at the latest before the
                                    run returns. What was told is of no use when it fails. NULL:
                                    nothing is */
    void *written_user;
} tn_run_options;

/* Run P once.
 *
 * in, out   borrowed; n_in and n_out must match the inputs and outputs of P, in order. Inputs are
 *           only read. out[k].data NULL asks for memory: the library then sets data, bytes and type
 *           of out[k], and the caller frees it with tn_buffer_release. Otherwise out[k] is filled.
 *           An output may not overlap another output; it may overlap inputs. If it has the address
 *           of the input that it is an updated copy of (dynamic_update_slice on a cache), only the
 *           window is written, unless something can fail later in the run.
 * shapes    in[k].type must equal the type of input k, with any extent where that has
 *           TN_DIM_UNKNOWN; a given out[k].type that of output k with the extents of this run.
 * returns   TN_OK               every output is written
 *           TN_ERR_INPUT        wrong count, type, size or alignment; bytes that are no elements
 *                               of an i1 or 4-bit integer (tn_dtype_size); one symbol with two
 *                               values (DimensionBinding), a negative extent (NegativeDimension),
 *                               a symbol that the inputs do not determine (UnboundSymbol), or any
 *                               rule that the program breaks with these extents
 *           TN_ERR_RUN          an operation failed, for example an index out of bounds; or the
 *                               time was up (Timeout), or `cancel` said so (Cancelled)
 *           TN_ERR_REJECTED     a kernel does not take its custom call (InvalidAttribute)
 *           TN_ERR_UNAVAILABLE  a custom call has no kernel (NotImplemented)
 *           TN_ERR_NOMEM        also when the limit run_bytes was reached
 *           TN_ERR_USAGE        the program was compiled with `plan_only`
 *           TN_ERR_INTERNAL     compiled code differs from the reference evaluator (`check`)
 *           After a failure no byte of an output was written, but for Timeout, Cancelled,
 *           differences that `check` found and `discards`, which leave anything in given outputs.
 *           Nothing stays allocated but for what the program keeps.
 * threads   any number of threads may run one program at once, with distinct outputs. The allocator
 *           is used by all of them; each run reports to its sink on its own thread. */
TN_API tn_status tn_program_run(const tn_program *p, const tn_buffer *in, size_t n_in,
                                tn_buffer *out, size_t n_out, const tn_run_options *options);
/* Fill BUFFER, memory of the caller's with a type that input INDEX takes, with data to try P out
 * on: the same for the same type, INDEX and SEED on every machine. Floats and the parts of complex
 * numbers are uniform over the multiples of 2^(1-p) in [-1, 1), where p is the precision of the
 * element type; signed integers uniform in -8..7, unsigned ones in 0..15; i1 is a coin. An integer
 * input that gives positions in an extent that is known, as it is or moved, cast or passed through
 * regions, is uniform over the positions that exist instead.
 *
 * buffer   data NULL asks for memory: then data, bytes and type are set, and the caller frees it
 *          with tn_buffer_release
 * returns  TN_ERR_USAGE for another type or index, or a buffer that is too small, and nothing is
 *          reported; when memory is asked for, for a symbolic size without a value, which is
 *          TN_ERR_NOMEM, also above the limit run_bytes */
TN_API tn_status tn_program_random_input(const tn_program *p, size_t index, uint64_t seed,
                                         tn_buffer *buffer);

/* Can TENSOR be input INDEX of P? Asked before there is data, it saves reading what does not fit.
 * Files lack some element types: a tensor of the unsigned or signed integers that NumPy users take
 * for bf16, fp8 and 4-bit types fits as well (4-bit: when all elements are in range), and becomes
 * one of the type that P wants.
 *
 * tensor   borrowed; data NULL: only the type is looked at. NULL: there is none, which is reported
 *          as a run does (MissingInput)
 * from     what holds it, for messages, such as the name of a file; NULL: "the tensor given"
 * returns  TN_ERR_INPUT  another type (InputMismatch), or only a symbol with another value than it
 *                        has (DimensionBinding)
 *          TN_ERR_USAGE  no such input
 * threads  any number at once; reports to the sink of the context that compiled P */
TN_API tn_status tn_program_check_input(const tn_program *p, size_t index, tn_buffer *tensor,
                                        const char *from);

/* Free the memory that a run of P, or tn_program_random_input, allocated for BUFFER, and clear
 * BUFFER. */
TN_API void tn_buffer_release(const tn_program *p, tn_buffer *buffer);

/* Write the elements of TENSOR in nested rows, `[[1.0, 2.0],\n [3.0, 4.0]]`: floats with as many
 * digits as tell them from their neighbours, complex numbers as `(re, im)`. With more than MOST
 * elements, only the ends of long axes.
 *
 * cx       only provides memory
 * returns  TN_ERR_USAGE for a tensor with an unknown extent or without its data; TN_ERR_NOMEM and
 *          TN_ERR_IO, without a diagnostic of their own */
TN_API tn_status tn_buffer_write(const tn_context *cx, const tn_buffer *tensor, size_t most,
                                 const tn_writer *writer);

/* ---- code made ahead of time ---- */

/* What is written. All forms have one entry, which the header declares:
 *
 *     int NAME_run(const void *const *inputs, void *const *outputs, void *workspace)
 *
 * Tensors are dense, row-major, aligned for their elements and in the order of the program;
 * outputs overlap nothing. The workspace has NAME_WORKSPACE_BYTES bytes, aligned to 64. Returns 0;
 * -1, with nothing done, where one of these addresses is not aligned; -4, with nothing done, where
 * an input has bytes that are no elements of its type (tn_dtype_size); or another number when an
 * operation failed (an index out of bounds): outputs hold anything then.
 * Results have the bits of tn_program_run. The code needs nothing of this library, keeps no state,
 * and runs on the calling thread, unless `shares_work` asks for more: any number of threads may
 * call it with workspaces of their own. Little-endian machines. */
typedef enum tn_emit_form {
    TN_EMIT_C = 0,    /* one C11 file for gcc and clang, of any machine */
    TN_EMIT_HEADER,   /* its sizes and contract, for C and C++ */
    TN_EMIT_OBJECT,   /* position independent; it may need -lm */
    TN_EMIT_ASSEMBLY, /* the same as text */
    TN_EMIT_LLVM_IR,
    TN_EMIT_ARCHIVE, /* a static library with the object in it */
    TN_EMIT_SHARED,  /* a shared object, made by the system's linker */
    TN_EMIT_WEIGHTS  /* the constants, as code with `takes_weights` wants them in memory */
} tn_emit_form;

typedef struct tn_emit_options {
    size_t size;        /* of the structure; 0: its first layout */
    const char *name;   /* a C identifier; NULL: "program" */
    const char *target; /* a triple such as "aarch64-linux-gnu"; NULL: this machine */
    const char *cpu;    /* as in tn_compile_options; "native" (NULL) of another machine is the
                           simplest one. C is of any machine, and fast on this one */
    uint64_t seed;      /* of the random generators in the program, as in tn_run_options */
    bool takes_weights; /* constants are not in the code: the entry has one parameter more,
                           `const void *weights`, the bytes of TN_EMIT_WEIGHTS at an address
                           aligned to 64; it returns -3, with nothing done, for NULL, and where
                           a mark in them is not that of this program; it looks at no other bytes */
    bool shares_work;   /* the entry has one parameter more, the last: `const struct tenon_threads
                           *threads`, of the layout of tn_thread_pool, over which kernels are shared
                           out (NULL: none). The workspace has NAME_WORKSPACE_BYTES(threads) bytes */
} tn_emit_options;

/* Write P, whose sizes all have values, as code. The engine that P was compiled for does not matter
 * ("ref" compiles fastest).
 *
 * returns  TN_ERR_REJECTED     a symbolic size has no value (UnboundSymbol)
 *          TN_ERR_UNAVAILABLE  an operation has no compiled form, such as a custom call
 *                              (NotImplemented: one diagnostic for each); LLVM or a linker is not
 *                              installed, or the machine is not known (BackendUnavailable)
 *          TN_ERR_USAGE        the name is no identifier
 *          TN_ERR_IO           the writer failed, or a temporary file of the linker
 *          TN_ERR_NOMEM
 * threads  one call at a time for one program; runs may go on meanwhile
 * reports  to the sink of the context that compiled P */
TN_API tn_status tn_program_emit(const tn_program *p, tn_emit_form form,
                                 const tn_emit_options *options, const tn_writer *writer);

/* Write what the compiler made of P, for people (or, with JSON, as one object): each kernel, what
 * it computes, reads and writes, what that must take on this machine at least, and why its operands
 * are not computed in it. All sizes of P must have values.
 *
 * returns  TN_ERR_REJECTED  a symbolic size has no value (UnboundSymbol)
 *          TN_ERR_IO        the writer failed
 *          TN_ERR_NOMEM
 * threads  as tn_program_emit */
TN_API tn_status tn_program_explain(const tn_program *p, bool json, const tn_writer *writer);

/* What a run of a program takes, as the compiler made it. Kernels are counted where they stand;
 * what they compute and move is that of all turns of a scan, of one turn of a while, and of the
 * region of a cond that takes less. */
typedef struct tn_program_costs {
    size_t size; /* of the structure; 0: its first layout */
    uint64_t kernels, flops, moved_bytes;
    uint64_t memory_bytes; /* that a run on one thread holds beside inputs, outputs and parameters;
                              0 where the evaluator needs much less than kernels would */
} tn_program_costs;

/* Fill COSTS, whose size is set. The engine that P was compiled for does not matter.
 * returns  TN_ERR_REJECTED  a symbolic size has no value (UnboundSymbol)
 *          TN_ERR_USAGE     a size below that of the first layout
 *          TN_ERR_NOMEM
 * threads  as tn_program_emit */
TN_API tn_status tn_program_get_costs(const tn_program *p, tn_program_costs *costs);

/* Write one of the forms between the program and machine code, or all of them in order. STAGE is
 * "graph" (as the passes left it), "lowered" (without composite operations), "kernels" (which
 * operations run together, and through which index maps), "loops" (the loop programs of kernels),
 * "program" (buffers with their places, and steps) or "all". NUMBER: of kernels and loops, only
 * those of the kernel with that number; -1: of all. The text is for reading: it may change with
 * every version. Returns as tn_program_explain, and TN_ERR_USAGE for another STAGE and a NUMBER
 * that no kernel has. */
TN_API tn_status tn_program_dump(const tn_program *p, const char *stage, int64_t number,
                                 const tn_writer *writer);

/* ---- the shape engine ---- */

/* What the value of an attribute is; each attribute name has one kind (tn_op_attribute). */
typedef enum tn_attribute_kind {
    TN_ATTRIBUTE_INT = 0,
    TN_ATTRIBUTE_BOOL,
    TN_ATTRIBUTE_FLOAT,
    TN_ATTRIBUTE_INTS,
    TN_ATTRIBUTE_WORD,
    TN_ATTRIBUTE_DTYPE,
    TN_ATTRIBUTE_STRING,
    TN_ATTRIBUTE_SCALAR,
    TN_ATTRIBUTE_TYPE,
    TN_ATTRIBUTE_TYPES,
    TN_ATTRIBUTE_LITERAL,
    TN_ATTRIBUTE_REGION,
    TN_ATTRIBUTE_DICT
} tn_attribute_kind;

/* One attribute by name. Only the field of the name's kind is looked at; all pointers are borrowed
 * for the call. Regions and dictionaries cannot be given this way. */
typedef struct tn_attribute {
    const char *name;
    int64_t i;             /* INT; BOOL as 0 or 1; DTYPE as tn_dtype */
    double f;              /* FLOAT; SCALAR */
    const int64_t *ints;   /* INTS */
    const char *text;      /* WORD, STRING */
    const tn_type *types;  /* TYPE, TYPES */
    const tn_buffer *data; /* LITERAL */
    size_t n;              /* entries of ints, types */
} tn_attribute;

/* The result types of the operation called OP (names: tn_op_at) on operands of these types: every
 * rule of shapes and element types, without a program.
 *
 * in        extents may be TN_DIM_UNKNOWN; each is then a symbol of its own
 * out       room for CAP types; at most that many are written
 * n_out     how many results there are
 * returns   TN_ERR_REJECTED  a rule is broken; the diagnostic says which (kind, message, notes)
 *           TN_ERR_USAGE     unknown operation or attribute kind, a malformed type or CAP too small
 *           TN_ERR_NOMEM */
TN_API tn_status tn_infer(tn_context *cx, const char *op, const tn_type *in, size_t n_in,
                          const tn_attribute *attributes, size_t n_attributes, tn_type *out,
                          size_t cap, size_t *n_out);

/* ---- custom calls ---- */

/* A free attribute of a custom call: N values of KIND, in the field of that kind. */
typedef struct tn_custom_attribute {
    const char *name;
    tn_attribute_kind kind; /* INT, FLOAT, BOOL or STRING */
    bool is_array;          /* else n is 1 */
    size_t n;
    const int64_t *ints;
    const double *floats;
    const bool *bools;
    const char *const *strings;
} tn_custom_attribute;

/* One custom call of a program, as a kernel sees it. Everything is borrowed for the call. */
typedef struct tn_custom_use {
    const char *target;
    const tn_buffer *in; /* read-only; `data` is NULL in `check` */
    size_t n_in;
    const tn_buffer *out; /* the types that the program declares; `data` is NULL in `check` */
    size_t n_out;
    const tn_custom_attribute *attributes;
    size_t n_attributes;
} tn_custom_use;

/* What runs custom calls of one target. Both functions return NULL, or what is wrong in a text that
 * outlives the call; it becomes part of a diagnostic: InvalidAttribute for `check`, InvalidValue
 * for `run`. */
typedef struct tn_custom_kernel {
    size_t size; /* of the structure; 0: its first layout */
    const char *target;
    /* Does the kernel take these types and attributes? Called before each `run`; NULL: any. */
    const char *(*check)(void *user, const tn_custom_use *call);
    /* Fill the results, with elements of their types (tn_dtype_size). Must be a pure function of
     * operands and attributes: calls may be merged, and calls whose results nothing needs are not
     * made. */
    const char *(*run)(void *user, const tn_custom_use *call);
    void *user;
} tn_custom_kernel;

/* Make KERNEL known to the programs that are compiled in CX from now on; it replaces the one of the
 * same target. KERNEL and its target are copied. `user` must outlive CX and these programs.
 *
 * returns  TN_ERR_USAGE without target or `run`; TN_ERR_NOMEM
 * threads  the functions are called on the threads that run programs, by several at once. They may
 *          use the library, but not the context of the program */
TN_API tn_status tn_context_register_custom(tn_context *cx, const tn_custom_kernel *kernel);

/* ---- what the library knows ---- */

/* Everything here is static. An index past the end makes a function return false or NULL. */

/* Which of N names the LENGTH bytes of TEXT were probably meant to be, as in the diagnostics of the
 * library; NULL: none is like it. *SECOND: another that is as much alike, or NULL. */
TN_API const char *tn_closest_name(const char *text, size_t length, const char *const *names,
                                   size_t n, const char **second);

#define TN_ARITY_ANY UINT32_MAX

/* The last four are names of the library's own functions; "none" means that there is none on
 * purpose. */
typedef struct tn_op_info {
    const char *name;
    const char *help;
    uint32_t min_operands, max_operands; /* the latter may be TN_ARITY_ANY */
    uint32_t n_attributes;
    const char *type_rule, *kernel, *derivative, *lowering;
} tn_op_info;

typedef struct tn_op_attribute_info {
    const char *name;
    tn_attribute_kind kind;
    const char *kind_name; /* "int", "ints", "word", ... */
    const char *words;     /* of a WORD: all of them, separated by spaces; else NULL */
    const char *help;
    bool required;
} tn_op_attribute_info;

TN_API size_t tn_op_count(void);
TN_API bool tn_op_at(size_t op, tn_op_info *info);
TN_API bool tn_op_attribute(size_t op, size_t index, tn_op_attribute_info *info);
/* The INDEX-th trait of an operation ("elementwise", "commutes", ...), NULL past the last. */
TN_API const char *tn_op_trait(size_t op, size_t index);
/* How a dialect spells an operation; NULL when it lacks it, or there is no such dialect. */
TN_API const char *tn_op_spelling(size_t op, const char *dialect);

/* What stands beside the operands of an operation in the text of a dialect. */
typedef struct tn_op_field_info {
    const char *name;
    const char *type;      /* what stands there, in words; NULL: as the attribute says */
    const char *attribute; /* as in tn_op_attribute; NULL: it becomes none, or several */
    const char *words;     /* of a choice: all of them, separated by spaces; else NULL */
    bool required;
} tn_op_field_info;

/* The INDEX-th field of an operation in a dialect, in the order of the text. False past the last
 * one, and where there is no such operation or dialect. */
TN_API bool tn_op_field(size_t op, const char *dialect, size_t index, tn_op_field_info *info);

typedef struct tn_pass_info {
    const char *name;
    bool is_exact;   /* changes no bit of any result */
    bool is_relaxed; /* runs with relaxed numerics, or on request */
    int level; /* lowest optimisation level that runs it; 3: level 2 does where a program is to
                * run, not to be written; above: only on request */
    const char *contract;
} tn_pass_info;

TN_API size_t tn_pass_count(void);
TN_API bool tn_pass_at(size_t pass, tn_pass_info *info);

typedef struct tn_dialect_info {
    const char *name;
    const char *extensions; /* of file names, separated by spaces */
    const char *styles;     /* of its text, separated by spaces, canonical first */
} tn_dialect_info;

TN_API size_t tn_dialect_count(void);
TN_API bool tn_dialect_at(size_t dialect, tn_dialect_info *info);

/* What there is to say about CODE, a code or kind of diagnostics: Markdown with an explanation, a
 * wrong program, its message and the mended program. Dialects give one code to several kinds, and
 * two dialects may use one for different ones; INDEX counts these pages. CODE NULL: all pages. NULL
 * past the last. */
TN_API const char *tn_error_page(const char *code, size_t index);

#ifdef __cplusplus
}
#endif
#endif
