/* SPDX-License-Identifier: MIT */
#include "lock/queue/leave.h"

#include "lock/queue/advance.h"
#include "lock/queue/queue.h"

enum phase { DEQUEUE, ANNOUNCE, GIVE_BACK, LOOK, HAND_OVER };

static const struct dbl_state phases[] = {
	[DEQUEUE] = {"DEQUEUE", DBL_TO(ANNOUNCE)},
	[ANNOUNCE] = {"ANNOUNCE", DBL_TO(GIVE_BACK)},
	[GIVE_BACK] = {"GIVE_BACK", DBL_TO(LOOK)},
	[LOOK] = {"LOOK", DBL_TO(HAND_OVER)},
	[HAND_OVER] = {"HAND_OVER", 0},
};

void dbl_leave_begin(struct dbl_leave *leave, struct dbl_locks *locks, const char *name,
		     int64_t nonce, bool enqueued, struct dbl_cleanup *cleanup)
{
	DBL_ASSERT(nonce > 0 && cleanup, "%lld", (long long)nonce);
	*leave = (struct dbl_leave){.locks = locks,
				    .name = name,
				    .nonce = nonce,
				    .certain = enqueued,
				    .cleanup = cleanup};
	dbl_sm_init(&leave->phase, phases, DEQUEUE);
}

bool dbl_leave_goes_on(const struct dbl_leave *leave)
{
	return leave->nonce != 0;
}

/* The session has it from now on, as far as there is something to do. */
static bool failed(struct dbl_leave *leave)
{
	dbl_notifier_may_come_late(leave->locks);
	dbl_session_leave_queue(leave->locks->session, leave->cleanup, leave->nonce);
	leave->cleanup = NULL;
	leave->nonce = 0;
	return true;
}

static bool done(struct dbl_leave *leave)
{
	/* An enqueue may still arrive behind us: somebody has to look again, later. */
	if (!leave->certain)
		return failed(leave);
	dbl_cleanup_free(leave->cleanup);
	leave->cleanup = NULL;
	leave->nonce = 0;
	return true;
}

/* What comes after a step that went well. */
static bool move(struct dbl_leave *leave, int to)
{
	return dbl_sm_move(&leave->phase, to, NULL) ? failed(leave) : false;
}

static bool dequeue(struct dbl_leave *leave, int64_t deadline)
{
	bool certain;

	if (dbl_dequeue(leave->locks, leave->name, leave->nonce, deadline, &certain, NULL))
		return failed(leave);
	leave->certain |= certain;
	return move(leave, ANNOUNCE);
}

static bool announce(struct dbl_leave *leave, int64_t deadline)
{
	if (dbl_announce(leave->locks, leave->name, DBL_HAS_LEFT, deadline, NULL))
		return failed(leave);
	return move(leave, GIVE_BACK);
}

static bool give_back(struct dbl_leave *leave, int64_t deadline)
{
	if (dbl_give_back(leave->locks, leave->name, leave->nonce, deadline, NULL))
		return failed(leave);
	return move(leave, LOOK);
}

/* It is out, and has nothing. The line may be looked after by others as well. */
static bool look(struct dbl_leave *leave, int64_t deadline)
{
	if (dbl_look(leave->locks->link, leave->name, NULL, 0, deadline, &leave->snapshot, NULL) ||
	    !leave->snapshot.queued || dbl_is_held(&leave->snapshot))
		return done(leave);
	return move(leave, HAND_OVER);
}

/* Whoever it is for: who left may have stood before those who could have it together. */
static bool hand_over(struct dbl_leave *leave, int64_t deadline)
{
	(void)dbl_queue_advance(leave->locks, leave->name, deadline, NULL);
	return done(leave);
}

bool dbl_leave_step(struct dbl_leave *leave, int64_t deadline)
{
	DBL_ASSERT(leave->nonce && leave->cleanup); /* it goes on */
	switch (dbl_sm_now(&leave->phase)) {
	case DEQUEUE:
		return dequeue(leave, deadline);
	case ANNOUNCE:
		return announce(leave, deadline);
	case GIVE_BACK:
		return give_back(leave, deadline);
	case LOOK:
		return look(leave, deadline);
	default:
		return hand_over(leave, deadline);
	}
}
