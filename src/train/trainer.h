/* The parts of a training. */
#ifndef TRAIN_TRAINER_H
#define TRAIN_TRAINER_H

#include <sys/types.h>

#include "base/context/context.h"
#include "scalar/dtype.h"
#include "train/data/dataset.h"
#include "train/data/loader.h"

/* One input that is trained. */
typedef struct weight {
    const char *name;
    size_t input;  /* its position in the program */
    size_t output; /* of its gradient, in the program of gradients */
    tn_buffer value;
    tn_dtype sum;  /* the type in which gradients are added */
    size_t n;      /* elements */
    size_t at;     /* where its gradient lies in a block of gradients, */
    size_t place;  /* behind so many others */
    uint32_t rank; /* which changes it */
    size_t piece;  /* of all gradients, which travel one after the other */
    bool is_given; /* a file has its first value */
    void *narrow;  /* room for a gradient that is not of the type `sum`; else NULL */
    void **state;  /* of the optimizer */
    uint32_t rule; /* which program changes it */
} weight;

/* The program of an optimizer for one element type, and where its inputs are. */
typedef struct rule {
    tn_dtype dtype;
    tn_program *program;
    size_t n_in, n_state;
    size_t weight, gradient, rate, step; /* positions; SIZE_MAX: it has none */
    size_t *state;                       /* positions */
    tn_port *ports;                      /* of the inputs */
} rule;

/* The sum of the gradients of N leaves from FIRST on: a node of the tree that adds all of them. */
typedef struct tree_node {
    uint64_t first, n;
    char *block;
} tree_node;
enum { MOST_NODES = 130 /* a range of leaves has at most two maximal nodes of each size */ };

/* A folder in which this training has written, or from which it goes on. */
typedef struct own_folder {
    dev_t device;
    ino_t file;
} own_folder;
typedef VECTOR(own_folder) own_folders;

/* What an input of the program gets. */
typedef enum role { ROLE_FIXED = 0, ROLE_DATA, ROLE_WEIGHT } role;

/* A constant of the program that is an input now. */
typedef struct opened_constant {
    const char *name;
    tn_buffer value; /* what it was, borrowed from the module */
} opened_constant;

struct tn_trainer {
    context *cx;
    arena memory;
    const tn_dataset *data;
    tn_train_options o; /* without texts and structures of the caller */
    tn_compile_options compile;
    tn_module *module;
    tn_program *gradient, *forward; /* the latter is made when it is needed */
    size_t loss;                    /* the output */
    size_t n_in, n_out;             /* of the program of gradients */
    tn_port *ports;                 /* of its inputs */
    role *roles;
    tn_buffer *in, *out;
    size_t *weight_of;    /* by output: 1 + the weight whose gradient it is; 0: none */
    loader_input *inputs; /* that are data, in the order of the program */
    size_t *input_at;     /* and their positions */
    size_t n_inputs;
    int64_t extent; /* samples that the program takes in a run; TN_DIM_UNKNOWN: any number */
    uint64_t samples, step;
    uint64_t program_hash, update_hash, data_hash, fixed_hash;
    weight *weights;
    size_t n_weights;
    weight **placed; /* in the order in which they lie in a block: rank by rank, piece by piece */
    size_t *owned;   /* by rank, and the number of all: how many places are of ranks before */
    size_t n_pieces;
    opened_constant *opened; /* of which weights were made */
    size_t n_opened;
    rule *rules;
    size_t n_rules;
    tn_tensor_file *init;
    size_t block;                /* bytes of the gradients of all weights */
    bool is_like_gradients;      /* all weights have the type of their gradients, */
    char *values;                /* and lie in one block as those; else NULL */
    tree_node nodes[MOST_NODES]; /* sums of gradients that wait for their neighbour, in order */
    size_t n_nodes;
    void *free[MOST_NODES]; /* blocks that hold nothing */
    size_t n_free;
    tn_transport transport; /* of one rank: `exchange` is NULL */
    struct sums *sums;      /* of all ranks; NULL before the first step, and for one */
    bool has_met;           /* the ranks know that they are of one training */
    double *losses;         /* of the leaves */
    double *squares;        /* by place: of the gradient, see squares_of_any */
    loader *loader;         /* NULL: not yet started */
    own_folders *folders;   /* for checkpoints */
};

