/* SPDX-License-Identifier: MIT */
/*
 * A measurement: processes are forked from one that has never opened anything, each with its
 * threads; when all are ready they warm up, are counted, and stop. They write into memory that all
 * share.
 */
#include "measure.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "server_cpu.h"

#define PATIENCE_NS (120LL * 1000000000)
#define WARM_NS     (10LL * 1000000000)

/* This process's shared memory, for bench_fail(). */
static struct bench_shared *shared_here;

static size_t size_of(int workers)
{
	return sizeof(struct bench_shared) + (size_t)workers * sizeof(struct bench_tally);
}

static struct bench_shared *make_shared(int workers)
{
	void *p = mmap(NULL, size_of(workers), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);

	if (p == MAP_FAILED) {
		perror("bench: mmap");
		exit(1);
	}
	return p;
}

void bench_fail(const char *format, ...)
{
	char text[400];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	for (char *c = text; *c; c++) {
		if (*c == '"' || *c == '\n')
			*c = ' ';
	}
	if (shared_here && atomic_fetch_add(&shared_here->n_errors, 1) == 0)
		memcpy(shared_here->error, text, sizeof(text));
	else if (!shared_here)
		fprintf(stderr, "bench: %s\n", text);
	_exit(1);
}

static void set_phase(struct bench_shared *s, int phase)
{
	atomic_store(&s->phase, phase);
	syscall(SYS_futex, &s->phase, FUTEX_WAKE, 1 << 30, NULL, NULL, 0);
}

static void await_phase(struct bench_shared *s, int phase)
{
	int now;

	while ((now = atomic_load(&s->phase)) < phase)
		syscall(SYS_futex, &s->phase, FUTEX_WAIT, now, NULL, NULL, 0);
}

/* --- in a process that is measured --- */

static void *one_worker(void *arg)
{
	struct bench_worker *w = arg;
	const struct bench_run *run = w->run;

	if (run->experiment->begin)
		run->experiment->begin(w);
	atomic_fetch_add(&w->shared->ready, 1);
	await_phase(w->shared, BENCH_WARMING);
	run->experiment->work(w);
	return NULL;
}

/* Connections are opened one after the other: no server likes a thousand at once. */
static void start(struct bench_worker *w, pthread_t *thread, void *process)
{
	int rc;

	if (!w->run->experiment->apart)
		w->own = w->run->subject->enter ? w->run->subject->enter(process) : process;
	rc = pthread_create(thread, NULL, one_worker, w);
	if (rc)
		bench_fail("no thread: %s", strerror(rc));
}

