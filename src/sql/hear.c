/* SPDX-License-Identifier: MIT */
/* Channels. Their names are put into the statements, not bound: LISTEN takes no arguments, and on
 * MySQL a sleeping connection is found by its statement's text. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "sql/own.h"

bool dbl_db_is_channel(const char *text)
{
	return strlen(text) == 32 && strspn(text, "0123456789abcdef") == 32;
}

static int make_text(const struct dbl_db *db, const char *channel, int64_t us, char **sql,
		     struct dblock_error *err)
{
	const char *text = db->head.target->dialect->sql[DBL_OP_doorbell];
	char ms[24];
	const struct dbl_word words[] = {{"{channel}", channel}, {"{ms}", ms}, {NULL, NULL}};

	if (!dbl_db_is_channel(channel))
		return dbl_fail(err, DBLOCK_E_BUG, "'%.80s' is no channel", channel);
	snprintf(ms, sizeof(ms), "%" PRId64, us / 1000);
	*sql = dbl_words_put(text, strlen(text), words);
	return *sql ? 0 : dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
}

bool dbl_db_hears(const struct dbl_target *target)
{
	return target->driver->wait != NULL;
}

bool dbl_db_listens(const struct dbl_target *target)
{
	return dbl_db_hears(target) && !*dbl_target_past_pool(target)->pooled;
}

int dbl_db_listen(struct dbl_db *db, const char *channel, int64_t deadline,
		  struct dblock_error *err)
{
	char *sql;
	int rc;

	if (db->head.target->dialect->sleeps)
		return 0;
	if (dbl_db_pooled(db))
		return dbl_fail(err, DBLOCK_E_INVALID,
				"%s: a pooler gives what is said on a channel to somebody else",
				db->head.target->url.shown);
	rc = make_text(db, channel, 0, &sql, err);
	if (rc)
		return rc;
	rc = dbl_db_send(db, sql, deadline, err);
	dbl_free(sql);
	return rc;
}

int dbl_db_hear(struct dbl_db *db, const char *channel, int64_t us, int64_t grace, int stop,
		const char **said, struct dblock_error *err)
{
	bool sleeps = db->head.target->dialect->sleeps;
	char *sql = NULL;
	int rc = sleeps ? make_text(db, channel, us, &sql, err) : 0;

	if (rc)
		return rc;
	db->head.conn->deadline = dbl_now(db->head.target->env) + us + (sleeps ? grace : 0);
	rc = db->head.target->driver->wait(db->head.conn, sql, stop, said, err);
	if (rc < 0)
		dbl_url_hide(&db->head.target->url, err);
	dbl_free(sql);
	return rc;
}
