/* SPDX-License-Identifier: MIT */
/* Who declares a holder dead by its mark, but has seen an earlier heartbeat than the last one, declares
 * nothing, and leaves the proof: by the next look it counts. */
#include "api/client.h"
#include "base/mark.h"
#include "lock/queue/snapshot.h"
#include "support/puppet.h"

static struct dbl_snapshot look_at(struct dblock_client *client)
{
	struct dbl_snapshot snapshot;
	struct dblock_error err = {0};

	expect(OK, dbl_look(client->locks->link, "x", NULL, 0,
			    dbl_now(dbl_env_system()) + dbl_ms(PLENTY_MS), &snapshot, &err));
	return snapshot;
}

static void declare(struct dblock_client *client, const struct dbl_snapshot *seen)
{
	const struct dbl_asker by = {.link = client->locks->link};
	struct dblock_error err = {0};

	expect(OK, dbl_declare(&by, "x", seen, DBL_DECLARE_DEAD,
			       dbl_now(dbl_env_system()) + dbl_ms(PLENTY_MS), &err));
}

static void an_earlier_beat_leaves_the_proof(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dbl_mark *mark = dbl_mark_new(dbl_env_system());
	struct dbl_snapshot seen;
	struct puppet *p;

	(void)state;
	assert_non_null(mark);
	p = puppet_citing(NULL, 3600 * 1000, dbl_mark_citation(mark));
	for (int64_t beat = p->beat; beat < p->beat + 4; beat++)
		dbl_mark_note(mark, beat, 1);
	dbl_mark_free(mark, false); /* as if its process had ended */
	assert_true(puppet_takes(p, "x"));
	seen = look_at(client);
	assert_int_equal(seen.word, DBL_MARK_DEAD);
	assert_true(puppet_beats(p));
	declare(client, &seen);
	seen = look_at(client);
	assert_false(seen.session_dead);
	assert_int_equal(seen.word, DBL_MARK_DEAD);
	declare(client, &seen);
	assert_true(look_at(client).session_dead);
	assert_int_equal(dbl_mark_ask(seen.mark, seen.beat, 1), DBL_MARK_NOTHING);
	puppet_free(p);
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(an_earlier_beat_leaves_the_proof)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
