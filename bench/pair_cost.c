/* SPDX-License-Identifier: MIT */
/*
 * Measures the cost of one lone acquire and release, beside the same two statements sent by the
 * client library alone; both in turns, in one run:
 *   pair_cost URL [PAIRS]
 * Times are medians. CPU time, switches and allocations are those of the whole process; allocations
 * are counted by who asked for them: this program, with dblock in it, or a library. System calls
 * are counted if strace can be started, instructions if the machine counts them.
 */
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "api/client.h"
#include "bare.h"
#include "calls.h"

/* ---- allocations ----------------------------------------------------------------------------- */

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern char __executable_start, etext;

static atomic_long own_allocations, other_allocations;

static void count(const void *caller)
{
	bool own = (const char *)caller >= &__executable_start && (const char *)caller < &etext;

	atomic_fetch_add(own ? &own_allocations : &other_allocations, 1);
}

__attribute__((visibility("default"))) void *malloc(size_t n)
{
	count(__builtin_return_address(0));
	return __libc_malloc(n);
}

__attribute__((visibility("default"))) void *calloc(size_t n, size_t size)
{
	count(__builtin_return_address(0));
	return __libc_calloc(n, size);
}

__attribute__((visibility("default"))) void *realloc(void *p, size_t n)
{
	count(__builtin_return_address(0));
	return __libc_realloc(p, n);
}

/* ---- measuring ------------------------------------------------------------------------------- */

struct scene {
	struct dblock_client *client;
	const char *session;
	struct bare *bare;
	int fd; /* the counter of instructions; -1: none */
};

static void pair_bare(struct scene *s)
{
	static int64_t nonce = 1;
	int64_t token = bare_acquire(s->bare, "bare", s->session, ++nonce);

	bare_release(s->bare, "bare", token, nonce);
}

static void pair_dblock(struct scene *s)
{
	struct dblock_error err;
	struct dblock_lock *lock;

	if (dblock_acquire(s->client, "dblock", NULL, &lock, &err) || dblock_release(lock, &err))
		bare_die("dblock", err.message);
}

struct cost {
	double us, cpu_user, cpu_system, switches, own, other, instructions;
};

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static double us_of(struct timeval t)
{
	return (double)t.tv_sec * 1e6 + (double)t.tv_usec;
}

static double median_us(int64_t *ns, int n)
{
	qsort(ns, (size_t)n, sizeof(*ns), by_size);
	return (double)ns[n / 2] / 1000;
}

static int64_t take_time(struct scene *s, void (*pair)(struct scene *))
{
	int64_t begun = now_ns();

	pair(s);
	return now_ns() - begun;
}

/* The pairs are measured in turns: what else the machine does is the same for both. */
static void take_times(struct scene *s, int n, struct cost *ours, struct cost *bare)
{
	int64_t *ns = calloc(2 * (size_t)n, sizeof(*ns));

	for (int i = 0; i < n; i++) {
		ns[i] = take_time(s, pair_dblock);
		ns[n + i] = take_time(s, pair_bare);
	}
	ours->us = median_us(ns, n);
	bare->us = median_us(ns + n, n);
	free(ns);
}

static void measure(struct scene *s, void (*pair)(struct scene *), int n, struct cost *cost)
{
	long own = own_allocations, other = other_allocations;
	struct rusage before, after;
	uint64_t instructions = 0;

	getrusage(RUSAGE_SELF, &before);
	ioctl(s->fd, PERF_EVENT_IOC_RESET, 0);
	for (int i = 0; i < n; i++)
		pair(s);
	getrusage(RUSAGE_SELF, &after);
	if (read(s->fd, &instructions, sizeof(instructions)) < 0)
		instructions = 0;
	cost->own = (double)(own_allocations - own) / n;
	cost->other = (double)(other_allocations - other) / n;
	cost->cpu_user = (us_of(after.ru_utime) - us_of(before.ru_utime)) / n;
	cost->cpu_system = (us_of(after.ru_stime) - us_of(before.ru_stime)) / n;
	cost->switches = (double)(after.ru_nvcsw - before.ru_nvcsw) / n;
	cost->instructions = (double)instructions / n;
}

static int open_counter(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_HW_INSTRUCTIONS,
				       .exclude_kernel = 1,
				       .exclude_hv = 1};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static void count_calls(struct scene *s, const char *who, void (*pair)(struct scene *), int n)
{
	pid_t strace;

	printf("\nsystem calls of %d pairs, %s:\n", n, who);
	strace = calls_begin();
	for (int i = 0; i < n; i++)
		pair(s);
	calls_end(strace);
}

int main(int argc, char **argv)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	int n = argc > 2 ? atoi(argv[2]) : 10000;
	struct cost ours = {0}, bare = {0};
	struct dblock_error err;
	struct dbl_epoch *epoch = NULL;
	struct scene s = {.fd = open_counter()};

	if (argc < 2 || n < 1) {
		fprintf(stderr, "pair_cost URL [PAIRS]\n");
		return 2;
	}
	options.auto_migrate = 1;
	options.ttl_ms = 3600000;
	if (dblock_open(argv[1], &options, &s.client, &err) ||
	    dbl_session_epoch(s.client->locks->session, INT64_MAX, &epoch, &err))
		bare_die(argv[1], err.message);
	s.session = epoch->id;
	s.bare = bare_open(&s.client->target);
	for (int i = 0; i < 200; i++) {
		pair_dblock(&s);
		pair_bare(&s);
	}
	take_times(&s, n, &ours, &bare);
	measure(&s, pair_dblock, n, &ours);
	measure(&s, pair_bare, n, &bare);
	printf("per pair           dblock      bare     ratio\n");
#define SAY(what, member)                                                                          \
	printf("%-15s %9.2f %9.2f %9.2f\n", what, ours.member, bare.member,                        \
	       bare.member > 0 ? ours.member / bare.member : 0)
	SAY("us, median", us);
	SAY("us CPU, user", cpu_user);
	SAY("us CPU, system", cpu_system);
	SAY("switches", switches);
	SAY("allocs, own", own);
	SAY("allocs, library", other);
	SAY("instructions", instructions);
	count_calls(&s, "dblock", pair_dblock, n);
	count_calls(&s, "bare", pair_bare, n);
	dbl_epoch_drop(epoch);
	dblock_close(s.client, NULL);
	return 0;
}
