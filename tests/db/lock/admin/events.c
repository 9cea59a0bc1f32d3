/* SPDX-License-Identifier: MIT */
/* What happened is kept in bounds, by number and by age, by the reaper and without one; it is listed the newest
 * last, also to who may only look; and who has nothing to tell writes nothing. */
#include "api/client.h"
#include "db/lock/admin/reaping.h"
#include "lock/core/event_log.h"
#include "support/puppet.h"

struct seen {
	int64_t ids[600];
	char name[64]; /* of the last */
	int n, stop_at;
};

static int note(void *arg, const struct dblock_event *event)
{
	struct seen *seen = arg;

	assert_true(event->size == sizeof(*event));
	assert_true(seen->n < 600);
	assert_true(seen->n == 0 || seen->ids[seen->n - 1] < event->id);
	seen->ids[seen->n++] = event->id;
	snprintf(seen->name, sizeof(seen->name), "%s", event->name);
	return seen->n == seen->stop_at ? 7 : 0;
}

static struct seen list(struct dblock_client *client, const char *name, int64_t after,
			int64_t limit)
{
	struct dblock_events_options options = DBLOCK_EVENTS_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct seen seen = {.n = 0};

	options.name = name;
	options.after = after;
	options.limit = limit;
	expect(OK, dblock_events(client, &options, note, &seen, &err));
	return seen;
}

static void empty(struct scene *s)
{
	raw_exec(s->raw, "DELETE FROM dblock_event");
}

/* An event that happened so long ago, in us. */
static void happens(struct scene *s, int64_t id, const char *name, int64_t ago)
{
	raw_exec(s->raw,
		 "INSERT INTO dblock_event (id, at, kind, name, token, host, pid, app, session,"
		 " by_host, by_pid, by_app, detail) VALUES (%lld, {now} - %lld, 1, '%s', 1, '', 0,"
		 " '', '', '', 0, '', '')",
		 (long long)id, (long long)ago, name);
}

static int64_t count(struct scene *s)
{
	return raw_int(s->raw, "SELECT count(*) FROM dblock_event");
}

/* Naive: the first page comes first, or the oldest of a page; or one page is all. */
static void the_newest_comes_last(void **state)
{
	struct scene *s = *state;
	struct seen seen;

	empty(s);
	for (int64_t id = 1; id <= 450; id++)
		happens(s, id, id % 2 ? "odd" : "even", 0);
	seen = list(s->client, NULL, 0, 0);
	assert_int_equal(seen.n, 450);
	assert_int_equal(seen.ids[0], 1);
	seen = list(s->client, NULL, 0, 201);
	assert_int_equal(seen.n, 201);
	assert_int_equal(seen.ids[0], 250);
	assert_int_equal(seen.ids[200], 450);
	seen = list(s->client, "odd", 440, 0);
	assert_int_equal(seen.n, 5);
	assert_int_equal(seen.ids[0], 441);
	assert_string_equal(seen.name, "odd");
	assert_int_equal(list(s->client, "odd", 0, 0).n, 225);
	assert_int_equal(list(s->client, "od", 0, 0).n, 0);
	assert_int_equal(list(s->client, NULL, 450, 0).n, 0);
}

static void a_callback_ends_it(void **state)
{
	struct scene *s = *state;
	struct seen seen = {.stop_at = 2};
	struct dblock_error err = {0};

	empty(s);
	for (int64_t id = 1; id <= 3; id++)
		happens(s, id, "x", 0);
	assert_int_equal(dblock_events(s->client, NULL, note, &seen, &err), 7);
	assert_int_equal(seen.n, 2);
}

static void refuses(struct dblock_client *client, const struct dblock_events_options *options)
{
	struct dblock_error err = {0};
	struct seen seen = {.n = 0};

	expect(E_INVALID, dblock_events(client, options, note, &seen, &err));
	assert_int_equal(seen.n, 0);
}

static void wrong_options(void **state)
{
	struct scene *s = *state;
	struct dblock_events_options options = DBLOCK_EVENTS_OPTIONS_INIT, wrong = options;
	struct dblock_error err = {0};

	expect(E_INVALID, dblock_events(NULL, NULL, note, NULL, &err));
	expect(E_INVALID, dblock_events(s->client, NULL, NULL, NULL, &err));
	wrong.after = -1;
	refuses(s->client, &wrong);
	wrong = options;
	wrong.limit = -1;
	refuses(s->client, &wrong);
	wrong = options;
	wrong.since_ms = -1;
	refuses(s->client, &wrong);
	wrong = options;
	wrong.name = "";
	refuses(s->client, &wrong);
	wrong = options;
	wrong.size = 1;
	refuses(s->client, &wrong);
	assert_string_equal(dblock_event_name(DBLOCK_EVENT_FORCED), "forced");
	assert_string_equal(dblock_event_name((enum dblock_event_kind)0), "?");
	assert_string_equal(dblock_event_name((enum dblock_event_kind)99), "?");
}

