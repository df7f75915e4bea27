/* Where tensors lie in files, for what reads parts of them. */
#ifndef API_TENSOR_FILES_H
#define API_TENSOR_FILES_H

#include "tenon/files.h"

/* Do the elements of a tensor lie in a file as they are in memory, row-major and in this machine's
 * byte order? Then they begin at byte *AT of *FD, which FILE keeps, and the file was long enough
 * for them when it was opened. */
bool tensor_file_place(const tn_tensor_file *file, size_t index, int *fd, uint64_t *at);

#endif
