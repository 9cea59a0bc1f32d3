/* SPDX-License-Identifier: MIT */
#include "base/thread.h"

#include <signal.h>
#include <time.h>

/* No single wait is longer than this: pthreads waits on CLOCK_MONOTONIC, which stands still while
 * the machine sleeps, unlike CLOCK_BOOTTIME. */
#define LONGEST_WAIT_US 1000000LL

int dbl_mutex_init(struct dbl_mutex *m)
{
	*m = (struct dbl_mutex){0};
	return pthread_mutex_init(&m->m, NULL);
}

void dbl_mutex_fini(struct dbl_mutex *m)
{
	DBL_ASSERT(dbl_mutex_owner(m) == 0);
	pthread_mutex_destroy(&m->m);
}

int dbl_cond_init(struct dbl_cond *c)
{
	pthread_condattr_t attr;
	int rc = pthread_condattr_init(&attr);

	if (rc)
		return rc;
	rc = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	if (!rc)
		rc = pthread_cond_init(&c->c, &attr);
	pthread_condattr_destroy(&attr);
	return rc;
}

void dbl_cond_fini(struct dbl_cond *c)
{
	pthread_cond_destroy(&c->c);
}

void dbl_cond_wake(struct dbl_cond *c)
{
	pthread_cond_broadcast(&c->c);
}

void dbl_cond_wake_one(struct dbl_cond *c)
{
	pthread_cond_signal(&c->c);
}

void dbl_cond_wait(struct dbl_cond *c, struct dbl_mutex *m, const struct dbl_env *env,
		   int64_t until)
{
	int64_t left = until - dbl_now(env);
	struct timespec t;

	DBL_ASSERT_HELD(m);
	if (left <= 0)
		return;
	if (left > LONGEST_WAIT_US)
		left = LONGEST_WAIT_US;
	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_nsec += left % 1000000 * 1000;
	t.tv_sec += left / 1000000 + t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	dbl_mutex_note_given_up(m);
	pthread_cond_timedwait(&c->c, &m->m, &t);
	dbl_mutex_note_taken(m);
}

_Thread_local uint64_t dbl_thread_number;

uint64_t dbl_thread_number_new(void)
{
	static _Atomic uint64_t last;

	dbl_thread_number = ++last;
	return dbl_thread_number;
}

int dbl_thread_start(struct dbl_thread *thread, void *(*body)(void *), void *arg)
{
	sigset_t all, before;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&thread->t, NULL, body, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	thread->started = rc == 0;
	return rc;
}

void dbl_thread_join(struct dbl_thread *thread)
{
	if (thread->started)
		pthread_join(thread->t, NULL);
	thread->started = false;
}
