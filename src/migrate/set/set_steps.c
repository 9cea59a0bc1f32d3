/* SPDX-License-Identifier: MIT */
/*
 * Checks the statements of a text, and finds whether they are one transaction.
 *
 *   PRAGMA foreign_keys = OFF;   SQLite: it runs before the engine's BEGIN, and is allowed only
 *                                here, as it silently does nothing inside a transaction
 *   BEGIN;                       is left out with the COMMIT at the end: the engine has its own
 *   ...
 *   COMMIT;                      from here on nothing is run
 *   PRAGMA foreign_keys = ON;    the engine sets it back by itself
 *
 *   LOCK TABLES a WRITE;         of mysqldump, is left out with the UNLOCK TABLES: under it nobody
 *   INSERT ...;                  could write how far the file came, and the rows want no lock
 *   UNLOCK TABLES;
 */
#include <stdio.h>
#include <string.h>

#include "migrate/parse/split.h"
#include "migrate/set/set_own.h"

enum { PHRASE = 40 };

struct walk {
	const struct dbl_dialect *dialect;
	struct dbl_script *script;
	struct dbl_statement lock;  /* the LOCK TABLES that is in force; text NULL: none */
	struct dbl_statement begin; /* the outer BEGIN; text NULL: there is none */
	struct dbl_statement
		alone; /* the first that cannot be in a transaction, and is to be; likewise */
	bool body;     /* an ordinary statement has come */
	bool commits;  /* a statement has come that commits by itself */
	struct dbl_statement
		tail;   /* the first statement at the end that is not run; text NULL: none */
	bool committed; /* COMMIT is in the tail */
	struct dbl_statement last; /* of those that are run */
	struct dbl_spool index;
};

static bool is(const struct walk *walk, const char *dialect)
{
	return strcmp(walk->dialect->name, dialect) == 0;
}

/* Writes the beginning of a statement in small letters, with one blank between words. */
static void phrase_of(const struct dbl_statement *statement, char phrase[PHRASE])
{
	size_t n = 0;

	for (size_t i = 0; i < statement->len && n < PHRASE - 1; i++) {
		char c = statement->text[i];

		if (c == '\t' || c == '\n')
			c = ' ';
		if (c != ' ' || (n > 0 && phrase[n - 1] != ' '))
			phrase[n++] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
	}
	phrase[n] = '\0';
}

/* The list has a line for each phrase, and begins with a line's end, which no phrase has in it. */
static bool is_one_of(const char *phrase, const char *list)
{
	size_t len = strlen(phrase);

	while (len > 0 && (list = strstr(list + 1, phrase)) != NULL) {
		if (list[-1] == '\n' && list[len] == '\n')
			return true;
	}
	return false;
}

/* Whether it is a BEGIN that can be left out: one that sets an isolation level cannot. */
static bool is_begin(const char *phrase)
{
	return is_one_of(phrase, "\nbegin\nbegin work\nbegin transaction\nstart transaction"
				 "\nbegin deferred\nbegin immediate\nbegin exclusive"
				 "\nbegin deferred transaction\nbegin immediate transaction"
				 "\nbegin exclusive transaction\n");
}

static bool is_commit(const char *phrase)
{
	return is_one_of(phrase, "\ncommit\ncommit work\ncommit transaction"
				 "\nend\nend work\nend transaction\n");
}

/* Whether the statement sets or reads foreign_keys of SQLite. */
static bool is_foreign_keys(const struct walk *walk, const char *phrase)
{
	static const char pragma[] = "pragma foreign_keys";

	return is(walk, "sqlite") && strncmp(phrase, pragma, sizeof(pragma) - 1) == 0 &&
	       (phrase[sizeof(pragma) - 1] == '\0' || strchr(" =(", phrase[sizeof(pragma) - 1]));
}

static int refuse(const struct walk *walk, const struct dbl_statement *statement, const char *why,
		  struct dblock_error *err)
{
	char phrase[PHRASE];

	phrase_of(statement, phrase);
	return dbl_fail(err, DBLOCK_E_INVALID, "%s:%zu:%zu: '%s': %s", walk->script->path,
			statement->line, statement->col, phrase, why);
}

/* ---- one statement -------------------------------------------------------------------------- */

