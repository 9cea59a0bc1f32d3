/* SPDX-License-Identifier: MIT */
/* Rows with a version: each statement in turn is lost on its way, or its answer is. */
#include "support/spy.h"
#include "support/versioned.h"

static struct spy *spy;
static struct dblock_client *struck, *calm;
static struct dblock_tx *witness;

struct play {
	enum dblock_version_kind kind;
	enum spy_fate fate;
	bool deletes, in_tx;
};

static int call(struct dblock_tx *tx, const struct play *play,
		const struct dblock_versioned_row *row, int64_t *version, struct dblock_error *err)
{
	return play->deletes ? dblock_versioned_delete(tx, row, version, err)
			     : article_set_stock(tx, row, 5, version, err);
}

/* The database's row must agree with the call's outcome. */
static void check(const struct play *play, const struct dblock_versioned_row *row, int rc,
		  int64_t before, int64_t version)
{
	struct dblock_error err = {0};
	int64_t stock = 0, now = 0;
	int found = article_read_stock(witness, row, &stock, &now, &err);
	bool done = found == DBLOCK_GONE || stock == 5;

	assert_true(found == DBLOCK_OK || found == DBLOCK_GONE);
	if (rc == DBLOCK_OK) {
		assert_true(done);
		if (!play->deletes)
			assert_int_equal(version, now);
		return;
	}
	/* The call says that it does not know only if that is true. */
	assert_int_equal(version, before);
	if (play->in_tx)
		assert_int_equal(rc, DBLOCK_E_UNAVAILABLE);
	else
		assert_true(rc == DBLOCK_E_UNAVAILABLE || rc == DBLOCK_E_UNSURE);
	if (rc == DBLOCK_E_UNAVAILABLE)
		assert_false(done);
}

static bool play_nth(const struct play *play, int n)
{
	struct dblock_tx *tx = tx_open(struck);
	struct dblock_value key[2];
	struct dblock_versioned_row row = article_row(key, 1, play->kind);
	struct dblock_error err = {0};
	int64_t stock, version, before;
	bool hit;
	int rc;

	tx_exec(witness, "DELETE FROM article WHERE site = 'a' AND id = 1");
	tx_exec(witness, "INSERT INTO article VALUES ('a', 1, 'title', 100, 7, '2020-02-03 "
			 "04:05:06.000007')");
	expect(OK, article_read_stock(tx, &row, &stock, &version, &err));
	before = version;
	if (play->in_tx)
		expect(OK, dblock_tx_begin(tx, NULL, &err));
	spy_hit_nth(spy, n, play->fate);
	rc = call(tx, play, &row, &version, &err);
	hit = spy_has_hit(spy);
	spy->fate = NULL;
	if (rc && play->in_tx)
		assert_int_equal(dblock_tx_state_of(tx), DBLOCK_TX_LOST);
	if (rc == 0 && play->in_tx)
		expect(OK, dblock_tx_commit(tx, &err));
	dblock_tx_close(tx);
	check(play, &row, rc, before, version);
	return hit;
}

static void what_is_done_is_said(void **state)
{
	(void)state;
	for (int i = 0; i < 16; i++) {
		const struct play play = {i & 1 ? DBLOCK_BY_UPDATED_AT : DBLOCK_BY_VERSION,
					  i & 2 ? SPY_LOST_BEFORE : SPY_LOST_AFTER, (i & 4) != 0,
					  (i & 8) != 0};
		int n = 1;

		while (play_nth(&play, n))
			n++;
		assert_true(n > 1 + (i & 1));
	}
}

static int set_up(void **state)
{
	(void)state;
	spy = spy_new();
	struck = spy_client(spy, 0);
	calm = client_new(0);
	witness = tx_open(calm);
	article_make(witness, 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	dblock_tx_close(witness);
	dblock_close(calm, NULL);
	dblock_close(struck, NULL);
	spy_free(spy);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_done_is_said)};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