static int64_t cpu_us(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (int64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000 + u.ru_utime.tv_usec +
	       u.ru_stime.tv_usec;
}

static void watch(struct bench_shared *s, struct bench_process *me)
{
	int64_t before;

	await_phase(s, BENCH_COUNTING);
	before = cpu_us();
	await_phase(s, BENCH_OVER);
	me->cpu_us = cpu_us() - before;
}

static void be_process(const struct bench_run *run, struct bench_shared *s, int process)
{
	const struct bench_subject *subject = run->subject;
	int n = run->load->threads;
	struct bench_worker *workers;
	pthread_t *threads;
	void *own;

	own = subject->open && !run->experiment->apart ? subject->open(&run->place) : NULL;
	workers = bench_alloc((size_t)n * sizeof(*workers));
	threads = bench_alloc((size_t)n * sizeof(*threads));
	for (int i = 0; i < n; i++) {
		int index = process * n + i;

		workers[i] =
			(struct bench_worker){run,   s,    &s->tallies[index],        process, i,
					      index, NULL, (uint64_t)index * 7919 + 1};
		start(&workers[i], &threads[i], own);
	}
	watch(s, &s->processes[process]);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	if (run->experiment->left_behind || run->experiment->apart)
		return;
	for (int i = 0; i < n; i++) {
		if (subject->leave)
			subject->leave(workers[i].own);
	}
	if (subject->close)
		subject->close(own);
}

static pid_t fork_one(const struct bench_run *run, struct bench_shared *s, int process)
{
	pid_t parent = getpid(), pid = fork();

	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	shared_here = s;
	be_process(run, s, process);
	_exit(0);
}

/* --- in the one that measures --- */

/* Forgets processes that have ended. Returns false if one of them failed. */
static bool look_after(pid_t *pids, int n, struct bench_shared *s)
{
	int status;

	for (int i = 0; i < n; i++) {
		if (pids[i] <= 0 || waitpid(pids[i], &status, WNOHANG) != pids[i])
			continue;
		pids[i] = 0;
		if (status == 0)
			continue;
		if (atomic_fetch_add(&s->n_errors, 1) == 0)
			snprintf(s->error, sizeof(s->error), "a process ended with status %#x",
				 (unsigned)status);
	}
	return atomic_load(&s->n_errors) == 0;
}

static bool all_ready(pid_t *pids, int n, struct bench_shared *s, int workers)
{
	int64_t until = bench_now_ns() + PATIENCE_NS;

	while (atomic_load(&s->ready) < workers) {
		if (!look_after(pids, n, s))
			return false;
		if (bench_now_ns() > until) {
			snprintf(s->error, sizeof(s->error), "was not ready in time");
			return false;
		}
		bench_sleep_us(1000);
	}
	return true;
}

static void reap(pid_t *pids, int n, struct bench_shared *s)
{
	int64_t until = bench_now_ns() + PATIENCE_NS / 2;
	int left;

	do {
		bool well = look_after(pids, n, s);

		left = 0;
		for (int i = 0; i < n; i++) {
			left += pids[i] > 0;
			if (pids[i] > 0 && (!well || bench_now_ns() > until))
				kill(pids[i], SIGKILL);
		}
		if (left && bench_now_ns() > until && !s->error[0])
			snprintf(s->error, sizeof(s->error), "did not come to its end");
		if (left)
			bench_sleep_us(1000);
	} while (left);
}

/* If all must be in the queue first, this lasts until each has had the lock once. */
static void warm_up(const struct bench_run *run, struct bench_shared *s)
{
	int workers = run->load->processes * run->load->threads;
	int64_t until = bench_now_ns() + WARM_NS;

	set_phase(s, BENCH_WARMING);
	bench_sleep_us((int64_t)(run->seconds * 0.2e6));
	while (run->experiment->in_queue && atomic_load(&s->begun) < workers &&
	       atomic_load(&s->n_errors) == 0 && bench_now_ns() < until)
		bench_sleep_us(1000);
}

static void let_them(const struct bench_run *run, struct bench_shared *s, struct bench_result *r)
{
	int64_t begun, cpu;

	warm_up(run, s);
	cpu = bench_server_cpu_us(run->place.server);
	begun = bench_now_ns();
	set_phase(s, BENCH_COUNTING);
	bench_sleep_us((int64_t)(run->seconds * 1e6));
	r->seconds = (double)(bench_now_ns() - begun) / 1e9;
	set_phase(s, BENCH_OVER);
	r->server_cpu_us = bench_server_cpu_us(run->place.server) - cpu;
}

static void sum_up(const struct bench_shared *s, const struct bench_load *load,
		   struct bench_result *r)
{
	int workers = load->processes * load->threads;
	double squares = 0;

	for (int i = 0; i < workers; i++) {
		const struct bench_tally *t = &s->tallies[i];

		r->grants += t->grants;
		r->switches += t->switches;
		r->violations += t->violations;
		squares += (double)t->grants * (double)t->grants;
		bench_histogram_merge(&r->took, &t->took);
	}
	for (int i = 0; i < load->processes; i++) {
		r->cpu_us += s->processes[i].cpu_us;
		r->bytes += s->processes[i].bytes;
	}
	r->held = atomic_load(&s->held);
	if (squares > 0)
		r->fairness = (double)r->grants * (double)r->grants / (workers * squares);
	memcpy(r->error, s->error, sizeof(r->error));
}

void bench_measure(const struct bench_run *run, struct bench_result *r)
{
	int n = run->load->processes, workers = n * run->load->threads;
	struct bench_shared *s = make_shared(workers);
	pid_t pids[BENCH_PROCESSES];

	memset(r, 0, sizeof(*r));
	s->last_holder = -1;
	for (int i = 0; i < n; i++)
		pids[i] = fork_one(run, s, i);
	if (all_ready(pids, n, s, workers))
		let_them(run, s, r);
	else if (atomic_fetch_add(&s->n_errors, 1) == 0 && !s->error[0])
		snprintf(s->error, sizeof(s->error), "failed");
	reap(pids, n, s);
	sum_up(s, run->load, r);
	munmap(s, size_of(workers));
}

bool bench_prepare(const struct bench_place *place, int64_t rows, char *error, size_t size)
{
	const struct bench_subject *subject = place->subject;
	struct bench_shared *s = make_shared(0);
	pid_t pid = fork();
	bool done;

	if (pid == 0) {
		shared_here = s;
		if (rows)
			subject->fill(place, rows);
		else
			subject->prepare(place);
		_exit(0);
	}
	while (!(done = waitpid(pid, NULL, 0) == pid) && errno == EINTR)
		;
	done = done && atomic_load(&s->n_errors) == 0;
	if (!done)
		snprintf(error, size, "%s", s->error);
	munmap(s, size_of(0));
	return done;
}
