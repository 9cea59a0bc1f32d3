/* SPDX-License-Identifier: MIT */
/*
 * Walks the ways of the library that docs/internals/architecture.md shows, and writes to a file
 * which functions the calling thread enters on them: trace FILE. The library that it is linked with
 * is compiled with -finstrument-functions (CMakeLists.txt); `ways` makes a text of its output:
 *
 *     way NAME                  the calls that follow belong to this one
 *     DEPTH OFFSET              a function is entered; the offset is that in this program
 *     compared                  a text is compared with the lock's name
 */
#include <semaphore.h>

#include "api/client.h"
#include "support/kit.h"

/* ---- the tracer ------------------------------------------------------------------------------ */

enum { ENTRIES_MAX = 1 << 18 };

struct entry {
	const char *function; /* NULL: a comparison with the name, not a call */
	int depth;
};

static struct entry entries[ENTRIES_MAX];
static int n_entries;
static const char *traced_name;
static FILE *out;
static _Thread_local bool traced;
static _Thread_local int depth;

extern const char __executable_start;
extern int __real_strcmp(const char *, const char *);
int __wrap_strcmp(const char *, const char *);
void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

static void note(const char *function)
{
	if (n_entries < ENTRIES_MAX)
		entries[n_entries] = (struct entry){.function = function, .depth = depth};
	n_entries++;
}

void __cyg_profile_func_enter(void *function, void *caller)
{
	(void)caller;
	if (traced) {
		note(function);
		depth++;
	}
}

void __cyg_profile_func_exit(void *function, void *caller)
{
	(void)function;
	(void)caller;
	if (traced)
		depth--;
}

int __wrap_strcmp(const char *a, const char *b)
{
	if (traced && (__real_strcmp(a, traced_name) == 0 || __real_strcmp(b, traced_name) == 0))
		note(NULL);
	return __real_strcmp(a, b);
}

static void begin(const char *name)
{
	traced_name = name;
	n_entries = 0;
	depth = 0;
	traced = true;
}

/* rc is the traced call's outcome. way NULL: the call only had its statements prepared. */
static void end(const char *way, int rc, const struct dblock_error *err)
{
	traced = false;
	if (rc)
		fail_msg("%s: %s", way ? way : traced_name, err->message);
	assert_in_range(n_entries, 1, ENTRIES_MAX);
	if (!way)
		return;
	fprintf(out, "way %s\n", way);
	for (int i = 0; i < n_entries; i++)
		if (entries[i].function)
			fprintf(out, "%d %tx\n", entries[i].depth,
				entries[i].function - &__executable_start);
		else
			fputs("compared\n", out);
}

/* ---- the world ------------------------------------------------------------------------------- */

/* The clock of deadlines moves on when a call pauses to go on soon, and stands still otherwise:
 * nothing happens only because a machine is slow. */
enum { SOON_US = 500000 };

static _Atomic int64_t clock_us;
static sem_t asleep; /* a call is in the queue, and waits to be woken */

static int64_t world_now(void *ctx)
{
	(void)ctx;
	return clock_us;
}

static void world_sleep(void *ctx, int64_t until)
{
	(void)ctx;
	sleep_ms(1);
	if (clock_us < until)
		clock_us = until;
}

static void world_idle(void *ctx, int64_t until)
{
	if (until > clock_us + SOON_US)
		sem_post(&asleep);
	else if (until > clock_us)
		world_sleep(ctx, until);
}

static struct dbl_env world;

static struct dblock_client *client(void)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *c;

	options.ttl_ms = 24 * 3600000;
	options.auto_migrate = 1;
	EXPECT_OPEN(dbl_client_open(test_url(), &options, &world, &c, &err));
	return c;
}

/* ---- the ways -------------------------------------------------------------------------------- */

static struct dblock_lock *acquire(struct dblock_client *c, const char *name, const char *way)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int rc;

	begin(name);
	rc = dblock_acquire(c, name, NULL, &lock, &err);
	end(way, rc, &err);
	return lock;
}

