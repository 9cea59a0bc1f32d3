/* SPDX-License-Identifier: MIT */
/* Worlds of one database, and of clients that do all that there is to do with locks. */
#include "sim/check.h"
#include "sim/client.h"
#include "sim/modes.h"
#include "sim/probe.h"
#include "sim/setup.h"

/* Most worlds have few clients: if two are enough for a fault to show, more would only hide it. */
static int how_many(struct rng *rng)
{
	return (int)(rng_one_in(rng, 4) ? rng_between(rng, 2, 8) : rng_between(rng, 2, 4));
}

/* Nearly half of the worlds have modes; those of seeds.txt are not among them, on purpose. */
static bool has_modes(uint64_t seed)
{
	return seed % 11 % 2 == 1;
}

static void begin_servers(struct world *w)
{
	w->n_servers = 1;
	w->servers[0] = (struct server){
		.world = w,
		.clock = {.origin = rng_between(&w->rng, 10000000, INT64_C(1000000000000)),
			  .ppm = rng_between(&w->rng, -40000, 40000),
			  .epoch = EPOCH_US},
		.network = {.starts = 1},
	};
}

/* What the other parts draw must not depend on this. */
static void begin_modes(struct world *w)
{
	w->modes = true;
	w->misuses = rng_one_in(&w->rng, 4);
	w->resizes =
		w->seed % 5 == 2; /* not by chance, so that the other seeds stay what they were */
	for (int i = 0; i < NAMES_MAX; i++) {
		if (rng_one_in(&w->rng, 3))
			w->capacity[i] = rng_between(&w->rng, 1, 5);
	}
}

static void begin(struct world *w)
{
	begin_servers(w);
	w->n_names = (int)rng_between(&w->rng, 1, NAMES_MAX);
	w->n_processes = how_many(&w->rng);
	w->active_until = rng_between(&w->rng, 2000000, 6000000);
	if (has_modes(w->seed))
		begin_modes(w);
	w->ranks =
		w->seed % 7 == 4; /* not by chance, so that the other seeds stay what they were */
}

static const struct count counts[] = {
#define X(name, floor) {COUNT_##name, #name, floor},
	COUNTS(X)
#undef X
		{.name = NULL},
};

const struct kind single_worlds = {
	.prefix = "",
	.clock = "server",
	.setup = setup,
	.begin = begin,
	.process = client_main,
	.quiet = check_quiet,
	.probe = probe,
	.any_op = faults_any_op,
	.check = check_beliefs,
	.before = line_before,
	.carried_out = history_carried_out,
	.lost_commits = history_lost_commits,
	.forget = history_forget,
	.counts = counts,
};
