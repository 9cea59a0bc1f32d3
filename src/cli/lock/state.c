/* SPDX-License-Identifier: MIT */
#include "cli/lock/words.h"

#include <string.h>

/* An operator wants to know if its session is gone. */
const char *dbl_holder_held(const struct dblock_holder *h)
{
	switch (h->hold) {
	case DBLOCK_HOLD_FREE:
		return "free";
	case DBLOCK_HOLD_SESSION:
		return h->session_dead ? "dead" : h->session_missing ? "missing" : "session";
	case DBLOCK_HOLD_LEASE:
		return "lease";
	case DBLOCK_HOLD_MINIMUM:
		return "minimum";
	}
	return "?";
}

/* A table tells that the grant is being taken away: soon another one holds the lock. */
const char *dbl_holder_state(const struct dblock_holder *h)
{
	return h->taken ? "leaving" : dbl_holder_held(h);
}

const char *dbl_waiter_state(const struct dblock_waiter *w)
{
	if (w->session_missing)
		return "missing";
	if (w->session_dead)
		return "dead";
	return w->session_late ? "late" : "alive";
}

const char *dbl_state_color(const char *state)
{
	static const struct {
		const char *state, *color;
	} colors[] = {{"dead", "\033[31m"},    {"missing", "\033[31m"}, {"late", "\033[33m"},
		      {"leaving", "\033[33m"}, {"minimum", "\033[33m"}, {"lease", "\033[36m"},
		      {"free", "\033[32m"}};

	for (size_t i = 0; i < sizeof(colors) / sizeof(colors[0]); i++)
		if (strcmp(colors[i].state, state) == 0)
			return colors[i].color;
	return "";
}
