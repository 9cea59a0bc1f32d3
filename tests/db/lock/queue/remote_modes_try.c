/* SPDX-License-Identifier: MIT */
/* A try in another mode than exclusive, while others change the queue between its statements. (Not on SQLite: what
 * grants there begins with the file's lock.) */
#include "db/lock/queue/queue_kit.h"

#include "lock/queue/advance.h"

/* The spy's hooks read this. */
static struct {
	struct scene *scene;
	struct spy *spy;
	_Atomic bool decided; /* it has read the queue since */
	_Atomic int grants;   /* that it has tried */
} now;

static void grants_it(void)
{
	struct dbl_locks *others = now.scene->a->locks;

	assert_int_equal(dbl_queue_advance(others, "x", dbl_locks_deadline(others), NULL), 0);
}

/* Its grant is about to be sent: this is the first, and somebody else has left since it was decided. */
static bool spoils_the_first(enum dbl_op op)
{
	if (op != DBL_OP_grant || !now.decided)
		return false;
	now.decided = false;
	if (++now.grants == 1)
		puppet_announce(now.scene->puppet, "x");
	return now.grants == 1;
}

static enum spy_fate granted_before_its_second(struct spy *spy, enum dbl_op op)
{
	bool again = op == DBL_OP_grant && now.decided;

	(void)spy;
	now.decided |= op == DBL_OP_line;
	if (!spoils_the_first(op) && again && now.grants == 2)
		grants_it();
	return SPY_PASS;
}

static enum spy_fate granted_before_it_reads(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	if (op == DBL_OP_line && now.grants == 1)
		grants_it();
	now.decided |= op == DBL_OP_line;
	(void)spoils_the_first(op);
	return SPY_PASS;
}

/* Somebody stands there, so it cannot enter; but for his mode he could have it as well. */
static void try_beside_a_wait(struct scene *s, enum spy_fate (*fate)(struct spy *, enum dbl_op))
{
	struct dblock_acquire_options shared = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *client;
	struct dblock_lock *lock;

	memset(&now, 0, sizeof(now));
	now.scene = s;
	now.spy = spy_new();
	client = spy_client(now.spy, 0);
	shared.mode = DBLOCK_SHARED;
	puppet_enqueue(s->puppet, "x");
	raw_exec(s->raw, "UPDATE dblock_queue SET mode = %d", DBLOCK_SHARED);
	now.spy->fate = fate;
	expect(OK, dblock_try(client, "x", &shared, &lock, &err));
	assert_true(dblock_valid(lock, 0));
	give(lock);
	raw_exec(s->raw, "DELETE FROM dblock_queue");
	dblock_close(client, NULL);
	spy_free(now.spy);
}

/* Naive: it says BUSY, since its own grant did nothing. */
static void what_others_grant_it_is_seen(void **state)
{
	try_beside_a_wait(*state, granted_before_its_second);
	assert_int_equal(now.grants, 2);
}

/* Naive: it says BUSY, since its own row holds the lock. */
static void its_own_row_is_in_nobodys_way(void **state)
{
	try_beside_a_wait(*state, granted_before_it_reads);
	assert_int_equal(now.grants, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(what_others_grant_it_is_seen),
		CASE(its_own_row_is_in_nobodys_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
