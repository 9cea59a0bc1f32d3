/* SPDX-License-Identifier: MIT */
/* This process, its host and its user. */
#ifndef DBL_BASE_HOST_H
#define DBL_BASE_HOST_H

#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

struct dbl_host {
	char name[256]; /* host name, "" if unknown */
	char app[64];   /* the program's name */
	/* A name for the clock that CLOCK_BOOTTIME reads: boot id and time namespace. Two processes
	 * with the same name may compare their readings. If it cannot be read, it is a random text
	 * that is equal to no other. */
	char clock[96];
	int64_t pid;
};

void dbl_host_read(struct dbl_host *);

/* The effective user's name, or number. It is no part of struct dbl_host: a look-up of names may
 * use the network, and glibc's does not survive a lack of memory. */
void dbl_host_user(char *user, size_t size);

/* The calling thread's id as the kernel shows it: for people, as the kernel uses ids again. */
static inline int64_t dbl_host_thread(void)
{
	return gettid();
}

/* The process's id now; after a fork it differs from dbl_host.pid. */
static inline int64_t dbl_host_pid(void)
{
	return getpid();
}

#endif
