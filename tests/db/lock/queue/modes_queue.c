/* SPDX-License-Identifier: MIT */
/*
 * The queue of calls that want a lock in different modes: which go together, which may not pass
 * others, and what becomes of holders that die. Each case names the naive form that it is meant to
 * catch.
 */
#include "db/lock/queue/queue_kit.h"

#include "driver/value.h"

static void joins_as(struct waiting *w, struct dblock_client *client, struct raw *raw,
		     enum dblock_mode mode)
{
	memset(w, 0, sizeof(*w));
	w->how.mode = mode;
	waiting_join(w, client, raw);
}

static void joins_for(struct waiting *w, struct dblock_client *client, struct raw *raw, int64_t n,
		      int64_t capacity)
{
	memset(w, 0, sizeof(*w));
	w->how.mode = DBLOCK_PERMITS;
	w->how.permits = n;
	w->how.capacity = capacity;
	waiting_join(w, client, raw);
}

static struct dblock_lock *takes_as(struct dblock_client *client, enum dblock_mode mode)
{
	struct dblock_acquire_options o = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	o.mode = mode;
	expect(OK, dblock_try(client, "x", &o, &lock, &err));
	return lock;
}

static void is_busy_as(struct dblock_client *client, enum dblock_mode mode)
{
	struct dblock_acquire_options o = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	o.mode = mode;
	expect(BUSY, dblock_try(client, "x", &o, &lock, &err));
}

static void still_waits(struct scene *s, struct waiting *w, int64_t n)
{
	assert_int_equal(in_queue(s->raw), n);
	assert_false(w->call.done);
}

/* Naive: readers are granted one by one as they look; or all of them at once, before the writer. */
static void readers_together_up_to_the_writer(void **state)
{
	struct scene *s = *state;
	struct spy *spy = spy_new();
	struct dblock_client *client =
		spy_client_without(spy, DBLOCK_WAKE_DOORBELL | DBLOCK_WAKE_NOTIFY);
	struct dblock_lock *lock = take(client, "x");
	struct waiting r[3], w, late;
	int writes;

	for (int i = 0; i < 3; i++)
		joins_as(&r[i], s->b, s->raw, i == 1 ? DBLOCK_UPDATE : DBLOCK_SHARED);
	joins_as(&w, s->c, s->raw, DBLOCK_EXCLUSIVE);
	joins_as(&late, s->a, s->raw, DBLOCK_SHARED);
	spy_reset(spy);
	give(lock);
	/* The grant is one statement; on other databases there is a second write, or a query for
	 * the answer. (On a slow machine a waiter may look, once a second, and grant all of them
	 * before us.) */
	writes = on_backend("postgresql") ? 1 : 2;
	assert_in_range(spy->runs_of[DBL_OP_grant], slowness() > 1 ? 0 : writes, writes);
	for (int i = 0; i < 3; i++)
		waiting_end(&r[i], OK);
	still_waits(s, &w, 2);
	assert_false(late.call.done);
	give(r[0].lock);
	give(r[2].lock);
	still_waits(s, &w, 2);
	give(r[1].lock);
	waiting_end(&w, OK);
	still_waits(s, &late, 1);
	give(w.lock);
	waiting_give(&late);
	dblock_close(client, NULL);
	spy_free(spy);
}

/* Naive: a reader that finds only readers as holders is granted the lock. */
static void a_reader_does_not_pass_a_writer(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *reader = takes_as(s->a, DBLOCK_SHARED);
	struct waiting w;

	joins_as(&w, s->b, s->raw, DBLOCK_EXCLUSIVE);
	is_busy_as(s->c, DBLOCK_SHARED);
	is_busy_as(s->c, DBLOCK_EXCLUSIVE);
	give(reader);
	waiting_give(&w);
}

/* Naive: a call that leaves the queue only checks whether it was granted the lock itself. */
static void a_writer_that_leaves_lets_readers_in(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *reader = takes_as(s->a, DBLOCK_SHARED);
	struct waiting w, r;

	joins_as(&w, s->b, s->raw, DBLOCK_EXCLUSIVE);
	joins_as(&r, s->c, s->raw, DBLOCK_SHARED);
	waiting_cancel(&w);
	waiting_give(&r);
	give(reader);
	is_free(s->b, "x");
}

