/* Every op and dtype of elements in loop programs, compiled for each kind of processor, against the
 * evaluator. */
#include "../unit/element_cases.h"

int main(void)
{
    job_list l;
    jobs_init(&l);
    add_everything(&l);
    for (uint32_t c = 0; c < JOB_CPUS; c++)
        jobs_compile(&l, job_cpus[c], 0, 1);
    jobs_free(&l);
    return check_result();
}
