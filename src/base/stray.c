/* SPDX-License-Identifier: MIT */
#include "base/stray.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/thread.h"

struct stray {
	struct dbl_thread thread;
	void (*body)(void *);
	void *arg;
	_Atomic bool over;
	struct stray *next;
};

/* Of the whole process, as its end is. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct stray *strays;
static pid_t owner; /* a child has none of its parent's threads */

static void *run(void *arg)
{
	struct stray *stray = arg;

	stray->body(stray->arg);
	atomic_store(&stray->over, true);
	return NULL;
}

/* Under the mutex: joins those that have ended, or all. */
static void join(bool all)
{
	struct stray **at = &strays, *stray;

	while ((stray = *at)) {
		if (!all && !atomic_load(&stray->over)) {
			at = &stray->next;
			continue;
		}
		*at = stray->next;
		dbl_thread_join(&stray->thread);
		dbl_free(stray);
	}
}

static void join_all(void)
{
	if (owner != getpid())
		return;
	pthread_mutex_lock(&mutex);
	join(true);
	pthread_mutex_unlock(&mutex);
}

/* Under the mutex. The end of this process runs what was registered last first: so, each time, before
 * that of the libraries that have been used until now. */
static int begin(void)
{
	if (owner == getpid())
		join(false);
	else
		strays = NULL;
	owner = getpid();
	return atexit(join_all);
}

int dbl_stray_start(void (*body)(void *), void *arg)
{
	struct stray *stray = dbl_alloc(sizeof(*stray));
	int rc = stray ? 0 : -1;

	if (rc)
		return rc;
	stray->body = body;
	stray->arg = arg;
	pthread_mutex_lock(&mutex);
	rc = begin();
	if (rc == 0)
		rc = dbl_thread_start(&stray->thread, run, stray);
	if (rc == 0) {
		stray->next = strays;
		strays = stray;
	}
	pthread_mutex_unlock(&mutex);
	if (rc)
		dbl_free(stray);
	return rc;
}
