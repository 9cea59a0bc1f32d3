/* SPDX-License-Identifier: MIT */
/* A request waits for a server that is silent, and who knows that it is the wrong one cuts it off. */
#include "driver/value.h"
#include "link/link.h"
#include "support/call.h"
#include "support/fault.h"
#include "support/proxy.h"

static struct proxy *proxy;
static struct dbl_target target;
static struct dbl_link *ours;

static int64_t soon(void)
{
	return dbl_now(dbl_env_system()) + PLENTY_MS * INT64_C(1000);
}

static int set_up(void **state)
{
	struct dblock_error err = {0};

	(void)state;
	proxy = proxy_new();
	dblock_close(client_new(0), NULL); /* makes the tables */
	if (dbl_target_init(&target, proxy_url(proxy), NULL, NULL, dbl_env_system(), &err) ||
	    dbl_link_new(&ours, &target, &err) || dbl_link_connect(ours, soon(), &err))
		fail_msg("%s", err.message);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	dbl_link_free(ours);
	dbl_target_free(&target);
	proxy_free(proxy);
	return 0;
}

static int take_row(void *ctx, const struct dbl_value *row)
{
	(void)row;
	++*(int *)ctx;
	return 0;
}

/* Reads the history, which is a row in any case. */
static int ask(void *arg, struct dblock_error *err)
{
	struct dbl_value id = dbl_text("");
	struct dbl_request request = {.op = DBL_OP_history_tip,
				      .args = DBL_ARG(id),
				      .row = take_row,
				      .ctx = arg,
				      .deadline = soon()};

	return dbl_link_run(ours, &request, err);
}

/* One that only gives the connection up lets it wait for its deadline. */
static void a_request_that_waits_is_sent_elsewhere(void **state)
{
	struct call call;
	int rows = 0;

	(void)state;
	proxy_set_at(proxy, "history_tip", PROXY_SILENT);
	call_start(&call, ask, &rows);
	proxy_wait_hit(proxy);
	assert_false(call.done);
	dbl_link_cut(ours, 0);
	assert_int_equal(call_end(&call), DBLOCK_OK);
	assert_int_equal(rows, 1);
	assert_true(call.ended - call.begun < PLENTY_MS / 2);
	assert_int_equal(dbl_link_losses(ours), 1);
}

/* Nothing is under way: the next request has another connection. */
static void one_that_rests_is_given_up(void **state)
{
	struct call call;
	int rows = 0;

	(void)state;
	dbl_link_cut(ours, 0);
	dbl_link_cut(ours, 0);
	call_start(&call, ask, &rows);
	assert_int_equal(call_end(&call), DBLOCK_OK);
	assert_int_equal(rows, 1);
	assert_int_equal(dbl_link_losses(ours), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_that_waits_is_sent_elsewhere),
		cmocka_unit_test(one_that_rests_is_given_up),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