static void release(struct dblock_lock *lock, const char *way)
{
	struct dblock_error err = {0};
	int rc;

	begin(dblock_name(lock));
	rc = dblock_release(lock, &err);
	end(way, rc, &err);
}

static void alone(struct dblock_client *c)
{
	char name[32];

	snprintf(name, sizeof(name), "alone %d", (int)getpid());
	release(acquire(c, name, "first-acquire"), "first-release");
	release(acquire(c, name, "acquire"), "release");
}

static void nobody_is_asleep(void)
{
	while (sem_trywait(&asleep) == 0)
		;
}

/* Another client holds the lock, and gives it back as soon as somebody waits. */
static void *give_when_asleep(void *lock)
{
	sem_wait(&asleep);
	give(lock);
	return NULL;
}

static void waits(struct dblock_client *c, struct dblock_client *other, const char *way)
{
	struct crew crew = {.n = 0};

	nobody_is_asleep();
	crew_add(&crew, give_when_asleep, take(other, "busy"));
	give(acquire(c, "busy", way));
	crew_join(&crew);
}

static void *wait_for_it(void *c)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	if (dblock_acquire(c, "wanted", NULL, &lock, &err) || dblock_release(lock, &err))
		fprintf(stderr, "%s\n", err.message);
	return NULL;
}

static void hands_over(struct dblock_client *c, struct dblock_client *other, const char *way)
{
	struct dblock_lock *lock = take(c, "wanted");
	struct crew crew = {.n = 0};

	nobody_is_asleep();
	crew_add(&crew, wait_for_it, other);
	sem_wait(&asleep);
	release(lock, way);
	crew_join(&crew);
}

static void fences(struct dblock_client *c, const char *way)
{
	struct dblock_lock *lock = take(c, "fenced");
	struct dblock_error err = {0};
	struct dblock_tx *tx;
	int rc;

	expect(OK, dblock_tx_open(c, &tx, &err));
	expect(OK, dblock_tx_begin(tx, NULL, &err));
	begin("fenced");
	rc = dblock_fence(tx, lock, &err);
	end(way, rc, &err);
	expect(OK, dblock_tx_commit(tx, &err));
	dblock_tx_close(tx);
	give(lock);
}

static void write_file(const char *name, const char *text)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", test_env("DBLOCK_TEST_TMP"), name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* An earlier walk may have used the same database; a table that it left would be looked at. */
static void migrates(void)
{
	struct dblock_migrate_options which = DBLOCK_MIGRATE_OPTIONS_INIT;
	struct dblock_error err = {0};
	char scope[32];
	int rc;

	write_file("0001_fruit.up.sql", "CREATE TABLE fruit (id BIGINT PRIMARY KEY);\n");
	write_file("0001_fruit.down.sql", "DROP TABLE fruit;\n");
	snprintf(scope, sizeof(scope), "walk-%d", (int)getpid());
	which.dir = test_env("DBLOCK_TEST_TMP");
	which.scope = scope;
	begin("");
	rc = dblock_migrate_up(test_url(), NULL, &which, NULL, NULL, &err);
	end("migrate", rc, &err);
	expect(OK, dblock_migrate_down(test_url(), NULL, &which, NULL, NULL, &err));
}

static void walk(void **state)
{
	struct dblock_client *one, *other;

	(void)state;
	world = *dbl_env_system();
	world.now = world_now;
	world.sleep_until = world_sleep;
	world.idle = world_idle;
	clock_us = dbl_now(dbl_env_system());
	assert_int_equal(sem_init(&asleep, 0, 0), 0);
	one = client();
	other = client();
	alone(one);
	waits(one, other, NULL);
	waits(one, other, NULL);
	waits(one, other, "wait");
	hands_over(one, other, NULL);
	hands_over(one, other, "hand-over");
	fences(one, NULL);
	fences(one, "fence");
	dblock_close(one, NULL);
	dblock_close(other, NULL);
	migrates();
	assert_int_equal(fclose(out), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(walk)};

	out = argc == 2 ? fopen(argv[1], "w") : NULL;
	if (!out) {
		fprintf(stderr, "trace FILE\n");
		return 2;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
