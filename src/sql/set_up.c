/* SPDX-License-Identifier: MIT */
/*
 * The settings of a new connection. A connection that is ours alone has them until it is closed.
 * Where a pooler gives the server's end to others between two of our transactions, nothing may stay
 * on it, and nothing that is there counts: each transaction of ours begins with all settings, until
 * its end, and each statement is in one (struct dbl_frame). The caller's transactions begin with the
 * session's own settings; the caller's statements outside of them find what there is.
 *
 * A pooler is found by the number of the server's process: it tells clients one that it has made up.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "sql/own.h"

/* Put words and names into the text of a script of one statement. */
static char *make_text(const struct dbl_db *db, enum dbl_op op, const struct dbl_word *words)
{
	const char *text = db->head.target->dialect->sql[op];
	char *with_words = dbl_words_put(text, strlen(text), words);
	char *sql = with_words ? dbl_names_apply(&db->head.target->names, with_words) : NULL;

	dbl_free(with_words);
	return sql;
}

static int no_memory(struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
}

/* ---- behind a pooler ------------------------------------------------------------------------- */

/* Put the frame around what is sent from now on; begin NULL: only around transactions. Takes the
 * texts, which may be missing. */
static int put_frame(struct dbl_db *db, char *begin, char *settings, struct dblock_error *err)
{
	dbl_free(db->frame_texts[0]);
	dbl_free(db->frame_texts[1]);
	db->frame_texts[0] = begin;
	db->frame_texts[1] = settings;
	if (!settings)
		return no_memory(err);
	db->frame = (struct dbl_frame){.begin = begin,
				       .settings = settings,
				       .commit = db->head.target->dialect->sql[DBL_OP_tx_commit]};
	db->head.conn->frame = &db->frame;
	db->head.conn->backend = 0; /* nobody may end the server's process */
	return 0;
}

int dbl_db_frame(struct dbl_db *db, enum dblock_durability durability, struct dblock_error *err)
{
	static const struct dbl_word access[] = {
		{":isolation", "READ COMMITTED"}, {":access", "WRITE"}, {NULL, NULL}};
	static const struct dbl_word words[][3] = {
		[DBLOCK_DURABLE] = {{"{too_low}", "off local"}, {"{commit}", "on"}, {NULL, NULL}},
		[DBLOCK_RELAXED] = {{"{too_low}", "on local remote_write remote_apply"},
				    {"{commit}", "off"},
				    {NULL, NULL}},
		[DBLOCK_REMOTE] = {{"{too_low}", "off local remote_write"},
				   {"{commit}", "on"},
				   {NULL, NULL}},
	};
	char *begin = make_text(db, DBL_OP_tx_start, access);

	return begin ? put_frame(db, begin, make_text(db, DBL_OP_setup_local, words[durability]),
				 err)
		     : no_memory(err);
}

static bool is_refused_there(const struct dblock_error *err)
{
	return err && strstr(err->message, "statement pooling mode");
}

/* See that the pooler allows transactions. */
static int try_frame(struct dbl_db *db, int64_t deadline, struct dblock_error *err)
{
	int rc = dbl_db_begin(db, deadline, err);

	rc = rc ? rc : dbl_db_end(db, 0, deadline, err);
	if (!rc || !is_refused_there(err))
		return rc;
	return dbl_fail(err, DBLOCK_E_INVALID,
			"%s: the pooler is in statement mode, which has no transactions; set "
			"pool_mode = transaction for this database, or name the server itself",
			db->head.target->url.shown);
}

static int set_up_pooled(struct dbl_db *db, int64_t deadline, struct dblock_error *err)
{
	int rc = dbl_db_frame(db, DBLOCK_DURABLE, err);

	*db->head.target->pooled = true;
	return rc ? rc : try_frame(db, deadline, err);
}

int dbl_db_set_up_plain(struct dbl_db *db, int64_t deadline, struct dblock_error *err)
{
	static const struct dbl_word none[] = {{NULL, NULL}};
	const struct dbl_target *target = db->head.target;

	if (!target->dialect->pools && !target->dialect->is_file)
		return dbl_db_script(db, DBL_OP_setup_autocommit, deadline, err);
	if (!*target->pooled)
		return 0;
	return put_frame(db, NULL, make_text(db, DBL_OP_setup_plain, none), err);
}

/* ---- any connection -------------------------------------------------------------------------- */

/* Run a statement that gives a row for each setting. It is freed with its connection. */
static int run_setup(struct dbl_db *db, const char *sql, bool *set, struct dblock_error *err)
{
	const struct dbl_driver *driver = db->head.target->driver;
	struct dbl_value row;
	struct dbl_stmt *stmt;
	int64_t ignored;
	int rc = driver->prepare(db->head.conn, sql, &stmt, err);

	if (rc)
		return rc;
	stmt->reads = stmt->passing = true;
	rc = driver->run(stmt, NULL, 0, &ignored, err);
	if (rc == 0)
		rc = driver->next(stmt, &row, 1, err);
	*set = rc > 0;
	return rc < 0 ? rc : 0;
}

/* A limit on time may be somebody else's, whose session it was: the next one is another, or faster. */
static bool may_be_theirs(const struct dbl_db *db, int rc, int64_t deadline)
{
	return rc == DBLOCK_E_NO_ANSWER && !dbl_db_broken(db) &&
	       dbl_now(db->head.target->env) < deadline;
}

/* Set all, unless another process is at the other end than the one that we were told of. */
static int set_up_own(struct dbl_db *db, int64_t deadline, bool *set, struct dblock_error *err)
{
	char process[32] = "pg_catalog.pg_backend_pid()";
	const struct dbl_word words[] = {{"{process}", process}, {NULL, NULL}};
	char *sql;
	int rc;

	if (db->head.target->pool_mode == DBL_POOL_UNSAID && dbl_db_backend(db) != 0)
		snprintf(process, sizeof(process), "%" PRId64, dbl_db_backend(db));
	sql = make_text(db, DBL_OP_setup, words);
	if (!sql)
		return no_memory(err);
	db->head.conn->deadline = deadline;
	do
		rc = run_setup(db, sql, set, err);
	while (may_be_theirs(db, rc, deadline));
	dbl_free(sql);
	if (rc)
		dbl_err_prefix(err, "%s", dbl_ops[DBL_OP_setup].name);
	return rc;
}

int dbl_db_set_up(struct dbl_db *db, int64_t deadline, struct dblock_error *err)
{
	const struct dbl_target *target = db->head.target;
	bool set = false;
	int rc = 0;

	if (target->pool_mode != DBL_POOL_TRANSACTION)
		rc = set_up_own(db, deadline, &set, err);
	return rc || set ? rc : set_up_pooled(db, deadline, err);
}
