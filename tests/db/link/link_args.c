/* SPDX-License-Identifier: MIT */
/* An operation that is given fewer arguments than it takes is not run: a driver would read what
 * lies behind them. */
#include "api/client.h"
#include "driver/value.h"
#include "sql/batch.h"
#include "support/kit.h"

static struct dbl_request request_of(struct dblock_client *client, enum dbl_op op,
				     struct dbl_args args)
{
	int64_t deadline = dbl_now(client->locks->env) + (int64_t)PLENTY_MS * 1000;

	return (struct dbl_request){.op = op, .args = args, .deadline = deadline};
}

/* The request must be refused for that reason. */
static void is_refused(struct dblock_client *client, enum dbl_op op, struct dbl_args args,
		       const char *why)
{
	struct dbl_request request = request_of(client, op, args);
	struct dblock_error err = {0};

	expect(E_BUG, dbl_link_run(client->locks->link, &request, &err));
	message_has(why);
}

static void too_few_are_refused(void **state)
{
	struct dbl_value args[] = {dbl_text("x"), dbl_int(-1), dbl_int(1), dbl_int(1)};
	struct dblock_client *client = client_new(0);
	struct dblock_lock *lock = take(client, "x");

	(void)state;
	is_refused(client, DBL_OP_show, DBL_ARG(args[0]), "it takes 2 arguments, and was given 1");
	is_refused(client, DBL_OP_release, DBL_NO_ARGS, "and was given 0");
	is_refused(client, DBL_OP_acquire, DBL_ARGS(args), "and was given 4");
	assert_true(dblock_valid(lock, 0));
	give(lock);
	dblock_close(client, NULL);
}

/* It does not go with others either, whose statement takes its arguments as its own. */
static void nor_does_it_join_others(void **state)
{
	struct dbl_value args[] = {dbl_text("x"), dbl_int(1), dbl_int(1)};
	struct dblock_client *client = client_new(0);
	struct dbl_request good = request_of(client, DBL_OP_release, DBL_ARGS(args));
	struct dbl_request bad = request_of(client, DBL_OP_release, DBL_ARG(args[0]));
	struct dbl_member members[] = {{.request = &good}, {.request = &bad}};
	int64_t now = dbl_now(client->locks->env);

	(void)state;
	assert_true(dbl_batch_joins(client->locks->target, NULL, 0, &members[0], now));
	assert_false(dbl_batch_joins(client->locks->target, NULL, 0, &members[1], now));
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(too_few_are_refused),
		cmocka_unit_test(nor_does_it_join_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
