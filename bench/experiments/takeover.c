/* SPDX-License-Identifier: MIT */
/* How long after the `kill -9` of its holder somebody else has the lock, who waits for it on the same
 * machine. Each subject as it comes: with its default ttl, lease, session time-out. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

/* What waits has come to the queue, or to its poll, after so long. */
#define SETTLE_US 100000

/* No default is longer than a minute. */
#define PATIENCE_MS 90000

/* A process that opens the subject and takes the name. It says when it is about to, and then when it had
 * the lock; and holds that, or gives it back. */
struct one {
	pid_t pid;
	int said;
};

static void say(int to, int64_t ns)
{
	if (write(to, &ns, sizeof(ns)) != sizeof(ns))
		_exit(1);
}

static _Noreturn void live(struct bench_worker *w, const char *name, bool holds, int to)
{
	const struct bench_subject *subject = w->run->subject;
	struct bench_grant grant = {.handle = NULL};
	void *own = subject->open ? subject->open(&w->run->place) : NULL;

	if (subject->enter)
		own = subject->enter(own);
	say(to, 0);
	subject->acquire(own, name, &grant);
	say(to, bench_now_ns());
	while (holds)
		pause();
	subject->release(own, name, &grant);
	_exit(0);
}

static struct one start(struct bench_worker *w, const char *name, bool holds)
{
	pid_t parent = getpid();
	struct one one;
	int said[2];

	if (pipe(said))
		bench_fail("no pipe");
	one.pid = fork();
	if (one.pid < 0)
		bench_fail("no process");
	if (one.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		close(said[0]);
		live(w, name, holds, said[1]);
	}
	close(said[1]);
	one.said = said[0];
	return one;
}

static int64_t hear(const struct one *one)
{
	struct pollfd said = {.fd = one->said, .events = POLLIN};
	int64_t ns;

	if (poll(&said, 1, PATIENCE_MS) != 1 || read(one->said, &ns, sizeof(ns)) != sizeof(ns))
		bench_fail("a holder was killed, and nobody had the lock in time");
	return ns;
}

static void end(const struct one *one)
{
	close(one->said);
	waitpid(one->pid, NULL, 0);
}

static void take_over(struct bench_worker *w, int i)
{
	struct one holder, waiter;
	int64_t killed;
	char name[64];

	snprintf(name, sizeof(name), "takeover-%d-%d", w->run->serial, i);
	holder = start(w, name, true);
	hear(&holder);
	hear(&holder);
	waiter = start(w, name, false);
	hear(&waiter);
	bench_sleep_us(SETTLE_US);
	killed = bench_now_ns();
	kill(holder.pid, SIGKILL);
	w->tally->grants++;
	bench_histogram_add(&w->tally->took, hear(&waiter) - killed);
	end(&holder);
	end(&waiter);
}

static void work(struct bench_worker *w)
{
	int i = 0;

	do
		take_over(w, i++);
	while (bench_going(w));
}

static const struct bench_load loads[] = {
	{.name = "kill-9", .processes = 1, .threads = 1, .quick = true, .rounds = 1, .seconds = 8}};

static const struct bench_experiment takeover = {
	.order = 25,
	.name = "takeover",
	.what = "a holder is killed (kill -9): the time until who waits on the same machine has "
		"the lock",
	.loads = loads,
	.n_loads = sizeof(loads) / sizeof(loads[0]),
	.apart = true,
	.work = work,
};

BENCH_EXPERIMENT(takeover)
