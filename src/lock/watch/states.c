/* SPDX-License-Identifier: MIT */
#include "lock/watch/states.h"

#include <string.h>

#include "base/mem.h"
#include "base/tally.h"
#include "lock/watch/own.h"

enum { ROOM = 4 };

struct state {
	enum dblock_connection_state is;
	bool has_why;
	struct dblock_error why;
};

/* Not told yet, the oldest first; under locks->mutex. */
struct dbl_states {
	unsigned n;
	struct state list[ROOM];
};

static const struct dbl_listener *listener_of(const struct dbl_locks *locks)
{
	return &locks->tally->listener;
}

bool dbl_states_init(struct dbl_locks *locks)
{
	if (!locks->tally || !listener_of(locks)->tell)
		return true;
	locks->watchdog->states = dbl_alloc(sizeof(*locks->watchdog->states));
	return locks->watchdog->states != NULL;
}

static void take_out(struct dbl_states *states, unsigned i)
{
	states->n--;
	memmove(&states->list[i], &states->list[i + 1], (states->n - i) * sizeof(*states->list));
}

/* Where the listener has not returned for long, the oldest state is left out that is no loss; or, of
 * losses alone, the oldest. */
static void make_room(struct dbl_states *states)
{
	unsigned i = 0;

	if (states->n < ROOM)
		return;
	while (i < ROOM && states->list[i].is == DBLOCK_STATE_LOST)
		i++;
	take_out(states, i < ROOM ? i : 0);
}

void dbl_states_put(struct dbl_locks *locks, enum dblock_connection_state is,
		    const struct dblock_error *why)
{
	struct dbl_states *states = locks->watchdog->states;

	if (!states)
		return;
	dbl_lock(&locks->mutex);
	make_room(states);
	states->list[states->n++] = (struct state){
		.is = is, .has_why = why != NULL, .why = why ? *why : (struct dblock_error){0}};
	dbl_cond_wake(&locks->watchdog->news);
	dbl_unlock(&locks->mutex);
}

bool dbl_states_tell(struct dbl_locks *locks)
{
	struct dbl_states *states = locks->watchdog->states;
	struct state state;

	DBL_ASSERT_HELD(&locks->mutex);
	if (!states || states->n == 0)
		return false;
	state = states->list[0];
	take_out(states, 0);
	dbl_unlock(&locks->mutex);
	listener_of(locks)->tell(listener_of(locks)->arg, state.is,
				 state.has_why ? &state.why : NULL);
	dbl_lock(&locks->mutex);
	return true;
}