static bool is_lock(const struct walk *walk, const char *phrase)
{
	return is(walk, "mysql") &&
	       (strncmp(phrase, "lock table", 10) == 0 || strncmp(phrase, "unlock table", 12) == 0);
}

/* Whether it is what mysqldump writes under a lock. */
static bool fills(const char *phrase)
{
	return strncmp(phrase, "insert ", 7) == 0 || strncmp(phrase, "replace ", 8) == 0 ||
	       strncmp(phrase, "/*!40000 alter table ", 21) == 0;
}

static int refuse_lock(const struct walk *walk, const struct dbl_statement *statement,
		       struct dblock_error *err)
{
	return refuse(walk, statement,
		      "dblock could not note what is done while it holds; leave it out, and what "
		      "unlocks as well (both may stay where nothing but INSERT is between them)",
		      err);
}

static int check_lock(struct walk *walk, const struct dbl_statement *statement, const char *phrase,
		      struct dblock_error *err)
{
	bool unlocks = phrase[0] == 'u';

	if (unlocks != (walk->lock.text != NULL))
		return refuse_lock(walk, statement, err);
	walk->lock = *statement;
	if (unlocks)
		walk->lock.text = NULL;
	return 0;
}

static int check_control(struct walk *walk, const struct dbl_statement *statement,
			 const char *phrase, struct dblock_error *err)
{
	static const char stray[] =
		"dblock begins and ends the transaction itself; leave it out (only BEGIN as first "
		"and COMMIT as last statement may stay)";

	if (!is(walk, "mysql") && walk->script->no_transaction)
		return refuse(walk, statement,
			      "the first line says '-- no-transaction'; leave one of the two out",
			      err);
	if (is_begin(phrase) && !walk->body && !walk->begin.text) {
		walk->begin = *statement;
		return 0;
	}
	if (!is_commit(phrase) || !walk->begin.text || walk->committed)
		return refuse(walk, statement, stray, err);
	if (!walk->tail.text)
		walk->tail = *statement;
	walk->committed = true;
	return 0;
}

/* Counts a statement that is run. */
static void take(struct walk *walk, const struct dbl_statement *statement)
{
	struct dbl_script *script = walk->script;

	dbl_index_add(&walk->index, &walk->last, statement);
	walk->last = *statement;
	script->steps++;
	if (statement->session == DBL_SESSION_THING && !script->makes)
		script->makes = script->steps;
}

/* Before all other statements it is hoisted out of the transaction; at the end it is not run. */
static void take_foreign_keys(struct walk *walk, const struct dbl_statement *statement)
{
	if (!walk->body && !walk->begin.text) {
		take(walk, statement);
		walk->script->hoisted = walk->script->steps;
	} else if (!walk->tail.text)
		walk->tail = *statement;
}

/* Without a transaction nobody knows on SQLite how far a file came, so only statements that can be
 * repeated are allowed. */
static bool can_be_repeated(const char *phrase)
{
	char word[PHRASE];
	size_t len = strspn(phrase, "abcdefghijklmnopqrstuvwxyz");

	snprintf(word, sizeof(word), "%.*s", (int)len, phrase);
	return is_one_of(word, "\nvacuum\npragma\nanalyze\nreindex\nattach\ndetach\n");
}

/* Returns why this statement, which is no transaction control, cannot be run; NULL: it can. */
static const char *objection(const struct walk *walk, const struct dbl_statement *statement,
			     const char *phrase)
{
	if (statement->kind == DBL_STATEMENT_USE)
		return "the URL says which database it is; leave it out, or write database.table";
	if (is(walk, "mysql") && strncmp(phrase, "load ", 5) == 0 && strstr(phrase, " local "))
		return "a migration does not read files of the machine that it runs on; write "
		       "INSERT";
	if (is(walk, "sqlite") && walk->script->no_transaction && !can_be_repeated(phrase))
		return "on SQLite '-- no-transaction' is for VACUUM, PRAGMA, ANALYZE, REINDEX, "
		       "ATTACH and DETACH; leave that line out, or put this into a file of its own";
	return NULL;
}

/* Fails since a statement follows what was taken for the end. */
static int refuse_tail(const struct walk *walk, struct dblock_error *err)
{
	return refuse(walk, &walk->tail,
		      walk->tail.kind == DBL_STATEMENT_TRANSACTION
			      ? "it is not the last statement, and dblock begins and ends the "
				"transaction itself; leave it out, and BEGIN as well"
			      : "it does nothing inside a transaction; put it before all other "
				"statements",
		      err);
}

