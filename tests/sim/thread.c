/* SPDX-License-Identifier: MIT */
/* base/thread.h, in the place of src/base/thread.c: with coroutines. A mutex is a real one that is
 * only ever tried: to the kernel all coroutines are one thread. */
#include "base/thread.h"

#include "sim/schedule.h"

/* Between any two steps of a thread another one may run. */
static void yield(void)
{
	struct coroutine *co = coroutine_self();

	if (rng_chance(&co->world->rng, co->world->faults.yield))
		schedule_wait(NULL, co->world->now);
}

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

/* By the linker (--wrap) these are in the place of the C library's: dbl_lock() and dbl_unlock() are
 * inline. */
int __wrap_pthread_mutex_lock(pthread_mutex_t *m);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *m);
int __real_pthread_mutex_unlock(pthread_mutex_t *m);

int __wrap_pthread_mutex_lock(pthread_mutex_t *m)
{
	yield();
	while (pthread_mutex_trylock(m))
		schedule_wait(m, SCHEDULE_NEVER);
	return 0;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *m)
{
	__real_pthread_mutex_unlock(m);
	schedule_wake(coroutine_self()->process, m);
	yield();
	return 0;
}

int dbl_cond_init(struct dbl_cond *c)
{
	return pthread_cond_init(&c->c, NULL);
}

void dbl_cond_fini(struct dbl_cond *c)
{
	pthread_cond_destroy(&c->c);
}

void dbl_cond_wake(struct dbl_cond *c)
{
	schedule_wake(coroutine_self()->process, c);
}

void dbl_cond_wake_one(struct dbl_cond *c)
{
	dbl_cond_wake(c);
}

void dbl_cond_wait(struct dbl_cond *c, struct dbl_mutex *m, const struct dbl_env *env,
		   int64_t until)
{
	dbl_mutex_note_given_up(m);
	__real_pthread_mutex_unlock(&m->m);
	schedule_wake(coroutine_self()->process, &m->m);
	schedule_wait(c, process_when(env->ctx, until));
	dbl_lock(m);
}

_Thread_local uint64_t dbl_thread_number; /* coroutine.c sets it */

uint64_t dbl_thread_number_new(void)
{
	return coroutine_self()->id;
}

int dbl_thread_start(struct dbl_thread *thread, void *(*body)(void *), void *arg)
{
	struct coroutine *co = coroutine_self();

	co = schedule_thread(co->world, co->process, body, arg);
	thread->t = (pthread_t)(uintptr_t)co;
	thread->started = true;
	return 0;
}

void dbl_thread_join(struct dbl_thread *thread)
{
	const struct coroutine *co = (const struct coroutine *)(uintptr_t)thread->t;

	while (thread->started && !co->done)
		schedule_wait(co, SCHEDULE_NEVER);
	thread->started = false;
}
