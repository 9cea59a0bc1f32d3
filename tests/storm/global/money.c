/* SPDX-License-Identifier: MIT */
/* Processes move money between accounts of two databases, in transactions over both, while they are killed, stopped and
 * cut off, and servers die; each of them recovers, too. No money comes or goes; where the same processes move some in
 * two transactions, one after the other, it does. */
#include "storm/global/money.h"

#include "storm/crowd.h"
#include "storm/global/scene.h"
#include "storm/global/tests.h"
#include "support/several.h"
#include "support/waiting.h"

enum { SIDES = 2, GUSTS_MAX = 10, MOVES_ENOUGH = 50, IDS_MAX = 1000000, SECONDS = 4 };

/* What goes wrong comes so many times as fast as in other storms, as a transaction takes some ms only. */
enum { PACE = 3 };

struct ids {
	int64_t *list;
	size_t n;
};

struct money {
	struct scene scene;
	struct crowd crowd;
	int64_t length_ms;
	int gusts, first; /* client */
	/* By recoveries: those of this process, and all. */
	int told_here[DBLOCK_RECOVERED_IN_DOUBT + 1], told[DBLOCK_RECOVERED_IN_DOUBT + 1];
	int moves, unsure;
};

/* ---- the databases --------------------------------------------------------------------------- */

static void make_table(const struct money *m, int side, const char *name)
{
	char sql[200];

	snprintf(sql, sizeof(sql), "DROP TABLE IF EXISTS %s", name);
	scene_ask(&m->scene, side, sql);
	snprintf(sql, sizeof(sql), "CREATE TABLE %s (id BIGINT PRIMARY KEY, money BIGINT)", name);
	scene_ask(&m->scene, side, sql);
	for (int i = 1; i <= ACCOUNTS; i++) {
		snprintf(sql, sizeof(sql), "INSERT INTO %s VALUES (%d, %d)", name, i, MONEY);
		scene_ask(&m->scene, side, sql);
	}
}

static void make_tables(const struct money *m)
{
	for (int i = 0; i < SIDES; i++) {
		make_table(m, i, "account");
		make_table(m, i, "plain");
		scene_ask(&m->scene, i, "DROP TABLE IF EXISTS moved");
		scene_ask(&m->scene, i, "CREATE TABLE moved (id BIGINT PRIMARY KEY)");
	}
}

static void read_all(const struct money *m, int side, const char *sql,
		     int (*row)(void *, const struct dblock_value *, size_t), void *arg)
{
	struct dblock_error err = {0};
	struct dblock_tx *tx;

	expect(OK, dblock_tx_open(m->scene.clients[side], &tx, &err));
	expect(OK, dblock_tx_query(tx, sql, NULL, 0, NULL, row, arg, &err));
	dblock_tx_close(tx);
}

static int add_money(void *arg, const struct dblock_value *row, size_t n)
{
	assert_true(n == 1 && row[0].type == DBLOCK_INT);
	*(int64_t *)arg += row[0].i;
	return 0;
}

/* PostgreSQL's own sum() is no integer, and MySQL has another word for one. */
static int64_t too_much(const struct money *m, const char *table)
{
	int64_t all = 0;
	char sql[100];

	snprintf(sql, sizeof(sql), "SELECT money FROM %s", table);
	for (int i = 0; i < SIDES; i++)
		read_all(m, i, sql, add_money, &all);
	return all - SIDES * ACCOUNTS * MONEY;
}

static int add_id(void *arg, const struct dblock_value *row, size_t n)
{
	struct ids *ids = arg;

	assert_true(n == 1 && ids->n < IDS_MAX);
	ids->list[ids->n++] = row[0].i;
	return 0;
}

static struct ids read_ids(const struct money *m, int side)
{
	struct ids ids = {.list = calloc(IDS_MAX, sizeof(*ids.list))};

	read_all(m, side, "SELECT id FROM moved ORDER BY id", add_id, &ids);
	return ids;
}

/* ---- what was said --------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
	const int64_t *one = a, *other = b;

	return (*one > *other) - (*one < *other);
}

static void check_said(struct money *m, const struct said *said, const struct ids *ids)
{
	bool moved;

	if (said->id == 0) {
		m->told[said->outcome]++;
		return;
	}
	moved = bsearch(&said->id, ids->list, ids->n, sizeof(*ids->list), by_number);
	m->unsure += said->outcome == PART_UNSURE;
	if (said->outcome == PART_DONE && !moved)
		fail_msg("move %lld is lost", (long long)said->id);
	if (said->outcome == PART_NOT && moved)
		fail_msg("move %lld was made, though it failed", (long long)said->id);
}

static void check_all_said(struct money *m, const struct ids *ids)
{
	struct said said;
	FILE *file;

	memcpy(m->told, m->told_here, sizeof(m->told));
	m->unsure = 0;
	for (int client = m->first; client <= m->crowd.clients; client++) {
		file = fopen(said_path(client), "r");
		while (file && fread(&said, sizeof(said), 1, file) == 1)
			check_said(m, &said, ids);
		if (file)
			fclose(file);
	}
	assert_int_equal(m->told[DBLOCK_RECOVERED_IN_DOUBT], 0);
}

static void check_moves(struct money *m)
{
	struct ids ids[SIDES] = {read_ids(m, 0), read_ids(m, 1)};

	assert_int_equal(ids[0].n, ids[1].n);
	assert_memory_equal(ids[0].list, ids[1].list, IDS_MAX * sizeof(int64_t));
	m->moves = (int)ids[0].n;
	check_all_said(m, &ids[0]);
	free(ids[0].list);
	free(ids[1].list);
}

/* ---- the storm ------------------------------------------------------------------------------- */

