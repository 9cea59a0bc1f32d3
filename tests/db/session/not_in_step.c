/* SPDX-License-Identifier: MIT */
/*
 * Clients that begin in one moment, or come back in one, do not beat in one from then on.
 *
 * Naive: the next heartbeat comes exactly an interval after the last, so a server that was restarted has
 * the heartbeats of all its clients at once, each time.
 */
#include "api/client.h"
#include "session/session.h"
#include "support/raw.h"
#include "support/waiting.h"

/* The pauses are drawn from half an interval. That all of so many lie in a quarter of that: one of 10^7. */
enum { CLIENTS = 16, INTERVAL_MS = 2000 };

#define APART_US (INTERVAL_MS * 1000 / 8)

static struct dblock_client *clients[CLIENTS];
static struct raw *raw;

static void note_beats(void)
{
	raw_exec(raw, "CREATE TABLE seen AS SELECT id, expires FROM dblock_session");
	assert_int_equal(raw_int(raw, "SELECT count(*) FROM seen"), CLIENTS);
}

static int64_t since(const char *what)
{
	return raw_int(raw, "SELECT %s FROM dblock_session s JOIN seen ON seen.id = s.id", what);
}

/* By how much the next pauses of the clients differ. */
static int64_t spread(void)
{
	int64_t apart;

	wait_until(since("count(CASE WHEN s.expires > seen.expires THEN 1 END)") == CLIENTS);
	apart = since("max(s.expires - seen.expires) - min(s.expires - seen.expires)");
	raw_exec(raw, "DROP TABLE seen");
	return apart;
}

static void after_they_began(void **state)
{
	(void)state;
	for (int i = 0; i < CLIENTS; i++)
		clients[i] = client_new(3 * INTERVAL_MS);
	note_beats();
	assert_true(spread() > APART_US);
}

static void after_they_came_back(void **state)
{
	(void)state;
	note_beats();
	for (int i = 0; i < CLIENTS; i++)
		dbl_session_hurry(clients[i]->locks->session);
	(void)spread();
	note_beats();
	assert_true(spread() > APART_US);
}

static int set_up(void **state)
{
	(void)state;
	raw = raw_open(NULL);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	for (int i = 0; i < CLIENTS; i++)
		dblock_close(clients[i], NULL);
	raw_close(raw);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(after_they_began),
		cmocka_unit_test(after_they_came_back),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
