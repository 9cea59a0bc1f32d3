/* SPDX-License-Identifier: MIT */
/* Threads, mutexes and conditions. The library's own threads block all signals. */
#ifndef DBL_BASE_THREAD_H
#define DBL_BASE_THREAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/assert.h"
#include "base/env.h"

struct dbl_mutex {
	pthread_mutex_t m;
#ifdef DBLOCK_ASSERT
	_Atomic uint64_t owner; /* the thread that holds it; 0: none */
#endif
};

struct dbl_cond {
	pthread_cond_t c;
};

struct dbl_thread {
	pthread_t t;
	bool started;
};

int dbl_mutex_init(struct dbl_mutex *);
void dbl_mutex_fini(struct dbl_mutex *);

int dbl_cond_init(struct dbl_cond *);
void dbl_cond_fini(struct dbl_cond *);
void dbl_cond_wake(struct dbl_cond *);     /* wakes all that wait */
void dbl_cond_wake_one(struct dbl_cond *); /* wakes at least one of them */

/* Wait until woken or until `until` (CLOCK_BOOTTIME, us) has come; may also return early. */
void dbl_cond_wait(struct dbl_cond *, struct dbl_mutex *, const struct dbl_env *, int64_t until);

/* The calling thread's number in this process: 1, 2, ... Unlike the kernel's ids, it is never used
 * again. (A pthread key for each client would need no global; but a process has only 1024 keys.) */
extern _Thread_local uint64_t dbl_thread_number; /* 0: it has none yet */
uint64_t dbl_thread_number_new(void);

static inline uint64_t dbl_thread_id(void)
{
	return dbl_thread_number ? dbl_thread_number : dbl_thread_number_new();
}

/* Not 0 if the thread could not be started. */
int dbl_thread_start(struct dbl_thread *, void *(*body)(void *), void *arg);
void dbl_thread_join(struct dbl_thread *);

/* The calling thread holds the mutex, as "under the mutex" means. Or it does not, as before what
 * may wait for other threads, or call back. */
#define DBL_ASSERT_HELD(mutex)                                                                     \
	DBL_ASSERT(dbl_mutex_owner(mutex) == dbl_thread_id(), "thread %llu, held by %llu",         \
		   (unsigned long long)dbl_thread_id(),                                            \
		   (unsigned long long)dbl_mutex_owner(mutex))
#define DBL_ASSERT_NOT_HELD(mutex)                                                                 \
	DBL_ASSERT(dbl_mutex_owner(mutex) != dbl_thread_id(), "thread %llu",                       \
		   (unsigned long long)dbl_thread_id())

/* The thread that holds it; 0 if none does, or if assertions are off. */
static inline uint64_t dbl_mutex_owner(const struct dbl_mutex *m)
{
#ifdef DBLOCK_ASSERT
	return atomic_load_explicit(&m->owner, memory_order_relaxed);
#else
	(void)m;
	return 0;
#endif
}

/* Note that the calling thread has just got the mutex, or is about to give it up. */
static inline void dbl_mutex_note_taken(struct dbl_mutex *m)
{
#ifdef DBLOCK_ASSERT
	DBL_ASSERT(dbl_mutex_owner(m) == 0);
	atomic_store_explicit(&m->owner, dbl_thread_id(), memory_order_relaxed);
#else
	(void)m;
#endif
}

static inline void dbl_mutex_note_given_up(struct dbl_mutex *m)
{
#ifdef DBLOCK_ASSERT
	DBL_ASSERT_HELD(m);
	atomic_store_explicit(&m->owner, 0, memory_order_relaxed);
#else
	(void)m;
#endif
}

static inline void dbl_lock(struct dbl_mutex *m)
{
	DBL_ASSERT_NOT_HELD(m); /* else it would wait for itself */
	pthread_mutex_lock(&m->m);
	dbl_mutex_note_taken(m);
}

static inline void dbl_unlock(struct dbl_mutex *m)
{
	dbl_mutex_note_given_up(m);
	pthread_mutex_unlock(&m->m);
}

/* A thread that pthread_cancel() ends in the middle of a call would leave mutexes locked, and a
 * grant without an owner. So cancelling is off until the call is over: this is the first line of
 * each entry point that may block. */
#define DBL_UNCANCELED                                                                             \
	int uncanceled_ __attribute__((cleanup(dbl_cancel_back), unused)) = dbl_cancel_off()

static inline int dbl_cancel_off(void)
{
	int before = PTHREAD_CANCEL_ENABLE;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	return before;
}

static inline void dbl_cancel_back(const int *before)
{
	pthread_setcancelstate(*before, NULL);
}

#endif
