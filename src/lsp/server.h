/* The language server: takes messages of an editor one by one, and answers. */
#ifndef LSP_SERVER_H
#define LSP_SERVER_H

#include <stdio.h>

#include "tenon/tenon.h"

typedef struct lsp_server lsp_server;

/* A server that writes its messages, framed, to OUT, which is copied. PAGES, which may be NULL and
 * outlives the server: the URI of a folder with a page KIND.html about each kind of error. NULL
 * without memory. */
lsp_server *lsp_new(const tn_allocator *allocator, const tn_writer *out, const char *pages);
void lsp_free(lsp_server *s);

/* Take one message: N bytes of BODY, behind which a NUL stands. False when it was the last: `exit`,
 * or an answer could not be written. */
bool lsp_take(lsp_server *s, const char *body, size_t n);
/* 0 when the editor said `shutdown` before it said `exit`, else 1. */
int lsp_exit_status(const lsp_server *s);

/* Serve the framed messages of IN until `exit` or the end; returns lsp_exit_status. *WHY is NULL,
 * or what is wrong with the frame of a message: there is no way to go on behind one. */
int lsp_serve(lsp_server *s, FILE *in, const char **why);

#endif
