/* SPDX-License-Identifier: MIT */
/* What a client may ask its grants to survive, and what it is told where that cannot be had. */
#include "support/findings.h"
#include "support/kit.h"

static struct dblock_client_options of(enum dblock_durability durability)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.timeout_ms = PLENTY_MS;
	options.auto_migrate = 1;
	options.durability = durability;
	return options;
}

static void each_holds_and_releases(void **state)
{
	static const enum dblock_durability all[] = {DBLOCK_DURABILITY_DEFAULT, DBLOCK_DURABLE,
						     DBLOCK_RELAXED};
	int64_t before = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct dblock_client_options options = of(all[i]);
		struct dblock_client *client = client_with(&options), *other = client_new(0);
		struct dblock_lock *lock = take(client, "x");
		int64_t token = dblock_token(lock);

		busy(other, "x");
		assert_true(token > before);
		before = token;
		give(lock);
		dblock_close(client, NULL);
		is_free(other, "x");
		dblock_close(other, NULL);
	}
}

static void refused(enum dblock_durability durability, const char *said)
{
	struct dblock_client_options options = of(durability);
	struct dblock_error err = {0};
	struct dblock_client *none;

	expect(E_INVALID, dblock_open(test_url(), &options, &none, &err));
	assert_null(none);
	message_has(said);
}

/* The servers of the tests have no standby. */
static void what_cannot_be_had(void **state)
{
	(void)state;
	refused((enum dblock_durability)4, "durability is 4");
	refused((enum dblock_durability) - 1, "durability is -1");
	refused(DBLOCK_REMOTE, on_backend("postgresql") ? "synchronous_standby_names"
			       : on_backend("mysql")    ? "semi-synchronous"
							: "a file has no standby");
}

/* A caller that was compiled before there was a choice. */
static void an_older_caller(void **state)
{
	struct dblock_client_options options = of((enum dblock_durability)77);

	(void)state;
	options.size = offsetof(struct dblock_client_options, durability);
	dblock_close(client_with(&options), NULL);
}

static void doctor_says(enum dblock_durability durability, enum dblock_severity severity,
			const char *said)
{
	struct dblock_client_options options = of(durability);
	struct findings findings = {.n = 0};
	struct dblock_error err = {0};

	expect(OK, dblock_doctor(test_url(), &options, keep_finding, &findings, &err));
	must_say_at(&findings, severity, "durability", said, __LINE__);
}

static void what_the_doctor_says(void **state)
{
	(void)state;
	dblock_close(client_new(0), NULL);
	if (on_backend("sqlite")) {
		doctor_says(DBLOCK_DURABILITY_DEFAULT, DBLOCK_FINDING_OK, "synchronous = NORMAL");
		doctor_says(DBLOCK_RELAXED, DBLOCK_FINDING_OK, "synchronous = NORMAL");
		doctor_says(DBLOCK_DURABLE, DBLOCK_FINDING_OK, "synchronous = FULL");
	} else if (on_backend("postgresql")) {
		doctor_says(DBLOCK_RELAXED, DBLOCK_FINDING_OK, "three wal_writer_delay");
		doctor_says(DBLOCK_REMOTE, DBLOCK_FINDING_WRONG, "synchronous_standby_names");
	} else {
		doctor_says(DBLOCK_RELAXED, DBLOCK_FINDING_OK, "relaxed is as durable here");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_holds_and_releases),
		cmocka_unit_test(what_cannot_be_had),
		cmocka_unit_test(an_older_caller),
		cmocka_unit_test(what_the_doctor_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
