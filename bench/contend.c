/* SPDX-License-Identifier: MIT */
#include "contend.h"

static void look_round(struct bench_worker *w, const struct bench_grant *g)
{
	struct bench_shared *s = w->shared;

	if (g->token && g->token <= s->last_token)
		w->tally->violations++;
	if (g->token)
		s->last_token = g->token;
}

/* Counts one grant, with the lock held. */
static void count_grant(struct bench_worker *w, int64_t now)
{
	struct bench_shared *s = w->shared;

	if (atomic_load(&s->phase) != BENCH_COUNTING)
		return;
	w->tally->grants++;
	if (s->last_holder < 0 || s->last_holder == w->index)
		return;
	w->tally->switches++;
	bench_histogram_add(&w->tally->took, now - s->released_ns);
}

static void hold(struct bench_worker *w)
{
	if (w->run->load->hold_us)
		bench_sleep_us(w->run->load->hold_us);
}

void bench_contend(struct bench_worker *w)
{
	const struct bench_subject *subject = w->run->subject;
	struct bench_shared *s = w->shared;
	bool had = false;
	char name[64];

	bench_name(w, 0, name, sizeof(name));
	while (bench_going(w)) {
		struct bench_grant g = {0};

		subject->acquire(w->own, name, &g);
		if (atomic_exchange(&s->inside, 1))
			w->tally->violations++;
		look_round(w, &g);
		count_grant(w, bench_now_ns());
		hold(w);
		if (!had)
			atomic_fetch_add(&s->begun, 1);
		had = true;
		s->last_holder = w->index;
		s->released_ns = bench_now_ns();
		atomic_store(&s->inside, 0);
		subject->release(w->own, name, &g);
	}
}

void bench_pairs(struct bench_worker *w)
{
	const struct bench_subject *subject = w->run->subject;
	bool many = w->run->load->names_are == BENCH_MANY;
	bool own = w->run->load->names_are == BENCH_OWN;
	int64_t last = 0;
	char name[64];

	for (int64_t i = 0; bench_going(w); i++) {
		struct bench_grant g = {0};
		int64_t begun, which = many ? (int64_t)(bench_random(&w->random) >> 2) : i;

		bench_name(w, which, name, sizeof(name));
		begun = bench_now_ns();
		subject->acquire(w->own, name, &g);
		subject->release(w->own, name, &g);
		bench_count(w, bench_now_ns() - begun);
		if (own && g.token && g.token <= last)
			w->tally->violations++;
		last = g.token;
	}
}