static void who_only_looks_sees_them(void **state)
{
	struct scene *s = *state;
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *looks;
	struct dblock_error err = {0};

	empty(s);
	happens(s, 1, "x", 0);
	options.observe = true;
	expect(OK, dblock_open(test_url(), &options, &looks, &err));
	assert_int_equal(list(looks, "x", 0, 0).n, 1);
	dblock_close(looks, NULL);
}

/* Naive: it deletes by age or by number only, or the last one, from which ids go on. */
static void the_reaper_forgets(void **state)
{
	static const int64_t day = 86400LL * 1000000;
	struct scene *s = *state;

	empty(s);
	happens(s, 1, "older", 31 * day);
	happens(s, 2, "younger", 29 * day);
	happens(s, 3, "now", 0);
	reap(s->client);
	assert_int_equal(count(s), 2);
	assert_int_equal(list(s->client, "older", 0, 0).n, 0);

	happens(s, 10002, "x", 0);
	reap(s->client);
	assert_int_equal(count(s), 2); /* 3 is one of the newest 10 000, and 2 is not */
	assert_int_equal(list(s->client, "now", 0, 0).n, 1);

	raw_exec(s->raw, "UPDATE dblock_event SET at = {now} - %lld", (long long)(31 * day));
	reap(s->client);
	assert_int_equal(count(s), 1);
	assert_int_equal(raw_int(s->raw, "SELECT id FROM dblock_event"), 10002);
}

/* The writer whose turn it is: one in 64, by the clock's last digits. */
static void its_turn_comes(struct dbl_locks *locks)
{
	for (int64_t begun = clock_ms(); !atomic_load(&locks->event_log.trim);) {
		assert_true(clock_ms() - begun < PLENTY_MS);
		dbl_event_written(locks);
	}
}

static void without_a_reaper_who_writes_forgets(void **state)
{
	struct scene *s = *state;
	int64_t begun = clock_ms();

	empty(s);
	happens(s, 1, "x", 0);
	happens(s, 2, "x", 0);
	happens(s, 20001, "x", 0);
	its_turn_comes(s->client->locks);
	while (count(s) > 2 && clock_ms() - begun < PLENTY_MS)
		sleep_ms(10);
	assert_int_equal(count(s), 2);
	assert_int_equal(raw_int(s->raw, "SELECT min(id) FROM dblock_event"), 2);
}

/* Naive: what comes and goes as it should leaves a row each time. */
static void nothing_is_written_where_nothing_happens(void **state)
{
	struct scene *s = *state;

	empty(s);
	for (int i = 0; i < 10; i++)
		give(take(s->client, "usual"));
	assert_int_equal(count(s), 0);
}

/* Naive: the event stays where the deed was not done, since somebody was faster. */
static void one_deed_is_one_event(void **state)
{
	struct scene *s = *state;
	struct puppet *p = puppet_new(NULL, 3600 * 1000);

	empty(s);
	assert_false(puppet_is_dead(p, p->beat + 1, p->ttl));
	assert_int_equal(count(s), 0);
	assert_true(puppet_is_dead(p, p->beat, p->ttl));
	assert_false(puppet_is_dead(p, p->beat, p->ttl));
	assert_int_equal(count(s), 1);
	assert_int_equal(raw_int(s->raw,
				 "SELECT count(*) FROM dblock_event WHERE session = '%s'"
				 " AND kind = %d AND pid > 0",
				 p->id, DBLOCK_EVENT_DEAD),
			 1);
	puppet_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_newest_comes_last, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_callback_ends_it, set_up, tear_down),
		cmocka_unit_test_setup_teardown(wrong_options, set_up, tear_down),
		cmocka_unit_test_setup_teardown(who_only_looks_sees_them, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_reaper_forgets, set_up, tear_down),
		cmocka_unit_test_setup_teardown(without_a_reaper_who_writes_forgets, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(nothing_is_written_where_nothing_happens, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(one_deed_is_one_event, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