/* What cannot run inside a transaction can stand alone in its file. (A statement that needs one, and one
 * that stands beside it, would be done by halves without that being said.) */
static int check_alone(struct walk *walk, struct dblock_error *err)
{
	if (!walk->alone.text)
		return 0;
	if (walk->script->steps > 1 || walk->begin.text)
		return refuse(
			walk, &walk->alone,
			"it cannot run inside a transaction; put it into a file of its own, or "
			"begin this one with the line '-- no-transaction'",
			err);
	walk->script->stepwise = true;
	return 0;
}

static int check_ordinary(struct walk *walk, const struct dbl_statement *statement,
			  const char *phrase, struct dblock_error *err)
{
	const char *why = objection(walk, statement, phrase);

	if (walk->tail.text)
		return refuse_tail(walk, err);
	if (why)
		return refuse(walk, statement, why, err);
	if (statement->kind == DBL_STATEMENT_ALONE && !walk->script->no_transaction &&
	    !walk->alone.text)
		walk->alone = *statement;
	walk->commits |= statement->kind == DBL_STATEMENT_COMMITS;
	walk->body = true;
	take(walk, statement);
	return 0;
}

static int check(struct walk *walk, const struct dbl_statement *statement, struct dblock_error *err)
{
	char phrase[PHRASE];

	phrase_of(statement, phrase);
	if (is_lock(walk, phrase))
		return check_lock(walk, statement, phrase, err);
	if (walk->lock.text && !fills(phrase))
		return refuse_lock(walk, &walk->lock, err);
	if (statement->kind == DBL_STATEMENT_TRANSACTION)
		return check_control(walk, statement, phrase, err);
	if (!is_foreign_keys(walk, phrase) || walk->script->no_transaction)
		return check_ordinary(walk, statement, phrase, err);
	take_foreign_keys(walk, statement);
	return 0;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static int check_all(struct walk *walk, struct dbl_tokens *tokens, struct dblock_error *err)
{
	const struct dbl_script *script = walk->script;
	struct dbl_statement statement;
	struct dbl_split split;
	int rc = dbl_split_begin(&split, walk->dialect->name, script->path, &script->text, err);

	split.tokens = tokens;
	while (rc == 0) {
		rc = dbl_split_next(&split, &statement, err);
		if (rc || !statement.text)
			break;
		rc = check(walk, &statement, err);
	}
	if (rc == 0 && walk->lock.text)
		rc = refuse_lock(walk, &walk->lock, err);
	if (rc == 0 && walk->begin.text && !walk->committed)
		rc = refuse(walk, &walk->begin,
			    "no COMMIT follows as last statement; leave it out: dblock begins and "
			    "ends the transaction itself",
			    err);
	return rc;
}

/* Sums up the tokens, and finds where the statements are. */
static int read_all(struct walk *walk, struct dblock_error *err)
{
	static const char directive[] = "-- no-transaction";
	struct dbl_script *script = walk->script;
	struct dbl_tokens tokens;
	struct dbl_sha256 sum;
	int rc;

	dbl_tokens_begin(&tokens, &sum);
	if (script->no_transaction)
		dbl_tokens_add(&tokens, directive, sizeof(directive) - 1);
	rc = check_all(walk, &tokens, err);
	if (!dbl_tokens_sum(&tokens, script->token_checksum) && rc == 0)
		rc = dbl_set_no_memory(err);
	return rc;
}

int dbl_script_plan(struct dbl_set *set, struct dbl_script *script,
		    const struct dbl_dialect *dialect, struct dblock_error *err)
{
	struct walk walk = {.dialect = dialect, .script = script};
	int rc;

	script->steps = script->hoisted = script->makes = 0;
	dbl_set_spool(set, &walk.index);
	rc = read_all(&walk, err);
	if (rc) {
		dbl_spool_drop(&walk.index);
		return rc;
	}
	rc = dbl_set_spooled(set, script, &walk.index, &script->index, err);
	script->stepwise = is(&walk, "mysql") ? walk.commits : script->no_transaction;
	rc = rc ? rc : check_alone(&walk, err);
	script->sound = rc == 0;
	return rc;
}
