/* Pages about programs: the data as JSON, and the page that shows it. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "compile/explain/explain.h"
#include "tenon/report.h"

/* What a report is made from. */
typedef struct report {
    const tn_program *p;
    const tn_report_options *o;
    const pipeline *made; /* the plan of P */
    const char *title;
    const machine_limits *limits; /* NULL: not known */
    /* The trace of the run, as text of JSON; NULL: none. */
    const char *trace;
    size_t n_trace;
} report;

/* Each appends its part, as one value of JSON. What fails is reported. */
tn_status report_data(const report *r, text_buffer *out);
void report_memory(const report *r, text_buffer *out);
tn_status report_passes(const report *r, text_buffer *out);
tn_status report_values(const report *r, text_buffer *out);

/* Append the page that shows what report_data makes. */
tn_status report_page(const report *r, text_buffer *out);

/* Lines of the parts of the page; each list ends with NULL. Made from the files beside this one. */
extern const char *const report_html[], *const report_css[], *const report_js[];

#endif
