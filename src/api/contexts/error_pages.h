/* What there is to say about each kind of error, for users; the texts are docs/errors. */
#ifndef API_CONTEXTS_ERROR_PAGES_H
#define API_CONTEXTS_ERROR_PAGES_H

/* In the order of diag_kind, one for each: Markdown, whose second paragraph has the codes. */
extern const char *const error_pages[];

#endif
