/* SPDX-License-Identifier: MIT */
/* Checks of what the guarded resource has accepted, and refused. */
#include "sim/check.h"
#include "sim/client.h"
#include "sim/world.h"

void check_write(struct world *w, const struct grant *grant, int64_t token)
{
	const struct grant *last = w->history.names[grant->name].guard;

	if (last && last != grant && w->history.names[grant->name].guard_token == token)
		world_break(w, "C4", "%s: two grants write with token %lld",
			    client_name(grant->name), (long long)token);
}

void check_refused(struct world *w, const struct grant *grant, int64_t token, bool reads)
{
	struct history *h = &w->history;

	for (int i = 0; i < h->n_held; i++) {
		const struct belief *b = &h->held[i];

		if (b->grant == grant && b->token == token && history_counts(b) && !b->excused &&
		    !check_may_overlap(w, b) && (reads || b->mode == DBLOCK_EXCLUSIVE))
			world_break(w, "C4", "%s (token %lld) is held, and its %s is refused",
				    client_name(b->name), (long long)b->token,
				    reads ? "read" : "write");
	}
}
