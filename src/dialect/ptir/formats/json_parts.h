/* Pieces of the JSON form, for json_read.c. Each function reads one thing and is false after an
 * error, which was reported and stays. */
#ifndef PTIR_JSON_PARTS_H
#define PTIR_JSON_PARTS_H

#include "base/text/json.h"
#include "dialect/ptir/formats/formats.h"

typedef struct ptir_json {
    json j;
    module *m;
    arena *memory;
    uint64_t literal_bytes;
    ptir_region_uses region_uses;
    uint32_t faults; /* reported without stopping */
} ptir_json;

typedef VECTOR(int64_t) int_list;

bool jpart_no_memory(ptir_json *r);
/* Report a fault of the program that does not stop the reading. */
void jpart_fault(ptir_json *r, diag_kind kind, span at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The next member of an object that is one of WORDS, noted in SEEN; others are skipped. -1 at the
 * end. */
int jpart_next_field(ptir_json *r, const char *words, uint32_t *seen);
/* The object at AT ended: are the fields of WORDS in MANDATORY among those SEEN? */
bool jpart_has_fields(ptir_json *r, span at, const char *words, uint32_t seen, uint32_t mandatory);

/* Enter `"Name"` or `{"Name": payload}`; the name is not looked up. Leave it after the payload. */
bool jpart_enter_variant(ptir_json *r, const char *what, json_text *name, bool *has_payload);
bool jpart_leave_variant(ptir_json *r, const char *what, bool has_payload);
bool jpart_no_such_variant(ptir_json *r, json_text name, const char *what, const char *words);
/* Enter a variant of WORDS that has a payload. */
bool jpart_enter_payload(ptir_json *r, const char *words, const char *what, uint32_t *index);
/* One of WORDS, as a string. */
bool jpart_word(ptir_json *r, const char *words, const char *what, uint32_t *index);

bool jpart_u32(ptir_json *r, uint32_t *out);
/* An integer of 64 bits; below 0 it is a fault unless FROM_END is set. */
bool jpart_index(ptir_json *r, bool from_end, int64_t *out);
/* A string as a name of the module; AT may be NULL. */
bool jpart_name(ptir_json *r, const char **out, span *at);
/* A number, or one of the texts that stand for what JSON has no number for. */
bool jpart_float(ptir_json *r, double *out);
bool jpart_ids(ptir_json *r, ptir_ids *out);
bool jpart_ints(ptir_json *r, bool from_end, int_list *out);

bool jpart_dtype(ptir_json *r, tn_dtype *out);
bool jpart_dimension(ptir_json *r, dim *out);
bool jpart_shape(ptir_json *r, int_list *out);
bool jpart_type(ptir_json *r, ptir_type *out);
bool jpart_types(ptir_json *r, ptir_types *out);
bool jpart_literal(ptir_json *r, const literal **out);
bool jpart_scalar(ptir_json *r, const scalar **out);
bool jpart_dict(ptir_json *r, attr *out);

#endif
