/* SPDX-License-Identifier: MIT */
/* A request that cannot go with the others goes alone, and they do not suffer for it. */
#include "db/link/combiner_kit.h"

/* A request below the API, which would refuse a text that is too long. */
struct raw_one {
	struct dblock_client *client;
	char name[32], value[2048];
	int64_t nonce, token;
	int rc;
};

static int take_token(void *token, const struct dbl_value *row)
{
	*(int64_t *)token = row[0].i;
	return 0;
}

static void *acquire_raw(void *arg)
{
	struct raw_one *one = arg;
	struct dbl_locks *locks = one->client->locks;
	struct dbl_epoch *epoch;
	struct dblock_error err = {0};
	int64_t deadline = dbl_now(locks->env) + PLENTY_MS * INT64_C(1000);

	one->rc = dbl_session_epoch(locks->session, deadline, &epoch, &err);
	if (one->rc)
		return NULL;
	one->nonce = dbl_random_id(locks->env);
	struct dbl_value args[] = {
		dbl_text(one->name), dbl_int(one->nonce), dbl_text(epoch->id),
		dbl_text("host"),    dbl_int(1),          dbl_int(1),
		dbl_null(),          dbl_null(),          dbl_text(one->value),
		dbl_int(0),          dbl_int(0),          dbl_int(epoch->beat_there)};
	struct dbl_request request = {.op = DBL_OP_acquire,
				      .args = DBL_ARGS(args),
				      .row = take_token,
				      .ctx = &one->token,
				      .deadline = deadline};
	one->rc = dbl_link_run(locks->link, &request, &err);
	dbl_epoch_drop(epoch);
	return NULL;
}

static void a_bad_one_spoils_nobody(void **state)
{
	static struct raw_one raw_ones[CROWD];
	struct spy *spy = spy_new();
	struct dblock_client *client = crowd_client(spy);
	struct raw *raw = raw_open(NULL);

	(void)state;
	gate_fate = NULL;
	for (int i = 0; i < CROWD; i++) {
		raw_ones[i] = (struct raw_one){.client = client, .token = -1};
		memcpy(raw_ones[i].name, ones[i].name, sizeof(ones[i].name));
		memset(raw_ones[i].value, 'v', i == 4 ? sizeof(raw_ones[i].value) - 1 : 3);
	}
	gate_crowd(client, spy, acquire_raw, raw_ones, sizeof(raw_ones[0]));
	for (int i = 0; i < CROWD; i++)
		assert_true(i == 4 ? raw_ones[i].rc < 0 && raw_ones[i].token == -1
				   : raw_ones[i].rc == 0 && raw_ones[i].token > 0);
	assert_int_equal(held_rows(raw), CROWD - 1);
	raw_exec(raw, "UPDATE dblock_lock SET nonce = 0, session = NULL");
	raw_close(raw);
	dblock_close(client, NULL);
	spy_free(spy);
}

/* An open transaction has one of the rows locked: the others do not wait for that. */
static void a_locked_row_stops_nobody(void **state)
{
	struct dblock_client *client;
	struct spy *spy;
	struct raw *raw;

	(void)state;
	if (on_backend("sqlite"))
		skip(); /* a file is locked as a whole */
	spy = spy_new();
	client = crowd_client(spy);
	raw = raw_open(NULL);
	gate_fate = NULL;
	snprintf(ones[4].name, sizeof(ones[4].name), "locked");
	is_free(client, "locked");
	raw_lock_row(raw, "locked");
	gate_crowd(client, spy, try_it, ones, sizeof(ones[0]));
	for (int i = 0; i < CROWD; i++)
		assert_int_equal(ones[i].rc, i == 4 ? DBLOCK_BUSY : DBLOCK_OK);
	raw_exec(raw, "COMMIT");
	raw_close(raw);
	dblock_close(client, NULL);
	spy_free(spy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bad_one_spoils_nobody),
		cmocka_unit_test(a_locked_row_stops_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
