/* SPDX-License-Identifier: MIT */
/* libpq takes only a part of what goes with one statement of ours on the caller's connection, as it has no
 * memory for the rest. His transaction goes on as if nothing had been sent. */
#include <dlfcn.h>

#include "db/lock/tx/in_tx_kit.h"

/* ---- these stand in libpq's place ------------------------------------------------------------ */

static void *refusing;       /* this connection takes nothing, */
static int refused_at;       /* once so many calls have come */
static bool refused, at_end; /* it was so; it was the end of them that it did not take */

static bool is_refused(void *pg)
{
	if (pg != refusing || --refused_at != 0)
		return false;
	refused = true;
	return true;
}

int PQsendQueryParams(void *pg, const char *sql, int n, const unsigned *types,
		      const char *const *values, const int *lengths, const int *formats,
		      int format);
int PQsendQueryParams(void *pg, const char *sql, int n, const unsigned *types,
		      const char *const *values, const int *lengths, const int *formats, int format)
{
	int (*theirs)(void *, const char *, int, const unsigned *, const char *const *, const int *,
		      const int *, int);

	*(void **)&theirs = dlsym(RTLD_NEXT, "PQsendQueryParams");
	return is_refused(pg) ? 0 : theirs(pg, sql, n, types, values, lengths, formats, format);
}

int PQpipelineSync(void *pg);
int PQpipelineSync(void *pg)
{
	int (*theirs)(void *);

	*(void **)&theirs = dlsym(RTLD_NEXT, "PQpipelineSync");
	at_end = is_refused(pg);
	return at_end ? 0 : theirs(pg);
}

/* ---- what is sent ---------------------------------------------------------------------------- */

static struct dblock_lock *held;

static int fence_it(struct dblock_tx *tx, struct dblock_error *err)
{
	return dblock_fence(tx, held, err);
}

/* It waits for rows only so long, so that lock_timeout is set, and put back. */
static int lock_x(struct dblock_tx *tx, struct dblock_error *err)
{
	int64_t token;

	return dblock_tx_lock(tx, a, "x", NULL, &token, err);
}

static const struct {
	int (*run)(struct dblock_tx *, struct dblock_error *);
	const char *trace; /* what it leaves in the transaction */
	int calls;         /* of libpq, to send it */
} ways[] = {
	{fence_it, "SELECT coalesce(current_setting('dblock.fence', true), '')", 4},
	{lock_x, "SELECT token FROM dblock_lock WHERE name = 'x'", 6},
};

static bool refuse(struct dblock_tx *tx, int way, int at, struct dblock_error *err)
{
	int rc;

	refusing = dblock_postgresql_handle(tx);
	refused_at = at;
	refused = at_end = false;
	rc = ways[way].run(tx, err);
	refusing = NULL;
	/* If all but the end was taken, it is carried out. */
	assert_true(refused);
	assert_int_equal(rc, at < ways[way].calls ? DBLOCK_E_UNAVAILABLE : DBLOCK_OK);
	return rc == 0;
}

static void as_it_was(struct dblock_tx *owner)
{
	assert_string_equal(tx_text(owner, "SHOW lock_timeout"), "17s");
	assert_int_equal(tx_int(owner, "SELECT money FROM account WHERE id = 1"), 7);
}

/* Naive: the part that was taken stays, and the connection counts as lost; or what was carried out to its
 * end is to be undone, and its savepoint is not there any more. */
static void play(int way, int at)
{
	struct dblock_tx *owner = tx_begin(b), *tx = tx_adopt(owner);
	struct dblock_error err = {0};
	char before[256];

	tx_exec(owner, "SET LOCAL lock_timeout = '17s'");
	tx_exec(owner, "UPDATE account SET money = 7 WHERE id = 1");
	snprintf(before, sizeof(before), "%s", tx_text(owner, ways[way].trace));
	if (refuse(tx, way, at, &err))
		assert_string_not_equal(tx_text(owner, ways[way].trace), before);
	else
		assert_string_equal(tx_text(owner, ways[way].trace), before);
	assert_int_equal(dblock_tx_state_of(tx), DBLOCK_TX_OPEN);
	as_it_was(owner);
	expect(OK, ways[way].run(tx, &err));
	as_it_was(owner);
	expect(E_REFUSED, dblock_tx_query(owner, "ROLLBACK TO SAVEPOINT guard_of_dblock", NULL, 0,
					  NULL, NULL, NULL, &err));
	message_has("does not exist");
	dblock_tx_close(tx);
	end(owner, false);
}

static void any_part_is_taken(void **state)
{
	(void)state;
	is_free(a, "x");
	held = take(a, "held");
	for (int way = 0; way < 2; way++) {
		for (int at = 1; at <= ways[way].calls; at++)
			play(way, at);
	}
	give(held);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_part_is_taken),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
