/* SPDX-License-Identifier: MIT */
/* A try in another mode than exclusive, while others change the queue between its statements. (Not on SQLite: what
 * grants there begins with the file's lock.) */
#include "db/lock/queue/queue_kit.h"

#include "lock/queue/advance.h"

/* The spy's hook reads this. */
static struct {
	struct scene *scene;
	struct spy *spy;
	bool decided; /* it has read the queue since */
	int grants;   /* that it has tried */
} now;

/* Before its first grant somebody else has left; before its second one somebody else has granted it that. */
static enum spy_fate meddle(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	now.decided |= op == DBL_OP_line;
	if (op != DBL_OP_grant || !now.decided)
		return SPY_PASS;
	now.decided = false;
	now.grants++;
	if (now.grants == 1)
		puppet_announce(now.scene->puppet, "x");
	else
		assert_int_equal(dbl_queue_advance(now.scene->a->locks, "x",
						   dbl_locks_deadline(now.scene->a->locks), NULL),
				 0);
	return SPY_PASS;
}

/* Naive: it says BUSY, since its own grant did nothing. */
static void what_others_grant_it_is_seen(void **state)
{
	struct dblock_acquire_options shared = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct scene *s = *state;
	struct dblock_error err = {0};
	struct dblock_client *client;
	struct dblock_lock *lock;

	now.scene = s;
	now.spy = spy_new();
	client = spy_client(now.spy, 0);
	shared.mode = DBLOCK_SHARED;
	/* Somebody stands there, so it cannot enter; but for his mode he could have it as well. */
	puppet_enqueue(s->puppet, "x");
	raw_exec(s->raw, "UPDATE dblock_queue SET mode = %d", DBLOCK_SHARED);
	now.spy->fate = meddle;
	expect(OK, dblock_try(client, "x", &shared, &lock, &err));
	assert_int_equal(now.grants, 2);
	assert_true(dblock_valid(lock, 0));
	give(lock);
	raw_exec(s->raw, "DELETE FROM dblock_queue");
	dblock_close(client, NULL);
	spy_free(now.spy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(what_others_grant_it_is_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
