/* SPDX-License-Identifier: MIT */
/* While a call waits in the queue, it sometimes reads its place there for the caller, or looks for
 * a deadlock. If the answer does not come before the wait's time is up, nobody knows who has the
 * lock: TIMEOUT names a holder only after a later look. */
#include "support/call.h"
#include "support/spy.h"

enum { WAIT_MS = 60000 };

static struct {
	enum dbl_op errand;
	_Atomic bool asked, cut;
	_Atomic int looks_before, told;
	bool looked;
} world;

/* The query is not answered before the wait is over; nor is what follows, if the network is cut. */
static enum spy_fate lose(struct spy *spy, enum dbl_op op)
{
	if (op == world.errand && !world.asked) {
		world.asked = true;
		world.looks_before = spy->runs_of[DBL_OP_look];
		spy->skew += dbl_ms(2 * WAIT_MS);
		return SPY_LOST_BEFORE;
	}
	if (!world.asked || !world.cut)
		return SPY_PASS;
	spy->skew += dbl_ms(1000);
	return SPY_LOST_BEFORE;
}

static void told(void *arg, const struct dblock_waiting *waiting)
{
	(void)arg;
	(void)waiting;
	world.told++;
}

static int acquire_both(struct dblock_client *client, const struct dblock_acquire_options *how,
			struct dblock_error *err)
{
	const struct dblock_lock_spec wants[] = {{.name = "x"}, {.name = "y"}};
	struct dblock_lock *lock;

	return dblock_acquire_all(client, wants, 2, how, &lock, err);
}

static int wait_through(enum dbl_op errand, bool both, bool cut, struct dblock_error *err)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_client *client, *other = client_new(DBLOCK_TTL_MAX_MS);
	struct spy *spy = spy_new();
	struct dblock_lock *lock, *theirs = take(other, "x");
	int rc;

	memset(&world, 0, sizeof(world));
	world.errand = errand;
	world.cut = cut;
	client = spy_client(spy, 0);
	how.wait_ms = WAIT_MS;
	if (errand == DBL_OP_place)
		how.waiting = told;
	how.waiting_every_ms = DBLOCK_WAITING_EVERY_MIN_MS;
	how.deadlock_ms = errand == DBL_OP_cycle ? 50 : -1;
	spy->fate = lose;
	rc = both ? acquire_both(client, &how, err) : dblock_acquire(client, "x", &how, &lock, err);
	spy->fate = NULL;
	if (!world.asked)
		fail_msg("%s without it: %s", dblock_outcome_name(rc), err->message);
	world.looked = spy->runs_of[DBL_OP_look] > world.looks_before;
	dblock_close(client, NULL);
	give(theirs);
	dblock_close(other, NULL);
	spy_free(spy);
	return rc;
}

static const struct {
	enum dbl_op errand;
	bool both;
} errands[] = {{DBL_OP_place, false}, {DBL_OP_cycle, false}, {DBL_OP_cycle, true}};

enum { ERRANDS = sizeof(errands) / sizeof(*errands) };

static void nothing_is_heard_any_more(void **state)
{
	struct dblock_error err = {0};

	(void)state;
	for (int i = 0; i < ERRANDS; i++) {
		int rc = wait_through(errands[i].errand, errands[i].both, true, &err);

		if (rc != DBLOCK_E_UNAVAILABLE && rc != DBLOCK_E_UNSURE && rc != DBLOCK_E_NO_ANSWER)
			fail_msg("%d: %s: %s", i, dblock_outcome_name(rc), err.message);
	}
}

static void a_look_is_answered(void **state)
{
	struct dblock_error err = {0};

	(void)state;
	for (int i = 0; i < ERRANDS; i++) {
		int64_t until = clock_ms() + PLENTY_MS;
		int rc;

		/* A slow machine may have no time for another connection, and so for no look. */
		do
			rc = wait_through(errands[i].errand, errands[i].both, false, &err);
		while (!errands[i].both && !world.looked && clock_ms() < until);
		expect(TIMEOUT, rc);
		message_has("is held by");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_heard_any_more),
		cmocka_unit_test(a_look_is_answered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
