/* SPDX-License-Identifier: MIT */
/* Before each file of a build that counts: what a process has reached is also written when it ends
 * without exit(), or becomes another program. */
#ifndef DBL_COVERAGE_H
#define DBL_COVERAGE_H

#include <unistd.h>

void __gcov_dump(void);
void __gcov_reset(void);

#define _exit(code)  (__gcov_dump(), _exit(code))
#define execvpe(...) (__gcov_dump(), __gcov_reset(), execvpe(__VA_ARGS__))

#endif
