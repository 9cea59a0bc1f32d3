/* SPDX-License-Identifier: MIT */
#include "sim/rate.h"

#include <dblock/rate.h>

#include "sim/client.h"
#include "sim/world.h"

/* 3 at once, and one each second. */
enum { RATE = 1, BURST = 3 };
#define PERIOD_US INT64_C(1000000)

static int is_over(void *world)
{
	const struct world *w = world;

	return w->ending || (w->now / 1000) % 16 == 0;
}

/* While it is set back no time passes for the rate; from there on it does. */
static int64_t clock_forward(const struct server *s)
{
	int64_t now = s->world->now;

	return now + now * s->clock.ppm / 1000000 + s->clock.forward;
}

/* Commits that are lost take what they have counted with them. */
static bool is_excused(const struct world *w)
{
	return w->history.losses > 0;
}

/* Is there a window, up to that take, with more than its rate allows? */
static void check_window(struct world *w, const struct rate_take *last)
{
	const struct rate_history *h = &w->rates;

	for (int i = 0; i < h->n; i++) {
		const struct rate_take *from = &h->takes[i];
		int64_t n = 0;

		for (int k = 0; k < h->n; k++)
			if (h->takes[k].lo >= from->lo && h->takes[k].hi <= last->hi)
				n += h->takes[k].n;
		if ((n - BURST) * PERIOD_US > RATE * (last->hi - from->lo + 1))
			world_break(w, "C30", "%lld are taken of a rate in %lld us", (long long)n,
				    (long long)(last->hi - from->lo));
	}
}

void rate_any(struct process *p)
{
	struct world *w = p->world;
	struct dblock_rate_options o = DBLOCK_RATE_OPTIONS_INIT;
	struct dblock_rate_state found = DBLOCK_RATE_STATE_INIT;
	struct dblock_error err = {0};
	int64_t n = rng_between(&w->rng, 1, BURST), lo = clock_forward(w->servers);
	struct rate_take *t;
	int rc;

	o.period_ms = PERIOD_US / 1000;
	o.wait_ms = rng_one_in(&w->rng, 2) ? 0 : rng_between(&w->rng, 1, 4000);
	o.canceled = is_over;
	o.canceled_arg = w;
	rc = dblock_rate_take(p->client, "r", RATE, BURST, n, &o, &found, &err);
	COUNT(w, rates);
	client_expect(p, "rate", rc, &err);
	world_tell(w, p, "take %lld of a rate: %s", (long long)n, dblock_outcome_name(rc));
	if (rc || w->rates.n == RATE_TAKES_MAX || is_excused(w))
		return;
	COUNT(w, rates_taken);
	/* Clocks here go at rates that differ by up to a twelfth, and it has waited by its own one. */
	t = &w->rates.takes[w->rates.n++];
	*t = (struct rate_take){lo + found.wait_us, clock_forward(w->servers) + found.wait_us / 12,
				n};
	check_window(w, t);
}
