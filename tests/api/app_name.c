/* SPDX-License-Identifier: MIT */
/* What a client calls itself is shown to others, and refused clearly where it cannot be. */
#include "support/kit.h"

static int open_as(const char *app, struct dblock_client **client, struct dblock_error *err)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.auto_migrate = 1;
	options.app = app;
	return dblock_open(test_url(), &options, client, err);
}

static void it_is_shown(void **state)
{
	static const char app[] = "nächtlich %s 😀";
	struct shown shown;
	struct dblock_error err = {0};
	struct dblock_client *client;
	struct dblock_lock *lock;

	(void)state;
	expect(OK, open_as(app, &client, &err));
	lock = take(client, "x");
	shown = show(client, "x");
	assert_string_equal(shown.app, app);
	give(lock);
	dblock_close(client, NULL);
}

static void what_others_could_not_read_is_refused(void **state)
{
	static const char *const bad[] = {"\xff\xfe", "half a character: \xe2\x82", "\x1b[2J",
					  "two\nlines"};
	struct dblock_error err = {0};
	struct dblock_client *client;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		expect(E_INVALID, open_as(bad[i], &client, &err));
		message_has("app");
		assert_null(client);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_shown),
		cmocka_unit_test(what_others_could_not_read_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
