/* SPDX-License-Identifier: MIT */
/* Making the tables, with each driver call in turn going wrong in each way. */
#include "db/faults/strike_kit.h"
#include "migrate/command/migrate.h"

enum { FILES = DBLOCK_OWN_MIGRATIONS };

/* Each play makes its own tables: on SQLite in its own file, since whoever opens a file reads all
 * that is in it. */
static char prefix[32], url[512];

static struct dblock_client_options options_of(void)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.ttl_ms = TTL_MS;
	options.timeout_ms = TIMEOUT_MS;
	options.prefix = prefix;
	options.app = "struck";
	return options;
}

static void with_new_prefix(struct stage *s)
{
	static int times;

	(void)s;
	snprintf(prefix, sizeof(prefix), "m%d_", times++);
	snprintf(url, sizeof(url), "%s%s", test_url(), on_backend("sqlite") ? prefix : "");
}

static int note_applied(void *arg, const struct dblock_migration *migration)
{
	struct stage *s = arg;

	assert_true(migration->now);
	s->asked++;
	return 0;
}

static int call_up(struct stage *s, struct dblock_error *err)
{
	const struct dbl_env *env = strike_env(s->strike);
	struct dblock_error heard = {0};
	struct dbl_target target;
	int rc;

	s->asked = 0;
	rc = dbl_target_init(&target, url, NULL, prefix, env, &heard);
	if (rc == 0)
		rc = dbl_migrate_up(
			&(struct dbl_migrate){.target = &target,
					      .timeout = dbl_ms(TIMEOUT_MS),
					      .deadline = dbl_now(env) + dbl_ms(TIMEOUT_MS),
					      .cb = note_applied,
					      .arg = s},
			&heard);
	dbl_target_free(&target);
	return dbl_tell(err, &heard, rc);
}

static int is_applied(void *arg, const struct dblock_migration *migration)
{
	assert_int_equal(migration->state, DBLOCK_MIGRATION_APPLIED);
	assert_false(migration->changed);
	++*(int *)arg;
	return 0;
}

/* All tables are there, and locks work in them. */
static void is_whole(void)
{
	struct dblock_client_options options = options_of();
	struct dblock_error err = {0};
	struct dblock_client *client;
	int n = 0;

	expect(OK, dblock_migrate_status(url, &options, NULL, is_applied, &n, &err));
	assert_int_equal(n, FILES);
	options.app = "calm";
	expect(OK, dblock_open(url, &options, &client, &err));
	is_free(client, "x");
	dblock_close(client, NULL);
}

/* The next migration does what this one could not finish; a late copy does no harm to it. */
static void check_migrated(struct stage *s, int rc)
{
	struct dblock_client_options options = options_of();
	struct dblock_error err = {0};

	strike_disarm(s->strike);
	if (rc == DBLOCK_OK) {
		assert_int_equal(s->asked, FILES);
		is_whole();
	}
	strike_let_go(s->strike);
	expect(OK, dblock_migrate_up(url, &options, NULL, NULL, NULL, &err));
	is_whole();
}

/* Making tables takes long, so kinds that migrate_faults.c covers are left to it. */
PLAY(migrate,
     .kinds = KIND(LOST) | KIND(HALF) | KIND(DARK) | KIND(LATE_POOLED) | KIND(STRAY_POOLED),
     .prepare = with_new_prefix, .call = call_up, .check = check_migrated, .least = 20,
     .within_ms = TIMEOUT_MS, .frail = true, .huge = true,
     .may = {DBLOCK_E_UNAVAILABLE, DBLOCK_E_NO_ANSWER})

/* ---- as part of opening --------------------------------------------------------------------- */

static int call_open(struct stage *s, struct dblock_error *err)
{
	struct dblock_client_options options = options_of();

	options.auto_migrate = 1;
	return dbl_client_open(url, &options, strike_env(s->strike), &s->client, err);
}

static void check_opened(struct stage *s, int rc)
{
	struct dblock_client_options options = options_of();
	struct dblock_error err = {0};

	strike_disarm(s->strike);
	strike_let_go(s->strike);
	if (rc == DBLOCK_OK) {
		is_free(s->client, "x");
		dblock_close(s->client, NULL);
		s->client = NULL;
	}
	assert_null(s->client);
	expect(OK, dblock_migrate_up(url, &options, NULL, NULL, NULL, &err));
	is_whole();
}

PLAY(open_and_migrate, .prepare = with_new_prefix, .call = call_open, .check = check_opened,
     .least = 40, .within_ms = TIMEOUT_MS, .frail = true, .huge = true,
     .kinds = KIND(LOST) | KIND(DARK), .may = {DBLOCK_E_UNAVAILABLE, DBLOCK_E_NO_ANSWER})

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE(migrate),
		SCENE(open_and_migrate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