/* Naive: whoever fits beside the holders is granted the lock. */
static void many_permits_are_not_starved_by_few(void **state)
{
	struct scene *s = *state;
	struct waiting first, big, small;

	memset(&first, 0, sizeof(first));
	first.how.mode = DBLOCK_PERMITS;
	first.how.permits = 2;
	first.how.capacity = 3;
	waiting_start(&first, s->a);
	waiting_end(&first, OK);
	joins_for(&big, s->b, s->raw, 3, 3);
	joins_for(&small, s->c, s->raw, 1, 3);
	still_waits(s, &small, 2);
	give(first.lock);
	waiting_end(&big, OK);
	still_waits(s, &small, 1);
	give(big.lock);
	waiting_give(&small);
}

struct upgrade {
	struct call call;
	struct dblock_lock *lock;
};

static int upgrades(void *arg, struct dblock_error *err)
{
	return dblock_upgrade(((struct upgrade *)arg)->lock, NULL, err);
}

/* Naive: both wait for ever. */
static void the_second_upgrade_gives_up(void **state)
{
	struct scene *s = *state;
	struct upgrade first = {.lock = takes_as(s->a, DBLOCK_SHARED)};
	struct dblock_lock *second = takes_as(s->b, DBLOCK_SHARED);
	struct dblock_error err = {0};
	int64_t version = row_of(s->raw, "queue_version");

	call_start(&first.call, upgrades, &first);
	until_true(row_of(s->raw, "queue_version") > version);
	expect(DEADLOCK, dblock_upgrade(second, NULL, &err));
	message_has("'x'");
	assert_true(dblock_valid(second, 0));
	assert_int_equal(dblock_mode_of(second), DBLOCK_SHARED);
	assert_false(first.call.done);
	give(second);
	assert_int_equal(call_end(&first.call), DBLOCK_OK);
	assert_int_equal(dblock_mode_of(first.lock), DBLOCK_EXCLUSIVE);
	is_busy_as(s->b, DBLOCK_SHARED);
	give(first.lock);
	is_free(s->b, "x");
}

/* Naive: an upgrade joins the end of the queue, behind a writer that waits for the upgrade's own
 * holder. */
static void an_upgrade_goes_before_the_queue(void **state)
{
	struct scene *s = *state;
	struct upgrade up = {.lock = takes_as(s->a, DBLOCK_UPDATE)};
	struct dblock_lock *reader = takes_as(s->b, DBLOCK_SHARED);
	struct waiting w;
	int64_t version;

	joins_as(&w, s->c, s->raw, DBLOCK_EXCLUSIVE);
	version = row_of(s->raw, "queue_version");
	call_start(&up.call, upgrades, &up);
	until_true(row_of(s->raw, "queue_version") > version);
	assert_false(up.call.done);
	give(reader);
	assert_int_equal(call_end(&up.call), DBLOCK_OK);
	assert_false(w.call.done);
	give(up.lock);
	waiting_give(&w);
}

/* Naive: the upgrade waits on, in the queue, and has lost what it held. */
static void an_upgrade_in_time_or_not_at_all(void **state)
{
	struct scene *s = *state;
	struct dblock_upgrade_options brief = DBLOCK_UPGRADE_OPTIONS_INIT;
	struct dblock_lock *one = takes_as(s->a, DBLOCK_SHARED);
	struct dblock_lock *two = takes_as(s->b, DBLOCK_SHARED);
	struct dblock_error err = {0};

	brief.wait_ms = 30;
	expect(TIMEOUT, dblock_upgrade(one, &brief, &err));
	assert_int_equal(dblock_mode_of(one), DBLOCK_SHARED);
	assert_int_equal(rows_in_queue(s->raw), 2);
	give(takes_as(s->c, DBLOCK_SHARED));
	give(two);
	expect(OK, dblock_upgrade(one, &brief, &err));
	give(one);
	assert_int_equal(rows_in_queue(s->raw), 0);
}

/* ---- holders that die ------------------------------------------------------------------------ */

/* Makes a reader that sends no more heartbeats. */
static struct puppet *dying_reader(struct scene *s, int64_t ttl_ms)
{
	struct puppet *p = puppet_new(NULL, ttl_ms);
	int64_t token = row_of(s->raw, "token");

