/* SPDX-License-Identifier: MIT */
/* Somebody has one of the tables locked: a call that waits for a lock, in whatever way, goes on. */
#include "db/lock/core/table_lock.h"

static const char *const tables[] = {"lock", "session", "queue",  "floor",
				     "once", "flight",  "request"};

/* ---- all ways to wait ------------------------------------------------------------------------ */

struct call {
	struct dblock_client *client;
	struct dblock_acquire_options how;
	const char *name;
	_Atomic int *problems;
};

static void note(const struct call *c, const char *what, int rc, const struct dblock_error *err)
{
	if (rc)
		note_problem(c->problems, what, err);
}

static void end(const struct call *c, const char *what, int rc, struct dblock_lock *lock,
		struct dblock_error *err)
{
	note(c, what, rc, err);
	if (rc == 0)
		note(c, "release", dblock_release(lock, err), err);
}

static void *acquires(void *arg)
{
	struct call *c = arg;
	struct dblock_error err = {0};
	struct dblock_lock *lock = NULL;
	int rc;

	rc = dblock_acquire(c->client, c->name, &c->how, &lock, &err);
	end(c, "acquire", rc, lock, &err);
	return NULL;
}

static void *shares(void *arg)
{
	struct call *c = arg;
	struct dblock_acquire_options how = c->how;
	struct dblock_error err = {0};
	struct dblock_lock *lock = NULL;
	int rc;

	how.mode = DBLOCK_SHARED;
	rc = dblock_acquire(c->client, c->name, &how, &lock, &err);
	end(c, "share", rc, lock, &err);
	return NULL;
}

static void *drives(void *arg)
{
	struct call *c = arg;
	struct dblock_error err = {0};
	struct dblock_lock *lock = NULL;
	struct dblock_wait *wait;
	int rc = dblock_acquire_begin(c->client, c->name, &c->how, &wait, &err);

	note(c, "begin", rc, &err);
	if (rc)
		return NULL;
	rc = dblock_wait_finish(wait, &lock, &err);
	end(c, "finish", rc, lock, &err);
	dblock_wait_end(wait);
	return NULL;
}

static void *wants_two(void *arg)
{
	struct call *c = arg;
	const struct dblock_lock_spec wants[] = {{.name = c->name}, {.name = "another"}};
	struct dblock_error err = {0};
	struct dblock_lock *lock = NULL;
	int rc;

	rc = dblock_acquire_all(c->client, wants, 2, &c->how, &lock, &err);
	end(c, "acquire_all", rc, lock, &err);
	return NULL;
}

static void *does_once(void *arg)
{
	struct call *c = arg;
	struct dblock_error err = {0};
	struct dblock_lock *lock = NULL;
	int rc;

	rc = dblock_once(c->client, c->name, "slot", &c->how, &lock, &err);
	end(c, "once", rc, lock, &err);
	return NULL;
}

static void *stands_for_election(void *arg)
{
	struct call *c = arg;
	struct dblock_elect_options how = DBLOCK_ELECT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock = NULL;
	int rc;

	how.wait_ms = c->how.wait_ms;
	rc = dblock_elect(c->client, c->name, &how, &lock, &err);
	end(c, "elect", rc, lock, &err);
	return NULL;
}

static int make(void *arg, struct dblock_result *result, struct dblock_error *err)
{
	(void)arg;
	return dblock_result_set(result, "made", 4, err);
}

static void *flies(void *arg)
{
	struct call *c = arg;
	struct dblock_flight_options how = DBLOCK_FLIGHT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_result *result = NULL;

	how.wait_ms = c->how.wait_ms;
	note(c, "flight", dblock_single_flight(c->client, c->name, &how, make, NULL, &result, &err),
	     &err);
	dblock_result_free(result);
	return NULL;
}

static void *(*const ways[])(void *) = {
	acquires, shares, drives, wants_two, does_once, stands_for_election, flies};

enum { N_WAYS = sizeof(ways) / sizeof(ways[0]) };

/* Each waits for another name, which others hold until long after. */
struct scene {
	struct raw *raw;
	struct dblock_client *holder, *client;
	struct dblock_lock *held[N_WAYS];
	struct call calls[N_WAYS];
	char names[N_WAYS][8];
	_Atomic int problems;
};

static struct scene *scene_new(int64_t wait_ms)
{
	struct scene *s = calloc(1, sizeof(*s));

	s->raw = raw_open(NULL);
	s->holder = client_new(0);
	s->client = client_new(0);
	for (int i = 0; i < N_WAYS; i++) {
		snprintf(s->names[i], sizeof(s->names[i]), "way%d", i);
		s->held[i] = take(s->holder, s->names[i]);
		s->calls[i] = (struct call){
			.client = s->client, .name = s->names[i], .problems = &s->problems};
		s->calls[i].how = (struct dblock_acquire_options)DBLOCK_ACQUIRE_OPTIONS_INIT;
		s->calls[i].how.wait_ms = wait_ms;
	}
	return s;
}

static void scene_free(struct scene *s)
{
	dblock_close(s->client, NULL);
	dblock_close(s->holder, NULL);
	raw_close(s->raw);
	free(s);
}

/* Some are in the queue when the table is locked, and all others come meanwhile. */
static void all_wait_beyond(const char *table)
{
	struct scene *s = scene_new(PLENTY_MS);
	struct crew crew = {.n = 0};
	int i = 0;

	for (; i < N_WAYS / 2; i++)
		crew_add(&crew, ways[i], &s->calls[i]);
	sleep_ms(200);
	have_table(s->raw, table);
	for (; i < N_WAYS; i++)
		crew_add(&crew, ways[i], &s->calls[i]);
	sleep_ms(LONGER_MS);
	leave_table(s->raw);
	for (i = 0; i < N_WAYS; i++)
		give(s->held[i]);
	crew_join(&crew);
	if (s->problems)
		print_error("the table was dblock_%s\n", table);
	assert_int_equal(s->problems, 0);
	scene_free(s);
}

static void waits_go_on(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		all_wait_beyond(tables[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_go_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
