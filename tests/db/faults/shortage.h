/* SPDX-License-Identifier: MIT */
/*
 * Shortage: the n-th request for something fails, or all from the n-th on. The program that
 * includes this is linked with --wrap for the functions that src/base/mem.c and src/base/thread.c
 * call (see tests/CMakeLists.txt). SQLite's own requests for memory can fail, too.
 */
#ifndef TESTS_SUPPORT_SHORTAGE_H
#define TESTS_SUPPORT_SHORTAGE_H

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include <sqlite3.h>

enum shortage_of {
	SHORT_OF_MEMORY,
	SHORT_OF_THREADS,
	SHORT_OF_SYNC, /* mutexes, conditions, keys of threads */
	SHORT_OF_SQLITE_MEMORY
};

#define SHORTAGE_NEVER INT_MAX

static struct {
	_Atomic enum shortage_of of;
	atomic_int countdown; /* 0: nothing fails */
	atomic_bool lasts;    /* all from then on */
	atomic_int refused;
	int made; /* the number of requests, if none was refused: n was SHORTAGE_NEVER */
	sqlite3_mem_methods sqlite;
} shortage;

/* Lets the n-th request from now on fail (1: the next). */
static inline void shortage_begin(enum shortage_of of, int n, bool lasts)
{
	shortage.of = of;
	shortage.lasts = lasts;
	shortage.refused = 0;
	shortage.countdown = n;
}

/* Ends it, and returns how many requests were refused. */
static inline int shortage_end(void)
{
	shortage.made = SHORTAGE_NEVER - atomic_exchange(&shortage.countdown, 0);
	return shortage.refused;
}

static inline bool shortage_hits(enum shortage_of of)
{
	int left = shortage.countdown;

	if (of != shortage.of)
		return false;
	while (left > 0) {
		int next = left > 1 ? left - 1 : shortage.lasts ? 1 : 0;

		if (!atomic_compare_exchange_weak(&shortage.countdown, &left, next))
			continue;
		if (left == 1)
			shortage.refused++;
		return left == 1;
	}
	return false;
}

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size);
int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

void *__wrap_calloc(size_t n, size_t size)
{
	return shortage_hits(SHORT_OF_MEMORY) ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return shortage_hits(SHORT_OF_MEMORY) ? NULL : __real_realloc(p, size);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*body)(void *),
			  void *arg)
{
	return shortage_hits(SHORT_OF_THREADS) ? EAGAIN
					       : __real_pthread_create(thread, attr, body, arg);
}

int __real_pthread_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *);
int __wrap_pthread_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *);
int __real_pthread_cond_init(pthread_cond_t *, const pthread_condattr_t *);
int __wrap_pthread_cond_init(pthread_cond_t *, const pthread_condattr_t *);

int __wrap_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr)
{
	return shortage_hits(SHORT_OF_SYNC) ? EAGAIN : __real_pthread_mutex_init(mutex, attr);
}

int __wrap_pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attr)
{
	return shortage_hits(SHORT_OF_SYNC) ? EAGAIN : __real_pthread_cond_init(cond, attr);
}

static inline void *shortage_sqlite_malloc(int size)
{
	return shortage_hits(SHORT_OF_SQLITE_MEMORY) ? NULL : shortage.sqlite.xMalloc(size);
}

static inline void *shortage_sqlite_realloc(void *p, int size)
{
	return shortage_hits(SHORT_OF_SQLITE_MEMORY) ? NULL : shortage.sqlite.xRealloc(p, size);
}

/* Lets SQLite's own requests fail as well; call it before SQLite is used. */
static inline bool shortage_of_sqlite(void)
{
	sqlite3_mem_methods ours;

	if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &shortage.sqlite))
		return false;
	ours = shortage.sqlite;
	ours.xMalloc = shortage_sqlite_malloc;
	ours.xRealloc = shortage_sqlite_realloc;
	return sqlite3_config(SQLITE_CONFIG_MALLOC, &ours) == SQLITE_OK;
}

#endif
