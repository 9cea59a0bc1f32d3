/* SPDX-License-Identifier: MIT */
/* A request that goes with others is back by its own deadline, whatever theirs are. */
#include "driver/value.h"
#include "support/fault.h"

enum { SHORT_MS = 1500, ROUNDS = 20 };

struct one {
	struct dblock_client *client;
	const char *name;
	int64_t ms, took_ms;
	int rc;
};

static int no_row(void *ctx, const struct dbl_value *row)
{
	(void)ctx;
	(void)row;
	return 0;
}

static void *release_what_nobody_has(void *arg)
{
	struct one *one = arg;
	struct dbl_link *link = one->client->locks->link;
	struct dbl_value args[] = {dbl_text(one->name), dbl_int(1), dbl_int(2)};
	int64_t begun = clock_ms();
	struct dbl_request request = {.op = DBL_OP_release,
				      .args = DBL_ARGS(args),
				      .row = no_row,
				      .deadline = dbl_now(fault_env()) + one->ms * 1000};

	one->rc = dbl_link_run(link, &request, NULL);
	one->took_ms = clock_ms() - begun;
	return NULL;
}

static void *keep_busy(void *client)
{
	struct dbl_value name = dbl_text("x");
	struct dblock_client *c = client;
	struct dbl_request request = {.op = DBL_OP_show,
				      .args = DBL_ARGS_OF(name, dbl_int(0)),
				      .row = no_row,
				      .deadline = dbl_now(fault_env()) + PLENTY_MS * 1000};

	(void)dbl_link_run(c->locks->link, &request, NULL);
	return NULL;
}

/* Two requests meet, and the statement for both hangs. Returns true if they met. */
static bool play(struct dblock_client *client, struct one *hurried, struct one *patient)
{
	struct crew crew = {.n = 0};
	bool met;

	*hurried = (struct one){.client = client, .name = "a", .ms = SHORT_MS};
	*patient = (struct one){.client = client, .name = "b", .ms = PLENTY_MS};
	fault_set("show", FAULT_HANG, 1);
	crew_add(&crew, keep_busy, client);
	while (fault_seen() == 0)
		sleep_ms(1);
	crew_add(&crew, release_what_nobody_has, hurried);
	crew_add(&crew, release_what_nobody_has, patient);
	sleep_ms(50);
	fault_set("batch", FAULT_HANG, 1);
	while (hurried->took_ms == 0 && fault_seen() == 0)
		sleep_ms(1);
	met = fault_seen() == 1;
	crew_join(&crew);
	return met;
}

static void nobody_is_later_than_his_deadline(void **state)
{
	struct dblock_client *client = fault_client(0, 0);
	struct one hurried, patient;
	bool met = false;

	(void)state;
	is_free(client, "a");
	is_free(client, "b");
	for (int i = 0; i < ROUNDS && !met; i++)
		met = play(client, &hurried, &patient);
	assert_true(met);
	/* TIMEOUT means that certainly nothing was changed. The patient request had time to ask
	 * what was. */
	assert_true(hurried.rc == DBLOCK_E_UNSURE || hurried.rc == DBLOCK_E_NO_ANSWER);
	assert_true(hurried.took_ms >= SHORT_MS);
	assert_true(hurried.took_ms < PLENTY_MS / 2);
	assert_int_equal(patient.rc, DBLOCK_OK);
	assert_true(patient.took_ms < PLENTY_MS / 2);
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_is_later_than_his_deadline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
