/* SPDX-License-Identifier: MIT */
/* A table with the trigger of `dblock migrate new --fence`, made and applied by the program, and
 * rows that carry grants. The tests put in by hand what dblock_fence() leaves in the transaction.
 */
#ifndef TESTS_DB_FENCE_SCENE_H
#define TESTS_DB_FENCE_SCENE_H

#include "db/driver/driver_kit.h"
#include "db/lock/tx/fence_table.h"

/* The lock 'account' has its own row, and one in its queue. A line is a fence: name, token, nonce,
 * ticket. */
#define GRANT    "account\t5\t7\t0\n"
#define OTHER    "other\t5\t7\t0\n"
#define OLDER    "account\t4\t7\t0\n"
#define QUEUE    "account\t6\t8\t9\n"
#define WRITE    "UPDATE fenced SET n = n + 1"
#define OF_LOCK  "dblock_lock WHERE name = 'account'"
#define OF_QUEUE "dblock_queue WHERE ticket = 9"
#define TAKEOVER "UPDATE dblock_lock SET token = token + 1, nonce = 77 WHERE name = 'account'"
#define LEAVING  "DELETE FROM " OF_QUEUE

static inline bool on_mysql(void)
{
	return strcmp(this_backend()->name, "mysql") == 0;
}

/* ---- what is put there by hand -------------------------------------------------------------- */

static inline void set_fences(struct world *w, const char *entries)
{
	char sql[256];

	snprintf(sql, sizeof(sql),
		 on_mysql() ? "SET @dblock_fence = '%s'"
			    : "SELECT set_config('dblock.fence', '%s', true)",
		 entries);
	exec(w, w->conn, sql);
}

/* Begins a transaction that has fenced these grants. */
static inline void begin(struct world *w, const char *entries)
{
	exec(w, w->conn, "BEGIN");
	set_fences(w, entries);
}

static inline void passes(struct world *w, const char *entries, const char *sql)
{
	begin(w, entries);
	exec(w, w->conn, sql);
	exec(w, w->conn, "ROLLBACK");
}

static inline void says(const struct world *w, const char *part)
{
	if (!strstr(w->err.message, part))
		fail_msg("no '%s' in '%s'", part, w->err.message);
}

/* The trigger must refuse the statement, and do nothing else, with these words. */
static inline void is_refused(struct world *w, const char *sql, const char *state,
			      const char *words)
{
	must_fail(w, try_exec(w, w->conn, sql), DBLOCK_E_BUG);
	assert_string_equal(w->err.sqlstate, on_mysql() ? "45000" : state);
	says(w, "dblock: ");
	says(w, words);
	says(w, "fenced");
	says(w, "account");
	exec(w, w->conn, "ROLLBACK");
}

static inline void is_missing(struct world *w, const char *entries, const char *sql)
{
	begin(w, entries);
	is_refused(w, sql, "LF001", "call dblock_fence()");
}

static inline void is_stale(struct world *w, const char *entries)
{
	begin(w, entries);
	is_refused(w, WRITE, "LF002", "stale");
}

/* Makes one grant in the lock's own row, token 5 and nonce 7, and one in its queue, ticket 9. */
static inline int set_up_scene(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	w->backend = this_backend();
	w->driver = this_driver();
	w->conn = connect_db(w);
	w->other = connect_db(w);
	exec(w, w->other, w->backend->lock_setup);
	exec(w, w->other, "DELETE FROM dblock_lock");
	exec(w, w->other, "DELETE FROM dblock_queue");
	exec(w, w->other,
	     "INSERT INTO dblock_lock (name, token, nonce, host, pid, thread, reentry, acquired) "
	     "VALUES ('account', 5, 7, 'h', 1, 1, 1, 1), ('other', 5, 7, 'h', 1, 1, 1, 1)");
	exec(w, w->other,
	     "INSERT INTO dblock_queue (name, ticket, nonce, session, thread, bell, since, token) "
	     "VALUES ('account', 9, 8, 's', 1, '', 1, 6), ('account', 10, 9, 's', 1, '', 1, NULL)");
	/* Most programs have rows like this. */
	exec(w, w->conn,
	     on_mysql() ? "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ"
			: "SET default_transaction_isolation = 'read committed'");
	begin(w, GRANT);
	exec(w, w->conn, "DELETE FROM fenced");
	exec(w, w->conn, "INSERT INTO fenced VALUES (1, 0)");
	exec(w, w->conn, "COMMIT");
	*state = w;
	return 0;
}

static inline int tear_down_scene(void **state)
{
	struct world *w = *state;

	w->driver->close(w->conn);
	w->driver->close(w->other);
	free(w);
	return 0;
}

#endif
