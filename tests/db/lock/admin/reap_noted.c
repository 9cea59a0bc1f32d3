/* SPDX-License-Identifier: MIT */
/* The reaper notes what a pass has seen of sessions that outlive it. Cron's next run, which is
 * another process, goes on from there. Each case names the naive form. */
#include "db/lock/admin/reap_once.h"
#include "support/puppet.h"
#include "support/raw.h"

enum { TTL_MS = 1500, HOUR_US = 1000000000 };

struct scene {
	struct raw *raw;
	struct puppet *puppet; /* holds `x`, and looks dead */
};

static void let_it_look_dead(struct scene *s)
{
	raw_exec(s->raw, "UPDATE dblock_session SET expires = {boot} - 60000000 WHERE id = '%s'",
		 s->puppet->id);
}

static int set_up(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	dblock_close(client_new(0), NULL); /* makes the tables */
	s->raw = raw_open(NULL);
	s->puppet = puppet_new(NULL, TTL_MS);
	assert_true(puppet_takes(s->puppet, "x"));
	let_it_look_dead(s);
	*state = s;
	return 0;
}

static int64_t buried(void)
{
	return reap_once().sessions_buried;
}

static int tear_down(void **state)
{
	struct scene *s = *state;

	puppet_free(s->puppet);
	(void)reap_once();
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_suspect"), 0);
	raw_close(s->raw);
	free(s);
	return 0;
}

/* Naive: each run begins anew, and never declares anybody dead whose ttl is longer than it watches.
 */
static void the_next_run_goes_on(void **state)
{
	int64_t begun = clock_ms(), n;

	(void)state;
	while ((n = buried()) == 0 && clock_ms() - begun < PLENTY_MS)
		sleep_ms(50);
	assert_int_equal(n, 1);
	assert_true(clock_ms() - begun >= TTL_MS);
}

static void age(struct scene *s, const char *column)
{
	raw_exec(s->raw, "UPDATE dblock_suspect SET %s = %s - %d", column, column, HOUR_US);
}

/* Naive: one clock is enough. Then a cloned machine, or a server's clock that was set, declares the
 * living dead. */
static void both_clocks_have_to_say_so(void **state)
{
	struct scene *s = *state;

	assert_int_equal(buried(), 0);
	age(s, "since");
	assert_int_equal(buried(), 0);
	raw_exec(s->raw, "DELETE FROM dblock_suspect");
	assert_int_equal(buried(), 0);
	age(s, "noted");
	assert_int_equal(buried(), 0);
	age(s, "since");
	assert_int_equal(buried(), 1);
}

/* Naive: what another machine has seen is counted by our clock. */
static void another_boots_notes_are_not_ours(void **state)
{
	struct scene *s = *state;

	assert_int_equal(buried(), 0);
	age(s, "noted");
	age(s, "since");
	raw_exec(s->raw, "UPDATE dblock_suspect SET watcher = 'another boot'");
	assert_int_equal(buried(), 0);
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_suspect"), 2);
}

/* Naive: the session was seen long ago, whatever it has done since. */
static void who_has_beaten_is_watched_anew(void **state)
{
	struct scene *s = *state;

	assert_int_equal(buried(), 0);
	assert_true(puppet_beats(s->puppet));
	let_it_look_dead(s);
	age(s, "noted");
	age(s, "since");
	assert_int_equal(buried(), 0);
	assert_true(puppet_beats(s->puppet));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(the_next_run_goes_on),
		CASE(both_clocks_have_to_say_so),
		CASE(another_boots_notes_are_not_ours),
		CASE(who_has_beaten_is_watched_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
