/* SPDX-License-Identifier: MIT */
/* Functions that subjects and experiments share. */
#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "measure.h"

int64_t bench_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void bench_sleep_us(int64_t us)
{
	struct timespec t = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000};

	nanosleep(&t, NULL);
}

uint64_t bench_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

uint64_t bench_nonce(void)
{
	static _Thread_local uint64_t state;

	while (!state) {
		if (getrandom(&state, sizeof(state), 0) != sizeof(state))
			state = (uint64_t)bench_now_ns();
	}
	return bench_random(&state);
}

void *bench_alloc(size_t size)
{
	void *p = calloc(1, size);

	if (!p)
		bench_fail("out of memory");
	return p;
}

bool bench_going(const struct bench_worker *w)
{
	return atomic_load_explicit(&w->shared->phase, memory_order_relaxed) != BENCH_OVER;
}

void bench_count(struct bench_worker *w, int64_t ns)
{
	if (atomic_load_explicit(&w->shared->phase, memory_order_relaxed) != BENCH_COUNTING)
		return;
	w->tally->grants++;
	bench_histogram_add(&w->tally->took, ns);
}

void bench_name(const struct bench_worker *w, int64_t i, char *name, size_t size)
{
	const struct bench_load *load = w->run->load;
	int64_t workers = load->processes * load->threads, share = load->names / workers;

	switch (load->names_are) {
	case BENCH_OWN:
		snprintf(name, size, "own-%d", w->index);
		break;
	case BENCH_NEW:
		snprintf(name, size, "new-%d-%d-%" PRId64, w->run->serial, w->index, i);
		break;
	case BENCH_ONE:
		snprintf(name, size, "one");
		break;
	case BENCH_MANY:
		snprintf(name, size, "many-%" PRId64, i % (share ? share : 1) * workers + w->index);
		break;
	}
}

char *bench_read_state(const char *server, const char *file)
{
	char path[512], *text = NULL;
	size_t size = 0;
	ssize_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", server, file);
	f = fopen(path, "r");
	if (!f)
		return NULL;
	n = getline(&text, &size, f);
	fclose(f);
	if (n <= 0) {
		free(text);
		return NULL;
	}
	text[strcspn(text, "\n")] = 0;
	return text;
}
