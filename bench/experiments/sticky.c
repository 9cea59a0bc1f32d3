/* SPDX-License-Identifier: MIT */
/* One process takes the same name again and again; or two take it from each other now and then. */
#include "contend.h"

static const struct bench_load loads[] = {
	{.name = "1x1", .processes = 1, .threads = 1, .quick = true},
	{.name = "2x1", .processes = 2, .threads = 1, .names_are = BENCH_ONE},
};

/* Each process comes now and then, mostly to a lock that the other one keeps idle. The time of the
 * acquire is measured. */
static void visit(struct bench_worker *w)
{
	const struct bench_subject *subject = w->run->subject;
	struct bench_shared *s = w->shared;
	char name[64];

	bench_name(w, 0, name, sizeof(name));
	while (bench_going(w)) {
		struct bench_grant g = {0};
		int64_t begun = bench_now_ns();

		subject->acquire(w->own, name, &g);
		bench_count(w, bench_now_ns() - begun);
		if (atomic_exchange(&s->inside, 1))
			w->tally->violations++;
		atomic_store(&s->inside, 0);
		subject->release(w->own, name, &g);
		bench_sleep_us(2000 + (int64_t)(bench_random(&w->random) % 2000));
	}
}

static void work(struct bench_worker *w)
{
	if (w->run->load->processes == 1)
		bench_pairs(w);
	else
		visit(w);
}

static const struct bench_experiment sticky = {
	.order = 40,
	.name = "sticky",
	.what = "one thread takes the same name again and again, and keeps it in between where "
		"its client can; 2x1: two processes take it from each other now and then",
	.loads = loads,
	.n_loads = sizeof(loads) / sizeof(loads[0]),
	.work = work,
};

BENCH_EXPERIMENT(sticky)
