/* SPDX-License-Identifier: MIT */
/* A call ends at its own deadline, also while another thread's request keeps the connection. */
#include "driver/value.h"
#include "lock/queue/snapshot.h"
#include "support/fault.h"

static struct dblock_client *client;
static _Atomic int slow_is_done;

static int no_row(void *ctx, const struct dbl_value *row)
{
	(void)ctx;
	(void)row;
	return 0;
}

/* Sends a request that hangs, with a deadline far away. */
static void *run_slow(void *arg)
{
	struct dbl_value args[] = {dbl_text("x"), dbl_int(-1)};
	struct dbl_request request = {.op = DBL_OP_show,
				      .args = DBL_ARGS(args),
				      .row = no_row,
				      .deadline = dbl_now(fault_env()) + PLENTY_MS * 1000};

	(void)dbl_link_run(client->locks->link, &request, NULL);
	slow_is_done = 1;
	return arg;
}

static void start_slow(struct crew *crew)
{
	slow_is_done = 0;
	fault_set("show", FAULT_HANG, 1);
	crew_add(crew, run_slow, NULL);
	while (fault_seen() == 0)
		sleep_ms(1);
}

static void a_request_does_not_wait_for_anothers_deadline(void **state)
{
	struct crew crew = {.n = 0};
	struct dblock_error err = {0};
	struct dbl_snapshot snapshot;
	int64_t deadline;

	(void)state;
	client = fault_client(0, 0);
	start_slow(&crew);
	deadline = dbl_now(fault_env()) + 100000;
	expect(E_NO_ANSWER, dbl_look(client->locks->link, "x", NULL, 0, deadline, &snapshot, &err));
	assert_false(slow_is_done);
	assert_true(dbl_now(fault_env()) >= deadline);
	fault_set("", FAULT_NONE, 0);
	crew_join(&crew);
	is_free(client, "x");
	dblock_close(client, NULL);
}

static int nothing(void *ctx, struct dbl_db *db, struct dblock_error *err)
{
	(void)ctx;
	(void)db;
	(void)err;
	return 0;
}

static void nor_does_a_transaction(void **state)
{
	struct crew crew = {.n = 0};
	struct dblock_error err = {0};

	(void)state;
	client = fault_client(0, 0);
	start_slow(&crew);
	expect(E_NO_ANSWER, dbl_link_transaction(client->locks->link, nothing, NULL,
						 dbl_now(fault_env()) + 100000, &err));
	assert_false(slow_is_done);
	fault_set("", FAULT_NONE, 0);
	crew_join(&crew);
	is_free(client, "x");
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_does_not_wait_for_anothers_deadline),
		cmocka_unit_test(nor_does_a_transaction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
