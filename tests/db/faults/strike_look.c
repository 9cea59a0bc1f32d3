/* SPDX-License-Identifier: MIT */
/* Listing, showing and examining, with each driver call in turn going wrong in each way. */
#include "db/faults/strike_kit.h"

static void with_their_lock(struct stage *s)
{
	with_client(s);
	s->theirs = take(s->calm, "x");
	s->asked = 0;
}

static int count(void *arg, const struct dblock_holder *holder)
{
	struct stage *s = arg;

	assert_int_equal(holder->token, dblock_token(s->theirs));
	s->asked++;
	return 0;
}

static int call_list(struct stage *s, struct dblock_error *err)
{
	return dblock_list(s->client, NULL, count, s, err);
}

static int call_show(struct stage *s, struct dblock_error *err)
{
	return dblock_show(s->client, "x", count, s, err);
}

/* The listing has all of it, once, or says that it has not. */
static void check_seen(struct stage *s, int rc)
{
	assert_true(s->asked <= 1);
	if (rc == DBLOCK_OK)
		assert_int_equal(s->asked, 1);
	give(s->theirs);
	s->theirs = NULL;
}

PLAY(list, .prepare = with_their_lock, .call = call_list, .check = check_seen, .least = 3,
     .within_ms = TIMEOUT_MS, .kinds = KINDS_OF_READS,
     .may = {DBLOCK_E_UNAVAILABLE, DBLOCK_E_NO_ANSWER})

PLAY(show, .prepare = with_their_lock, .call = call_show, .check = check_seen, .least = 3,
     .within_ms = TIMEOUT_MS, .kinds = KINDS_OF_READS,
     .may = {DBLOCK_E_UNAVAILABLE, DBLOCK_E_NO_ANSWER})

static int no_matter(void *arg, const struct dblock_finding *finding)
{
	struct stage *s = arg;

	s->asked++;
	assert_true(strlen(finding->text) > 0);
	return 0;
}

static int call_doctor(struct stage *s, struct dblock_error *err)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.timeout_ms = TIMEOUT_MS;
	s->asked = 0;
	return dbl_client_doctor(test_url(), &options, strike_env(s->strike), no_matter, s, err);
}

static void check_examined(struct stage *s, int rc)
{
	if (rc == DBLOCK_OK)
		assert_true(s->asked > 3);
}

/* The doctor says what it could not see: a loss may become a finding, or the outcome. */
PLAY(doctor, .call = call_doctor, .check = check_examined, .least = 20, .within_ms = TIMEOUT_MS,
     .frail = true, .kinds = KINDS_OF_READS, .may = {DBLOCK_E_UNAVAILABLE, DBLOCK_E_NO_ANSWER})

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE(list),
		SCENE(show),
		SCENE(doctor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
