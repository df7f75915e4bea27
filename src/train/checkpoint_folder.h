/* The folder of checkpoints. */
#ifndef TRAIN_CHECKPOINT_FOLDER_H
#define TRAIN_CHECKPOINT_FOLDER_H

#include "train/trainer.h"

/* How the names of the two files of a checkpoint end. */
#define FOLDER_DESCRIPTION ".json"
#define FOLDER_TENSORS ".safetensors"

typedef VECTOR(uint64_t) steps_found;

/* The steps of the files in FOLDER that end with AFTER, the newest first; a folder that is not
 * there has none. */
tn_status folder_steps(context *cx, const char *folder, const char *after, steps_found *found);
/* FOLDER is that of this training, if it is there. */
tn_status folder_own(const tn_trainer *t, const char *folder);
/* Refuse a folder with checkpoints of another training. */
tn_status folder_check(const tn_trainer *t, const char *folder);
/* The file of step STEP that ends with AFTER; NULL without memory. */
const char *folder_path(arena *memory, const char *folder, uint64_t step, const char *after);
/* Remove all checkpoints but the newest KEEP. */
tn_status folder_prune(context *cx, arena *memory, const char *folder, uint64_t keep);

#endif