	p->place = dbl_random_id(p->target.env);
	puppet_run(p, DBL_OP_enqueue,
		   DBL_ARGS_OF(dbl_text("x"), dbl_int(p->place), dbl_text(p->id), dbl_int(77),
			       dbl_null(), dbl_null(), dbl_null(), dbl_text(""),
			       dbl_int(DBLOCK_SHARED), dbl_int(1), dbl_null(), dbl_null(),
			       dbl_int(1), dbl_int(0), dbl_int(p->beat), dbl_int(0)));
	{
		char ticket[64];

		snprintf(ticket, sizeof(ticket), "%lld,%lld", (long long)p->answers[0],
			 (long long)p->place);
		assert_true(puppet_run(p, DBL_OP_grant,
				       DBL_ARGS_OF(dbl_text("x"),
						   dbl_int(row_of(s->raw, "queue_version")),
						   dbl_int(token), dbl_int(token + 1),
						   dbl_int(token + 1), dbl_text(ticket),
						   dbl_int(p->answers[0]), dbl_int(0))) > 0);
	}
	assert_int_equal(p->rows, 1);
	return p;
}

/* Naive: a waiter watches one holder; or it counts holders, of whom one never comes back. */
static void a_writer_outlives_dead_readers(void **state)
{
	struct scene *s = *state;
	struct puppet *dead = dying_reader(s, 400), *too = dying_reader(s, 500);
	struct waiting w;

	joins_as(&w, s->a, s->raw, DBLOCK_EXCLUSIVE);
	waiting_give(&w);
	assert_false(puppet_beats(dead));
	assert_false(puppet_beats(too));
	puppet_free(dead);
	puppet_free(too);
}

/* Naive: a try among readers does not check for the dead; an exclusive one never looks. */
static void a_try_takes_what_the_dead_had(void **state)
{
	struct scene *s = *state;
	struct puppet *dead = dying_reader(s, SLOWLY_MS(200));

	is_busy_as(s->a, DBLOCK_EXCLUSIVE);
	sleep_ms(SLOWLY_MS(250));
	until_true(raw_int(s->raw, "SELECT count(*) FROM dblock_session WHERE id = '%s' AND dead",
			   dead->id) == 0);
	give(takes_as(s->a, DBLOCK_SHARED));
	give(takes_as(s->a, DBLOCK_EXCLUSIVE));
	assert_int_equal(rows_in_queue(s->raw), 0);
	puppet_free(dead);
}

/* Naive: nobody notices the end of a lease that a row carries. */
static void a_leases_end_lets_others_in(void **state)
{
	struct scene *s = *state;
	struct dblock_acquire_options brief = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct waiting w;

	brief.mode = DBLOCK_SHARED;
	brief.lease_ms = 700;
	expect(OK, dblock_try(s->a, "x", &brief, &lock, &err));
	joins_as(&w, s->b, s->raw, DBLOCK_EXCLUSIVE);
	waiting_give(&w);
	assert_false(dblock_valid(lock, 0));
	expect(LOST, dblock_release(lock, &err));
}

/* Who joined while the holder looked dead may want another kind of lock. Naive: the upgrade fails as a
 * newcomer's call would: the name is in use as a semaphore. */
static void an_upgrade_meets_who_wants_a_semaphore(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = takes_as(s->a, DBLOCK_SHARED);
	char session[DBLOCK_SESSION_ID_SIZE];
	struct dblock_error err = {0};

	assert_int_equal(dblock_session_id(s->b, session, NULL), 0);
	raw_exec(s->raw,
		 "INSERT INTO dblock_queue (name, ticket, nonce, session, thread, bell, since, "
		 "mode, "
		 "capacity) VALUES ('x', 1, 7, '%s', 0, '', 1, 3, 5)",
		 session);
	raw_exec(s->raw, "UPDATE dblock_lock SET served = 0 WHERE name = 'x'");
	expect(OK, dblock_upgrade(lock, NULL, &err));
	expect(OK, dblock_release(lock, &err));
	raw_exec(s->raw, "DELETE FROM dblock_queue");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(readers_together_up_to_the_writer),
		CASE(a_reader_does_not_pass_a_writer),
		CASE(a_writer_that_leaves_lets_readers_in),
		CASE(many_permits_are_not_starved_by_few),
		CASE(the_second_upgrade_gives_up),
		CASE(an_upgrade_goes_before_the_queue),
		CASE(an_upgrade_in_time_or_not_at_all),
		CASE(a_writer_outlives_dead_readers),
		CASE(a_try_takes_what_the_dead_had),
		CASE(a_leases_end_lets_others_in),
		CASE(an_upgrade_meets_who_wants_a_semaphore),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
