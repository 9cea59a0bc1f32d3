/* SPDX-License-Identifier: MIT */
/* Who and where we are. */
#ifndef DBL_BASE_HOST_H
#define DBL_BASE_HOST_H

#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

struct dbl_host {
	char name[256]; /* host name, "" if unknown */
	char app[64];   /* the program's name */
	/* Names the clock that CLOCK_BOOTTIME readings belong to: boot id and time namespace. Two
	 * processes with the same text may compare such readings. Where it cannot be read, a text
	 * that is like no other. */
	char clock[96];
	int64_t pid;
};

void dbl_host_read(struct dbl_host *);

/* The effective user's name, or its number. Not a part of the above: names may be looked up in the
 * network, and glibc's look-up does not survive a lack of memory. */
void dbl_host_user(char *user, size_t size);

/* The calling thread's id as the kernel shows it: for people; it is used again. */
static inline int64_t dbl_host_thread(void)
{
	return gettid();
}

/* The process's id, now: differs from dbl_host.pid after a fork. */
static inline int64_t dbl_host_pid(void)
{
	return getpid();
}

#endif
