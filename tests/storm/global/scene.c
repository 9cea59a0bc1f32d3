/* SPDX-License-Identifier: MIT */
#include "storm/global/scene.h"

#include "api/client.h"
#include "link/tx.h"
#include "support/raw.h"
#include "support/several.h"
#include "support/waiting.h"

/* ---- places ---------------------------------------------------------------------------------- */

const char *place_name(enum place place)
{
	if (place == SQLITE)
		return "sqlite";
	return place == THIRD ? several_third_kind() : place == MARIADB ? "mariadb" : "postgresql";
}

static void write_url(char url[1200], enum place place, bool home)
{
	const char *base;

	if (place == SQLITE) {
		snprintf(url, 1200, "sqlite://%s/home.db", test_env("DBLOCK_TEST_TMP"));
		return;
	}
	base = several_url((int)place);
	snprintf(url, 1200, "%.*s/%s", (int)(strrchr(base, '/') - base), base,
		 home ? "home" : "other");
}

static void make_databases(enum place place)
{
	struct raw *raw = raw_open_url(several_url((int)place), NULL);

	raw_exec(raw, "CREATE DATABASE home");
	raw_exec(raw, "CREATE DATABASE other");
	/* A decision does not rely on that. */
	if (strcmp(place_name(place), "postgresql") == 0)
		raw_exec(raw, "ALTER DATABASE home SET synchronous_commit = off");
	raw_close(raw);
}

static void make_tables(enum place place, bool home)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *client;
	struct raw *raw;
	char url[1200];

	write_url(url, place, home);
	options.timeout_ms = PLENTY_MS;
	options.auto_migrate = true;
	expect(OK, dblock_open(url, &options, &client, &err));
	dblock_close(client, NULL);
	raw = raw_open_url(url, NULL);
	raw_exec(raw, "CREATE TABLE part (id BIGINT PRIMARY KEY)");
	raw_close(raw);
}

void places_start(void)
{
	struct several servers[SQLITE] = {{NULL, NULL}};

	for (enum place p = 0; p < SQLITE; p++)
		servers[p].kind = place_name(p);
	several_start(servers, SQLITE);
	for (enum place p = 0; p < SQLITE; p++) {
		make_databases(p);
		make_tables(p, true);
		make_tables(p, false);
	}
	make_tables(SQLITE, true);
}

void places_stop(void)
{
	several_stop();
}

/* ---- a scene --------------------------------------------------------------------------------- */

void scene_open(struct scene *s, const enum place *places, int n, int64_t timeout_ms)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};

	*s = (struct scene){.n = n};
	options.timeout_ms = timeout_ms;
	options.ttl_ms = DBLOCK_TTL_MAX_MS;
	for (int i = 0; i < n; i++) {
		s->places[i] = places[i];
		write_url(s->urls[i], places[i], i == 0);
		EXPECT_OPEN(dblock_open(s->urls[i], &options, &s->clients[i], &err));
	}
}

void scene_close(struct scene *s)
{
	for (int i = 0; i < s->n; i++)
		dblock_close(s->clients[i], NULL);
}

struct part scene_part(const struct scene *s, const char *role, enum fate fate, const char *text,
		       int k)
{
	struct part p = {.role = role,
			 .fate = fate,
			 .text = text,
			 .k = k,
			 .timeout_ms = PLENTY_MS,
			 .n = s->n};

	for (int i = 0; i < s->n; i++)
		p.urls[i] = s->urls[i];
	return p;
}

/* ---- what is there --------------------------------------------------------------------------- */

static int keep_int(void *arg, const struct dblock_value *row, size_t n)
{
	if (n == 1 && row[0].type == DBLOCK_INT)
		*(int64_t *)arg = row[0].i;
	return 0;
}

static bool is_answered(struct dblock_client *client, const char *sql, int64_t *answer)
{
	struct dblock_tx *tx = NULL;
	int rc = dblock_tx_open(client, &tx, NULL);

	if (rc == 0)
		rc = dblock_tx_query(tx, sql, NULL, 0, NULL, keep_int, answer, NULL);
	dblock_tx_close(tx);
	return rc == 0;
}

int64_t scene_ask(const struct scene *s, int database, const char *sql)
{
	int64_t answer = -1;

	wait_until(is_answered(s->clients[database], sql, &answer));
	return answer;
}

static bool is_listed(struct dblock_client *client, int64_t *n)
{
	struct dbl_request request = {.op = DBL_OP_branch_list};
	struct dblock_tx *tx = NULL;
	int rc = dblock_tx_open(client, &tx, NULL);

	if (rc == 0) {
		request.deadline = dbl_tx_deadline(tx);
		rc = dbl_db_run(tx->db, &request, NULL);
	}
	dblock_tx_close(tx);
	*n = request.rows;
	return rc == 0;
}

int64_t scene_prepared(const struct scene *s, int database)
{
	int64_t n;

	wait_until(is_listed(s->clients[database], &n));
	return n;
}

static int count_told(void *arg, const struct dblock_recovery *found)
{
	struct scene *s = arg;

	s->told[found->outcome]++;
	snprintf(s->text, sizeof(s->text), "%s", found->text);
	return 0;
}

bool scene_recovers(struct scene *s)
{
	struct dblock_recover_options options = DBLOCK_RECOVER_OPTIONS_INIT;
	struct dblock_error err = {0};
	int rc;

	options.grace_ms = 1;
	memset(s->told, 0, sizeof(s->told));
	s->text[0] = '\0';
	rc = dblock_recover(s->clients, (size_t)s->n, &options, count_told, s, &err);
	if (s->told[DBLOCK_RECOVERED_IN_DOUBT])
		fail_msg("in doubt: %s", s->text);
	return rc == 0 && s->told[DBLOCK_RECOVERED_NOT_YET] == 0;
}

void scene_wipe(const struct scene *s)
{
	for (int i = 0; i < s->n; i++) {
		scene_ask(s, i, "DELETE FROM part");
		scene_ask(s, i, i ? "DELETE FROM dblock_branch" : "DELETE FROM dblock_decision");
	}
}

static const char *wrong_at(const struct scene *s, int i, int64_t rows)
{
	static char text[200];
	const char *noted = i ? "SELECT count(*) FROM dblock_branch"
			      : "SELECT count(*) FROM dblock_decision WHERE state = 1";
	int64_t here = scene_ask(s, i, "SELECT count(*) FROM part");

	if (here != rows)
		snprintf(text, sizeof(text), "%lld rows in the home, %lld in branch %d",
			 (long long)rows, (long long)here, i);
	else if (scene_prepared(s, i))
		snprintf(text, sizeof(text), "there is something prepared in database %d", i);
	else if (scene_ask(s, i, noted))
		snprintf(text, sizeof(text), "a %s is left", i ? "mark" : "decision");
	else
		return NULL;
	return text;
}

const char *scene_wrong(const struct scene *s, int status)
{
	int64_t rows = scene_ask(s, 0, "SELECT count(*) FROM part");
	const char *wrong = NULL;

	for (int i = 0; i < s->n && !wrong; i++)
		wrong = wrong_at(s, i, rows);
	if (wrong || !WIFEXITED(status))
		return wrong;
	if (WEXITSTATUS(status) == PART_DONE && rows != 1)
		return "it said that it was committed";
	if (WEXITSTATUS(status) == PART_NOT && rows != 0)
		return "it said that it was not committed";
	return WEXITSTATUS(status) == PART_FAILED ? "it could not begin" : NULL;
}