static void restart_server(struct money *m)
{
	int side = m->crowd.faults[FAULT_RESTART]++ % SIDES;

	if (m->scene.places[side] == SQLITE)
		side = !side;
	several_signal((int)m->scene.places[side], SIGKILL);
	several_restart((int)m->scene.places[side]);
}

/* Each gust has less of it than the one before: so there is time to move some. What ends a fault always comes. */
static bool is_left_out(const struct money *m, enum fault_kind kind, int i)
{
	return kind != FAULT_CONT && kind != FAULT_JOIN && i % m->gusts != 0;
}

static void blow(struct money *m)
{
	static struct fault faults[FAULTS_MAX];
	int n = schedule_make(faults, m->crowd.seed + (uint64_t)m->gusts++, PACE * m->length_ms,
			      true);
	int64_t begun_ms = clock_ms();

	m->crowd.until = (begun_ms + m->length_ms) * 1000;
	crowd_start(&m->crowd);
	for (int i = 0; i < n; i++) {
		int64_t wait_ms = begun_ms + faults[i].at_ms / PACE - clock_ms();

		if (is_left_out(m, faults[i].kind, i))
			continue;
		if (wait_ms > 0)
			sleep_ms(wait_ms);
		if (faults[i].kind == FAULT_RESTART)
			restart_server(m);
		else
			crowd_strike(&m->crowd, &faults[i]);
	}
	crowd_relieve(&m->crowd);
	assert_int_equal(crowd_end(&m->crowd), 0);
}

static void expect_nothing_left(const struct money *m)
{
	for (int i = 0; i < SIDES; i++) {
		assert_int_equal(scene_prepared(&m->scene, i), 0);
		assert_int_equal(scene_ask(&m->scene, i, "SELECT count(*) FROM dblock_branch"), 0);
		assert_int_equal(scene_ask(&m->scene, i,
					   "SELECT count(*) FROM dblock_decision "
					   "WHERE state = 1"),
				 0);
	}
}

static bool is_recovered(struct money *m)
{
	bool yes = scene_recovers(&m->scene);

	for (int i = 0; i <= DBLOCK_RECOVERED_IN_DOUBT; i++)
		m->told_here[i] += m->scene.told[i];
	return yes;
}

static void calm_down(struct money *m)
{
	wait_until(is_recovered(m));
	assert_int_equal(too_much(m, "account"), 0);
	check_moves(m);
	expect_nothing_left(m);
	print_message("%s and %s: %d moves, %d unsure; recovered: %d committed, %d rolled back, %d "
		      "not yet; moved plainly: %lld too much\n",
		      place_name(m->scene.places[0]), place_name(m->scene.places[1]), m->moves,
		      m->unsure, m->told[DBLOCK_RECOVERED_COMMITTED],
		      m->told[DBLOCK_RECOVERED_ROLLED_BACK], m->told[DBLOCK_RECOVERED_NOT_YET],
		      (long long)too_much(m, "plain"));
}

/* Has all happened that is left to chance? */
static bool is_enough(const struct money *m)
{
	for (int i = 0; i < FAULT_KINDS; i++)
		if (m->crowd.faults[i] == 0)
			return false;
	/* A file is one process's at a time: who is struck then has seldom prepared something. */
	return m->moves >= MOVES_ENOUGH && too_much(m, "plain") != 0 &&
	       (m->scene.places[0] == SQLITE || m->told[DBLOCK_RECOVERED_COMMITTED] > 0 ||
		m->told[DBLOCK_RECOVERED_ROLLED_BACK] > 0);
}

static void move_money(enum place first, enum place second, int clients)
{
	static struct money m;
	const enum place places[] = {first, second};
	const char *urls[SIDES];
	bool is_file = first == SQLITE;

	m = (struct money){
		.length_ms = SLOWLY_MS(1000 * (int64_t)number_of("DBLOCK_STORM_SECONDS", SECONDS))};
	scene_open(&m.scene, places, SIDES, PLENTY_MS);
	make_tables(&m);
	for (int i = is_file; i < SIDES; i++)
		urls[i - is_file] = m.scene.urls[i];
	if (is_file)
		setenv(MONEY_FIRST, m.scene.urls[0], 1);
	crowd_open(&m.crowd, urls, SIDES - is_file);
	m.crowd.clients = clients;
	m.first = clients + 1;
	m.crowd.seed = tests_seed();
	do {
		blow(&m);
		calm_down(&m);
	} while (!is_enough(&m) && m.gusts < GUSTS_MAX);
	assert_true(is_enough(&m));
	unsetenv(MONEY_FIRST);
	crowd_close(&m.crowd);
	scene_close(&m.scene);
}

/* The normal run takes one of the two. */
static bool is_played(unsigned which)
{
	return getenv("DBLOCK_STORM_SECONDS") || tests_seed() / 2 % 2 == which;
}

void money_between_servers(void **state)
{
	(void)state;
	if (is_played(0))
		move_money(POSTGRESQL, MARIADB, 0);
}

/* No process has a number that one of the former had. */
void money_from_a_file(void **state)
{
	enum { MORE = 100000 };

	(void)state;
	if (is_played(1))
		move_money(SQLITE, tests_seed() % SQLITE, MORE);
}
