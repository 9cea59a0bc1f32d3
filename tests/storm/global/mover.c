/* SPDX-License-Identifier: MIT */
#include "storm/global/money.h"

#include <dblock/global.h>

#include <fcntl.h>

#include "history/event.h"
#include "sim/random.h"
#include "storm/global/part.h"
#include "storm/storm.h"
#include "support/kit.h"

/* However slow the machine is: a move may fail, and whose server is silent has the file of all for so long. */
enum { TIMEOUT_MS = 1000 };

enum { RECOVER_EACH_MS = 300, SIDES = 2 };

struct mover {
	struct dblock_client *clients[SIDES];
	bool is_file; /* the first one: so it is always the home */
	struct rng rng;
	int64_t until, id, recovered_ms;
	int said;
};

/* One move, or a half of a plain one. */
struct move {
	int64_t id, amount[SIDES], account[SIDES];
};

const char *said_path(int client)
{
	static char path[1100];

	snprintf(path, sizeof(path), "%s/said.%d", storm_folder(), client);
	return path;
}

static void say(struct mover *m, int64_t id, int64_t outcome)
{
	const struct said said = {id, outcome};

	if (write(m->said, &said, sizeof(said)) != sizeof(said))
		abort();
}

static struct move draw(struct mover *m)
{
	struct move move = {.id = ++m->id};

	move.amount[0] = rng_between(&m->rng, -50, 50);
	move.amount[1] = -move.amount[0];
	for (int i = 0; i < SIDES; i++)
		move.account[i] = rng_between(&m->rng, 1, ACCOUNTS);
	return move;
}

static int change(struct dblock_tx *tx, const char *sql, const struct move *move, int side)
{
	const struct dblock_value values[] = {dblock_int(move->amount[side]),
					      dblock_int(move->account[side])};

	return dblock_tx_query(tx, sql, values, 2, NULL, NULL, NULL, NULL);
}

/* ---- in one transaction ---------------------------------------------------------------------- */

static int note(struct dblock_tx *tx, const struct move *move)
{
	const struct dblock_value id = dblock_int(move->id);

	return dblock_tx_query(tx, "INSERT INTO moved (id) VALUES ($1)", &id, 1, NULL, NULL, NULL,
			       NULL);
}

static int begin(struct mover *m, struct dblock_tx *txs[], struct dblock_global **global)
{
	int home = m->is_file ? 0 : (int)rng_between(&m->rng, 0, 1), rc = 0;

	for (int i = 0; i < SIDES && rc == 0; i++)
		rc = dblock_tx_open(m->clients[i], &txs[i], NULL);
	if (rc == 0)
		rc = dblock_global_begin(txs[home], global, NULL);
	return rc ? rc : dblock_global_join(*global, txs[!home], NULL);
}

static void move_at_once(struct mover *m)
{
	static const char sql[] = "UPDATE account SET money = money + $1 WHERE id = $2";
	struct dblock_tx *txs[SIDES] = {NULL};
	struct dblock_global *global = NULL;
	struct move move = draw(m);
	int rc = begin(m, txs, &global), how = PART_NOT;

	for (int i = 0; i < SIDES && rc == 0; i++) {
		rc = change(txs[i], sql, &move, i);
		if (rc == 0)
			rc = note(txs[i], &move);
	}
	if (rc == 0) {
		rc = dblock_global_commit(global, NULL);
		how = rc == 0 ? PART_DONE : rc == DBLOCK_E_UNSURE ? PART_UNSURE : PART_NOT;
	}
	say(m, move.id, how);
	dblock_global_close(global);
	for (int i = 0; i < SIDES; i++)
		dblock_tx_close(txs[i]);
}

/* ---- and in two ------------------------------------------------------------------------------ */

static int move_plainly_at(struct mover *m, const struct move *move, int side)
{
	static const char sql[] = "UPDATE plain SET money = money + $1 WHERE id = $2";
	struct dblock_tx *tx = NULL;
	int rc = dblock_tx_open(m->clients[side], &tx, NULL);

	if (rc == 0)
		rc = change(tx, sql, move, side);
	dblock_tx_close(tx);
	return rc;
}

static void move_plainly(struct mover *m)
{
	struct move move = draw(m);

	if (move_plainly_at(m, &move, 0) == 0)
		(void)move_plainly_at(m, &move, 1);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int say_found(void *arg, const struct dblock_recovery *found)
{
	say(arg, 0, found->outcome);
	return 0;
}

/* Others are in the middle of it: mostly they are left alone, and sometimes not. */
static void recover(struct mover *m)
{
	struct dblock_recover_options options = DBLOCK_RECOVER_OPTIONS_INIT;

	if (clock_ms() < m->recovered_ms + RECOVER_EACH_MS)
		return;
	options.grace_ms = rng_one_in(&m->rng, 5) ? 1 : SLOWLY_MS(TIMEOUT_MS);
	(void)dblock_recover(m->clients, SIDES, &options, say_found, m, NULL);
	m->recovered_ms = clock_ms();
}

/* A server may be away at this moment. */
static bool open_clients(struct mover *m, const char *const urls[])
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.timeout_ms = TIMEOUT_MS;
	options.ttl_ms = DBLOCK_TTL_MAX_MS;
	options.alive_fd = -1; /* who is killed leaves no file */
	for (int i = 0; i < SIDES; i++) {
		while (dblock_open(urls[i], &options, &m->clients[i], NULL)) {
			if (event_now() > m->until)
				return false;
			sleep_ms(50);
		}
	}
	return true;
}

int mover_run(int client, uint64_t seed, int64_t until)
{
	struct mover m = {.rng = {.state = seed}, .until = until, .id = client * 1000000LL};
	const char *urls[SIDES] = {getenv(MONEY_FIRST)};
	char *text = strdup(test_url());

	m.is_file = urls[0] != NULL;
	for (int i = m.is_file; i < SIDES; i++)
		urls[i] = strtok(i == m.is_file ? text : NULL, " ");
	m.said = open(said_path(client), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	m.recovered_ms = clock_ms();
	if (m.said < 0 || !open_clients(&m, urls))
		return m.said < 0;
	while (event_now() < until) {
		move_at_once(&m);
		move_plainly(&m);
		recover(&m);
	}
	for (int i = 0; i < SIDES; i++)
		(void)(dblock_close)(m.clients[i], NULL);
	return 0;
}
