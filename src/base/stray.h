/* SPDX-License-Identifier: MIT */
/* A stray thread: nobody waits for it but the end of the process. */
#ifndef DBL_BASE_STRAY_H
#define DBL_BASE_STRAY_H

/* Starts one. exit() waits until it has ended, as do the ends of libraries that it uses: they free
 * what it works with. _exit() does not. Not 0: there is no memory, or no thread. */
int dbl_stray_start(void (*body)(void *), void *arg);

#endif
