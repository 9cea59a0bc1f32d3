/* SPDX-License-Identifier: MIT */
/* Rows that somebody has locked: a statement for several requests does not wait for them, on
 * MariaDB by a setting of the statement, on MySQL by NOWAIT; and MySQL tells whose they are. */
#include "driver/value.h"
#include "support/puppet.h"
#include "support/raw.h"

#define LISTS                                                                                      \
	dbl_null(), dbl_null(), dbl_null(), dbl_null(), dbl_null(), dbl_null(), dbl_null(),        \
		dbl_null(), dbl_null()

/* If a statement of this puppet waits, it waits for days. */
static struct puppet *patient_puppet(void)
{
	struct puppet *puppet = puppet_new(NULL, 600000);
	struct dblock_error err = {0};

	expect(OK, dbl_db_exec(puppet->db, "SET SESSION innodb_lock_wait_timeout = 1000000",
			       dbl_now(puppet->target.env) + dbl_ms(PLENTY_MS), &err));
	return puppet;
}

static int take_nothing(void *ctx, const struct dbl_value *row)
{
	(void)ctx, (void)row;
	return 0;
}

static int send_batch(struct puppet *puppet, enum dbl_op op, const char *list,
		      struct dblock_error *err)
{
	struct dbl_request request = {
		.op = op,
		.args = DBL_ARGS_OF(dbl_text(puppet->id), dbl_text("puppet"), dbl_int(1),
				    dbl_int(puppet->beat), dbl_text(list), LISTS),
		.row = take_nothing,
		.deadline = dbl_now(puppet->target.env) + dbl_ms(PLENTY_MS),
	};

	return dbl_db_run(puppet->db, &request, err);
}

/* Naive: all requests in the statement wait. */
static void a_batch_does_not_wait_for_a_row(void **state)
{
	static const char two[] = "[[1,\"x\",null,1,1,null,null,null,0,0],"
				  "[1,\"y\",null,2,1,null,null,null,0,0]]";
	struct dblock_client *client = client_new(0);
	struct puppet *puppet = patient_puppet();
	struct raw *raw = raw_open(NULL);
	struct dblock_error err = {0};

	(void)state;
	is_free(client, "x");
	is_free(client, "y");
	raw_lock_row(raw, "y");
	expect(E_BLOCKED, send_batch(puppet, DBL_OP_batch, two, &err));
	raw_exec(raw, "COMMIT");
	assert_int_equal(raw_int(raw, "SELECT nonce FROM dblock_lock WHERE name = 'x'"), 0);
	expect(OK, send_batch(puppet, DBL_OP_batch, two, &err));
	assert_int_equal(raw_int(raw, "SELECT nonce FROM dblock_lock WHERE name = 'y'"), 2);
	raw_close(raw);
	puppet_free(puppet);
	dblock_close(client, NULL);
}

static int take_text(void *ctx, const struct dbl_value *row)
{
	snprintf(ctx, 200, "%.*s", (int)row[1].len, row[1].text);
	return 0;
}

/* Naive: the message names the oldest transaction of the whole server, which has nothing to do with
 * it. */
static void who_keeps_a_row_is_told(void **state)
{
	struct dblock_client *client = client_new(0);
	struct puppet *puppet = puppet_new(NULL, 600000);
	struct raw *stranger = raw_open(NULL), *raw = raw_open(NULL);
	char text[200] = "", wanted[80];
	struct dbl_request request = {.op = DBL_OP_blockers,
				      .args = DBL_ARGS_OF(dbl_text(""), dbl_text("dblock_")),
				      .row = take_text,
				      .ctx = text,
				      .deadline = dbl_now(puppet->target.env) + dbl_ms(PLENTY_MS)};
	struct dblock_error err = {0};

	(void)state;
	if (strcmp(test_env("DBLOCK_TEST_DATABASE"), "mysql") == 0) {
		is_free(client, "x");
		raw_exec(stranger, "BEGIN");
		raw_exec(stranger, "UPDATE dblock_floor SET token = token + 1");
		raw_lock_row(raw, "x");
		snprintf(wanted, sizeof(wanted), "connection %lld ",
			 (long long)raw_int(raw, "SELECT CONNECTION_ID()"));
		/* The server refreshes its view from time to time; the request's deadline ends this. */
		while (strstr(text, wanted) != text)
			expect(OK, dbl_db_run(puppet->db, &request, &err));
	}
	raw_close(raw);
	raw_close(stranger);
	puppet_free(puppet);
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_batch_does_not_wait_for_a_row),
		cmocka_unit_test(who_keeps_a_row_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
