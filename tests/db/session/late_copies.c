/* SPDX-License-Identifier: MIT */
/* A request whose answer was lost may be carried out much later, beside its own repetition and what
 * came after it. Such a copy must not undo what others rely on. */
#include "driver/value.h"
#include "lock/queue/snapshot.h"
#include "support/fault.h"

static struct dbl_snapshot look_at(struct dblock_client *client, const char *name)
{
	struct dblock_error err = {0};
	struct dbl_snapshot snapshot;

	expect(OK, dbl_look(client->locks->link, name, NULL, 0, dbl_locks_deadline(client->locks),
			    &snapshot, &err));
	return snapshot;
}

static void run(struct dblock_client *client, enum dbl_op op, struct dbl_args args)
{
	struct dblock_error err = {0};
	struct dbl_request request = {
		.op = op, .args = args, .deadline = dbl_locks_deadline(client->locks)};

	expect(OK, dbl_link_run(client->locks->link, &request, &err));
}

static void heartbeat(struct dblock_client *client, const struct dbl_snapshot *of, int64_t beat)
{
	struct dbl_value args[] = {dbl_text(of->session), dbl_int(beat), dbl_int(beat - 1)};

	run(client, DBL_OP_heartbeat, DBL_ARGS(args));
}

/* Otherwise a watcher might see the same heartbeat number before and after a newer one that he
 * missed, and declare a session dead that was alive. */
static void a_late_heartbeat_brings_no_old_beat_back(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dblock_lock *lock = take(client, "x");
	struct dbl_snapshot first = look_at(client, "x"), snapshot;

	(void)state;
	heartbeat(client, &first, first.beat + 1);
	heartbeat(client, &first, first.beat + 1);
	heartbeat(client, &first, first.beat + 2);
	heartbeat(client, &first, first.beat + 1);
	snapshot = look_at(client, "x");
	assert_int_equal(snapshot.beat, first.beat + 2);
	assert_false(snapshot.session_dead);
	give(lock);
	dblock_close(client, NULL);
}

static void a_late_opening_brings_no_old_beat_back(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dblock_lock *lock = take(client, "x");
	struct dbl_snapshot first = look_at(client, "x");
	struct dbl_value args[] = {
		dbl_text(first.session), dbl_text("h"),       dbl_int(1),   dbl_text("a"),
		dbl_int(first.ttl),      dbl_int(first.beat), dbl_text(""), dbl_int(1)};

	(void)state;
	heartbeat(client, &first, first.beat + 1);
	run(client, DBL_OP_session_open, DBL_ARGS(args));
	assert_int_equal(look_at(client, "x").beat, first.beat + 1);
	give(lock);
	dblock_close(client, NULL);
}

/* The two cases above test only statements; this one tests the heartbeat thread. */
static void the_heartbeat_thread_sends_larger_and_larger_beats(void **state)
{
	struct dblock_client *client = client_new(6000), *other = client_new(0);
	struct dblock_lock *lock = take(client, "x");
	int64_t beat = look_at(other, "x").beat, until = clock_ms() + PLENTY_MS;

	(void)state;
	for (int i = 0; i < 2; i++) {
		int64_t next = beat;

		while (next == beat && clock_ms() < until) {
			sleep_ms(20);
			next = look_at(other, "x").beat;
		}
		assert_true(next > beat);
		beat = next;
	}
	(void)dblock_release(lock, NULL);
	dblock_close(client, NULL);
	dblock_close(other, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_late_heartbeat_brings_no_old_beat_back),
		cmocka_unit_test(a_late_opening_brings_no_old_beat_back),
		cmocka_unit_test(the_heartbeat_thread_sends_larger_and_larger_beats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