/* Report a fault in what the caller asked for. */
tn_status trainer_fault(context *cx, diag_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What tells M from other programs. */
tn_status trainer_hash(context *cx, const tn_module *m, uint64_t *hash);

/* ---- trainer_inputs.c ---- */

/* Find what each input gets, and fix the sizes of batch and leaves. */
tn_status trainer_bind(tn_trainer *t);
/* Give the symbolic sizes of M, a copy of the program, the values that they have in each run. */
tn_status trainer_bind_sizes(const tn_trainer *t, tn_module *m);
/* Note the first names that the data has, with the fault reported last. */
void trainer_note_columns(const tn_trainer *t);
/* Where the data inputs get their samples in DATA, which has *SAMPLES of them. */
tn_status trainer_find_columns(const tn_trainer *t, const tn_dataset *data, loader_input *inputs,
                               uint64_t *samples);
/* The type of a data input in a run of N samples. */
tn_type trainer_leaf_type(const loader_input *in, uint64_t n);
/* Bytes of a tensor, which has every extent. */
tn_status trainer_measure(context *cx, const tn_type *type, size_t *bytes);

/* Is the input PORT, at POSITION, called NAME? */
bool trainer_is_called(const char *name, const tn_port *port, size_t position);

/* ---- trainer_constants.c ---- */

/* Make inputs of the constants that are to be trained: those that a name which no input has stands
 * for. */
tn_status trainer_open_constants(tn_trainer *t, const tn_train_options *o);
/* What the input NAME was as a constant; NULL: it was none. */
const tn_buffer *trainer_opened(const tn_trainer *t, const char *name);

/* ---- trainer_weights.c ---- */

/* Memory and first values for weights and fixed inputs, and where gradients lie in blocks. */
tn_status trainer_start_weights(tn_trainer *t);

/* ---- trainer_update.c ---- */

/* Make the programs that change weights, and their state. */
tn_status trainer_make_rules(tn_trainer *t, const tn_optimizer *o, const tn_module *update);
/* Tensor K of the state of W. */
tn_buffer trainer_state(const tn_trainer *t, const weight *w, size_t k);
/* Change the weights of this rank by the gradients in the block GRADIENTS. */
tn_status trainer_update(tn_trainer *t, void *gradients, double rate);

/* ---- trainer_step.c ---- */

/* A block for gradients; NULL without memory. Its padding is 0. */
void *trainer_take_block(tn_trainer *t);
void trainer_give_block(tn_trainer *t, void *block);
/* Add the gradient of W in the block Y to that in X. */
void trainer_add(const weight *w, char *x, const char *y);

/* ---- ranks.c ---- */

/* The first of N things that belong to rank RANK; those up to the first of the next one do. */
uint64_t ranks_first(const tn_trainer *t, uint64_t n, uint32_t rank);
/* Deal the weights, whose sizes are known, out to the ranks, and say where their gradients lie in
 * blocks. */
tn_status ranks_deal(tn_trainer *t);
/* Where the gradient of the weight at PLACE begins in a block; behind the last: where it ends. */
size_t ranks_begin(const tn_trainer *t, size_t place);
/* Before the first step: are the ranks of one training? */
tn_status ranks_meet(tn_trainer *t);
/* All losses and squares, from those of the leaves and weights of each rank. */
tn_status ranks_share_numbers(tn_trainer *t);
/* All weights, from those that each rank has changed. */
tn_status ranks_share_weights(tn_trainer *t);
/* The state of all weights, for rank 0. */
tn_status ranks_gather_state(const tn_trainer *t);
/* The status STATUS of rank 0, for all. */
tn_status ranks_agree(const tn_trainer *t, tn_status status);
/* This rank gives up, unless STATUS is TN_OK. Returns STATUS. */
tn_status ranks_leave(const tn_trainer *t, tn_status status);

#endif
