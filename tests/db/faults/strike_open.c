/* SPDX-License-Identifier: MIT */
/* Opening, closing and keeping alive, with each driver call in turn going wrong in each way. */
#include "db/faults/strike_kit.h"

/* ---- open ----------------------------------------------------------------------------------- */

static int call_open(struct stage *s, struct dblock_error *err)
{
	return strike_open_client(s, test_url(), err);
}

/* Nothing was held, so nothing can be unsure. A session's row may be left if there was no time to
 * take it back: it holds nothing, and ends with its ttl. */
static void check_opened(struct stage *s, int rc)
{
	bool may_leave = s->kind >= STRIKE_STUBBORN;

	if (rc == DBLOCK_OK)
		return;
	assert_null(s->client);
	strike_disarm(s->strike);
	strike_let_go(s->strike);
	if (live_sessions(s) > may_leave)
		fail_msg("call %d, %s: %s left a session", s->k, strike_names[s->kind],
			 dblock_outcome_name(rc));
	raw_exec(s->raw, "DELETE FROM dblock_session WHERE app = 'struck'");
}

/* A connection that fails at first is told at once: the URL may be wrong. */
PLAY(open, .call = call_open, .check = check_opened, .least = 8, .within_ms = TIMEOUT_MS,
     .frail = true, .large = true, .may = {DBLOCK_E_UNAVAILABLE, DBLOCK_E_NO_ANSWER})

/* The server under two names: the other one is looked at as well. */
static int call_open_by_two(struct stage *s, struct dblock_error *err)
{
	const char *url = test_env("DBLOCK_TEST_TCP_URL"), *place = strchr(url, '@') + 1;
	int len = (int)strcspn(place, "/");
	char two[500];

	snprintf(two, sizeof(two), "%.*s%.*s,%s", (int)(place - url), url, len, place, place);
	return strike_open_client(s, two, err);
}

/* What goes wrong at the other host alone is nothing to the client. */
PLAY(open_by_two, .call = call_open_by_two, .check = check_opened, .least = 12,
     .within_ms = TIMEOUT_MS, .frail = true, .large = true,
     .may = {DBLOCK_E_UNAVAILABLE, DBLOCK_E_NO_ANSWER})

/* Through a pooler, and past it: that both lead to one database is asked as well. */
static int call_open_past(struct stage *s, struct dblock_error *err)
{
	const char *url = test_env("DBLOCK_TEST_TCP_URL"), *place = strchr(url, '@') + 1;
	char past[500];

	snprintf(past, sizeof(past), "%s?pool=transaction&direct=%.*s", url,
		 (int)strcspn(place, "/"), place);
	return strike_open_client(s, past, err);
}

PLAY(open_past_a_pooler, .call = call_open_past, .check = check_opened, .least = 10,
     .within_ms = TIMEOUT_MS, .frail = true, .large = true,
     .may = {DBLOCK_E_UNAVAILABLE, DBLOCK_E_NO_ANSWER})

/* ---- close ---------------------------------------------------------------------------------- */

static void with_all_sorts(struct stage *s)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	with_lock(s);
	expect(OK, dblock_try(s->client, "x", NULL, &lock, &err));
	(void)take(s->client, "y");
	(void)take_lease(s->client, "z");
}

static int call_close(struct stage *s, struct dblock_error *err)
{
	(void)err;
	dblock_close(s->client, NULL);
	s->client = NULL;
	s->lock = NULL;
	return DBLOCK_OK;
}

/* Lets time pass until the session has ended. */
static int pass_time(void *arg)
{
	struct stage *s = arg;

	strike_jump_ms(s->strike, TTL_MS / 10);
	return ++s->asked > 20;
}

static void ends_with_its_session(struct stage *s, const char *name)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	s->asked = 0;
	how.canceled = pass_time;
	how.canceled_arg = s;
	expect(OK, dblock_acquire(s->calm, name, &how, &lock, &err));
	give(lock);
}

/* The close has ended what it could; the rest ends with the session. The lease stays. */
static void check_closed(struct stage *s, int rc)
{
	struct dblock_error err = {0};

	(void)rc;
	strike_disarm(s->strike);
	strike_let_go(s->strike);
	if (s->kind < STRIKE_STUBBORN) {
		assert_int_equal(live_sessions(s), 0);
		is_free(s->calm, "x");
		is_free(s->calm, "y");
	} else {
		ends_with_its_session(s, "x");
		ends_with_its_session(s, "y");
	}
	assert_true(live_sessions(s) <= 1);
	raw_exec(s->raw, "DELETE FROM dblock_session WHERE app = 'struck'");
	busy(s->calm, "z");
	expect(OK, break_by_force(s->calm, "z", 0, 0, &err));
}

PLAY(close, .prepare = with_all_sorts, .call = call_close, .check = check_closed, .least = 4,
     .within_ms = TIMEOUT_MS)

/* ---- heartbeat ------------------------------------------------------------------------------ */

/* The client has a re-entry count to write, which goes with a heartbeat. */
static void with_count(struct stage *s)
{
	struct dblock_error err = {0};

	with_lock(s);
	expect(OK, dblock_try(s->client, "x", NULL, &s->lock, &err));
}

/* The first heartbeat is due after a third of the ttl. If it fails, it is tried again after another
 * twenty-fourth. */
static int call_beat(struct stage *s, struct dblock_error *err)
{
	struct dbl_session *session = s->client->locks->session;
	int64_t due = strike_now_us(s->strike) + dbl_ms(BEAT_MS), step = BEAT_MS;

	(void)err;
	strike_any_thread(s->strike);
	for (int i = 0; i < 2 && last_beat(session) < due; i++, step = TTL_MS / 24 + 1000) {
		int64_t until = clock_ms() + 200;

		strike_jump_ms(s->strike, step);
		while (last_beat(session) < due && clock_ms() < until) {
			wake_heartbeat(session);
			sleep_ms(1);
		}
	}
	return DBLOCK_OK;
}

/* Nothing was lost by the failure. */
static void check_beaten(struct stage *s, int rc)
{
	static const struct scene scene = {.name = "heartbeat"};
	struct dblock_error err = {0};

	(void)rc;
	strike_disarm(s->strike);
	assert_true(dblock_valid(s->lock, 0));
	busy(s->calm, "x");
	beat(s, &scene);
	assert_true(dblock_valid(s->lock, TTL_MS / 3));
	expect(OK, dblock_release(s->lock, &err));
}

PLAY(heartbeat, .prepare = with_count, .call = call_beat, .check = check_beaten, .least = 2)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE(open),
		SCENE(close),
		SCENE(heartbeat),
	};
	const struct CMUnitTest on_servers[] = {SCENE(open_by_two)};
	const struct CMUnitTest on_postgresql[] = {SCENE(open_past_a_pooler)};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	if (!on_backend("sqlite"))
		failed += cmocka_run_group_tests(on_servers, NULL, NULL);
	if (on_backend("postgresql"))
		failed += cmocka_run_group_tests(on_postgresql, NULL, NULL);
	return failed;
}
