/* SPDX-License-Identifier: MIT */
#include "driver/mysql/guard.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

/* While calls come and go, the thread looks this often, so that calls need not wake it. */
#define NAP_US 1000000LL

/* Shut the socket down, under the lock. */
static void cut(struct dbl_mysql_guard *guard)
{
	if (guard->fd >= 0)
		shutdown(guard->fd, SHUT_RDWR);
}

/* Sleep, under the lock, until there may be something to do. An idle connection costs nothing. */
static void nap(struct dbl_mysql_guard *guard)
{
	int64_t until = dbl_add(dbl_now(guard->env), NAP_US);

	if (guard->due == DBL_NEVER && !guard->used) {
		guard->sleeps_until = DBL_NEVER;
		dbl_mutex_note_given_up(&guard->lock);
		pthread_cond_wait(&guard->wake.c, &guard->lock.m);
		dbl_mutex_note_taken(&guard->lock);
		return;
	}
	guard->used = false;
	guard->sleeps_until = guard->due < until ? guard->due : until;
	dbl_cond_wait(&guard->wake, &guard->lock, guard->env, guard->sleeps_until);
}

static void *guard_thread(void *arg)
{
	struct dbl_mysql_guard *guard = arg;

	dbl_lock(&guard->lock);
	while (!guard->stop) {
		if (guard->due <= dbl_now(guard->env)) {
			guard->fired = true;
			guard->due = DBL_NEVER;
			cut(guard);
		}
		nap(guard);
	}
	dbl_unlock(&guard->lock);
	return NULL;
}

int dbl_mysql_guard_start(struct dbl_mysql_guard *guard, const struct dbl_env *env)
{
	int rc;

	*guard = (struct dbl_mysql_guard){.env = env, .fd = -1, .due = DBL_NEVER};
	rc = dbl_mutex_init(&guard->lock);
	if (rc)
		return rc;
	rc = dbl_cond_init(&guard->wake);
	if (rc == 0) {
		rc = dbl_thread_start(&guard->thread, guard_thread, guard);
		if (rc)
			dbl_cond_fini(&guard->wake);
	}
	if (rc)
		dbl_mutex_fini(&guard->lock);
	return rc;
}

void dbl_mysql_guard_stop(struct dbl_mysql_guard *guard)
{
	dbl_lock(&guard->lock);
	guard->stop = true;
	dbl_cond_wake(&guard->wake);
	dbl_unlock(&guard->lock);
	dbl_thread_join(&guard->thread);
	dbl_mysql_guard_abandon(guard);
	dbl_cond_fini(&guard->wake);
	dbl_mutex_fini(&guard->lock);
}

void dbl_mysql_guard_abandon(struct dbl_mysql_guard *guard)
{
	if (guard->fd >= 0)
		close(guard->fd);
	guard->fd = -1;
}

bool dbl_mysql_guard_watch(struct dbl_mysql_guard *guard, int fd)
{
	int copy = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;

	/* The client library lets every program that this process executes inherit it. */
	if (fd >= 0)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	dbl_lock(&guard->lock);
	dbl_mysql_guard_abandon(guard);
	guard->fd = copy;
	if (guard->fired)
		cut(guard);
	dbl_unlock(&guard->lock);
	return fd < 0 || copy >= 0;
}

void dbl_mysql_guard_arm(struct dbl_mysql_guard *guard, int64_t deadline)
{
	dbl_lock(&guard->lock);
	guard->due = deadline;
	guard->used = true;
	if (deadline < guard->sleeps_until)
		dbl_cond_wake(&guard->wake);
	dbl_unlock(&guard->lock);
}

bool dbl_mysql_guard_disarm(struct dbl_mysql_guard *guard)
{
	bool fired;

	dbl_lock(&guard->lock);
	guard->due = DBL_NEVER;
	fired = guard->fired;
	dbl_unlock(&guard->lock);
	return fired;
}

void dbl_mysql_guard_cut(struct dbl_mysql_guard *guard)
{
	dbl_lock(&guard->lock);
	cut(guard);
	dbl_unlock(&guard->lock);
}
