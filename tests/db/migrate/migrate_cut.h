/* SPDX-License-Identifier: MIT */
/* A driver that cuts the connection at one round trip, before or after the database has done what
 * was asked. */
#ifndef TESTS_DB_MIGRATE_CUT_H
#define TESTS_DB_MIGRATE_CUT_H

#include "db/migrate/migrate_kit.h"

enum fault {
	LOST_REQUEST, /* not sent: the connection is gone, the next one works */
	LOST_REPLY,   /* done, but the answer does not arrive; the next connection works */
	DEATH,        /* done, and then the process dies, as if before the next one */
	LOST_ON_WAY,  /* sent, but it does not arrive, and nobody here knows; the next one works */
};

/* The driver in between counts round trips, and cuts one. Tests run one after another. */
static struct {
	const struct dbl_driver *real;
	enum fault fault;
	unsigned left; /* round trips until the fault, which strikes at 1 */
	bool struck;
} cut;

static inline bool strikes(void)
{
	if (cut.left == 0 || --cut.left > 0)
		return false;
	return cut.struck = true;
}

static inline bool arrives(void)
{
	return cut.fault != LOST_REQUEST && cut.fault != LOST_ON_WAY;
}

static inline bool is_dead(void)
{
	return cut.struck && cut.fault == DEATH;
}

/* The dead do not try again, so this outcome ends the call. */
static inline int dead(struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_E_NOMEM, "dead");
}

static inline int lose(struct dbl_conn *conn, bool maybe_done, struct dblock_error *err)
{
	conn->broken = true;
	if (is_dead())
		return dead(err);
	return dbl_fail(err, maybe_done ? DBLOCK_E_UNSURE : DBLOCK_E_UNAVAILABLE, "cut");
}

static inline int cut_open(struct dbl_conn **conn, const struct dbl_url *url,
			   const struct dbl_env *env, int64_t deadline, struct dblock_error *err)
{
	*conn = NULL;
	return is_dead() ? dead(err) : cut.real->open(conn, url, env, deadline, err);
}

static inline void cut_close(struct dbl_conn *conn)
{
	cut.real->close(conn);
}

static inline int cut_exec(struct dbl_conn *conn, const char *sql, struct dblock_error *err)
{
	bool now = strikes();
	int rc;

	if (is_dead() && !now)
		return dead(err);
	if (now && !arrives())
		return lose(conn, cut.fault == LOST_ON_WAY, err);
	rc = cut.real->exec(conn, sql, err);
	return now ? lose(conn, true, err) : rc;
}

static inline int cut_prepare(struct dbl_conn *conn, const char *sql, struct dbl_stmt **stmt,
			      struct dblock_error *err)
{
	return is_dead() ? dead(err) : cut.real->prepare(conn, sql, stmt, err);
}

static inline int cut_run(struct dbl_stmt *stmt, const struct dbl_value *args, unsigned n,
			  int64_t *changed, struct dblock_error *err)
{
	struct dbl_conn *conn = stmt->conn;
	bool now = strikes();
	int rc;

	if (is_dead() && !now)
		return dead(err);
	if (now && !arrives())
		return lose(conn, cut.fault == LOST_ON_WAY && !stmt->reads, err);
	rc = cut.real->run(stmt, args, n, changed, err);
	return now ? lose(conn, !stmt->reads, err) : rc;
}

static inline int cut_next(struct dbl_stmt *stmt, struct dbl_value *row, unsigned n,
			   struct dblock_error *err)
{
	return is_dead() ? dead(err) : cut.real->next(stmt, row, n, err);
}

static const struct dbl_driver cutting = {
	.name = "cutting",
	.open = cut_open,
	.close = cut_close,
	.exec = cut_exec,
	.prepare = cut_prepare,
	.run = cut_run,
	.next = cut_next,
};

static inline const struct dbl_driver *put_between(void *ctx, const struct dbl_driver *real)
{
	(void)ctx;
	cut.real = real;
	return &cutting;
}

/* Cuts the at-th round trip from now on. */
static inline void cut_at(enum fault fault, unsigned at)
{
	cut.fault = fault;
	cut.left = at;
	cut.struck = false;
}

#endif
