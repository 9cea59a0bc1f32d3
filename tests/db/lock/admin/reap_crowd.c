/* SPDX-License-Identifier: MIT */
/* Many reapers at once, and much to reap: each thing is done once. */
#include "support/puppet.h"
#include "support/raw.h"

enum { REAPERS = 8, DEAD = 30, LOCKS = 20, UNUSED = 450 };

struct reaper {
	struct dblock_client *client;
	struct dblock_reaped reaped;
	struct dblock_error err;
	int rc;
};

static void *reap(void *arg)
{
	struct reaper *r = arg;
	struct dblock_reap_options options = DBLOCK_REAP_OPTIONS_INIT;

	options.purge_after_ms = 3600000;
	r->reaped.size = sizeof(r->reaped);
	r->rc = dblock_reap(r->client, &options, &r->reaped, &r->err);
	return NULL;
}

/* Makes stopped sessions with locks, sessions dead for a day, and names unused for a day. */
static void fill(struct raw *raw)
{
	raw_exec(raw, "BEGIN");
	for (int i = 0; i < DEAD; i++) {
		raw_exec(raw,
			 "INSERT INTO dblock_session (id, host, pid, app, ttl, opened, expires,"
			 " beat%s) SELECT 'stopped%025d', 'h', 1, 'a', 1500000, 1,"
			 " {boot} - 60000000, %d%s",
			 on_backend("sqlite") ? ", clock" : "", i, i + 1,
			 on_backend("sqlite") ? ", $clock" : "");
		raw_exec(raw,
			 "INSERT INTO dblock_session (id, host, pid, app, ttl, opened, expires,"
			 " beat, dead, ended%s) SELECT 'dead%028d', 'h', 1, 'a', 1500000, 1, 1,"
			 " %d, true, {now} - 86400000000%s",
			 on_backend("sqlite") ? ", clock" : "", i, i + 1,
			 on_backend("sqlite") ? ", $clock" : "");
		for (int j = 0; j < LOCKS; j++)
			raw_exec(raw,
				 "INSERT INTO dblock_lock (name, token, nonce, session, host, pid,"
				 " thread, reentry, acquired) VALUES ('held%d/%d', 7, 7,"
				 " 'stopped%025d', 'h', 1, 1, 1, 1)",
				 i, j, i);
	}
	for (int i = 0; i < UNUSED; i++)
		raw_exec(raw,
			 "INSERT INTO dblock_lock (name, token, nonce, host, pid, thread, reentry,"
			 " acquired) VALUES ('unused%d', %d, 0, 'h', 1, 1, 0, 1)",
			 i, i + 1);
	raw_exec(raw, "COMMIT");
}

static void each_thing_is_done_once(void **state)
{
	struct dblock_client *holder = client_new(0);
	struct raw *raw = raw_open(NULL);
	struct reaper reapers[REAPERS];
	struct crew crew = {.n = 0};
	struct dblock_reaped sum = DBLOCK_REAPED_INIT;
	struct dblock_lock *held;

	(void)state;
	raw_exec(raw, "DELETE FROM dblock_lock");
	fill(raw);
	held = take(holder, "living");
	memset(reapers, 0, sizeof(reapers));
	for (int i = 0; i < REAPERS; i++)
		reapers[i].client = client_new(0);
	for (int i = 0; i < REAPERS; i++)
		crew_add(&crew, reap, &reapers[i]);
	crew_join(&crew);
	for (int i = 0; i < REAPERS; i++) {
		expect_at(reapers[i].rc, DBLOCK_OK, &reapers[i].err, "dblock_reap", __FILE__,
			  __LINE__);
		sum.sessions_buried += reapers[i].reaped.sessions_buried;
		sum.locks_freed += reapers[i].reaped.locks_freed;
		sum.sessions_deleted += reapers[i].reaped.sessions_deleted;
		sum.names_purged += reapers[i].reaped.names_purged;
		dblock_close(reapers[i].client, NULL);
	}
	/* A reaper that found a name's row locked has left it to the next pass. */
	reapers[0] = (struct reaper){.client = client_new(0)};
	reap(&reapers[0]);
	sum.names_purged += reapers[0].reaped.names_purged;
	dblock_close(reapers[0].client, NULL);
	assert_int_equal(sum.sessions_buried, DEAD);
	assert_int_equal(sum.locks_freed, DEAD * LOCKS);
	assert_int_equal(sum.sessions_deleted, DEAD);
	assert_int_equal(sum.names_purged, UNUSED);
	assert_int_equal(raw_int(raw, "SELECT max(token) FROM dblock_floor"), UNUSED);
	assert_int_equal(raw_int(raw, "SELECT count(*) FROM dblock_lock"), DEAD * LOCKS + 1);
	assert_true(dblock_valid(held, 0));
	give(held);
	raw_close(raw);
	dblock_close(holder, NULL);
}

static int stop_soon(void *arg)
{
	return ++*(int *)arg > 3;
}

/* The suspect has a ttl of an hour: nobody has to wait for it. */
static void a_reaper_can_be_stopped(void **state)
{
	struct dblock_client *client = client_new(0);
	struct puppet *puppet = puppet_new(NULL, 3600000);
	struct raw *raw = raw_open(NULL);
	struct dblock_reap_options options = DBLOCK_REAP_OPTIONS_INIT;
	struct dblock_reaped reaped = DBLOCK_REAPED_INIT;
	struct dblock_error err = {0};
	int asked = 0;

	(void)state;
	raw_exec(raw, "UPDATE dblock_session SET expires = {boot} - 1 WHERE id = '%s'", puppet->id);
	options.canceled = stop_soon;
	options.canceled_arg = &asked;
	expect(CANCELED, dblock_reap(client, &options, &reaped, &err));
	assert_int_equal(reaped.sessions_buried, 0);
	assert_true(puppet_beats(puppet));
	raw_close(raw);
	puppet_free(puppet);
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_thing_is_done_once),
		cmocka_unit_test(a_reaper_can_be_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
