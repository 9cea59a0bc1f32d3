/* SPDX-License-Identifier: MIT */
#include "migrate/set/pieces.h"

#include <string.h>

#include "base/assert.h"
#include "base/mem.h"

static void rewind(struct dbl_pieces *pieces)
{
	const struct dbl_script *script = pieces->script;

	pieces->last = 0;
	dbl_split_again(&pieces->split, pieces->target->dialect->name, script->path,
			&DBL_SCRIPT_TEXT(script));
}

/* Finds the next statement that is run. !*there: there is none. */
static int find(struct dbl_pieces *pieces, bool *there, struct dblock_error *err)
{
	struct dbl_statement statement;
	int rc;

	do {
		rc = dbl_split_next(&pieces->split, &statement, err);
		*there = rc == 0 && statement.text;
	} while (*there && dbl_script_leaves_out(pieces->script, pieces->target->dialect,
						 &statement, pieces->last));
	if (*there)
		pieces->kept[++pieces->last % DBL_PIECES_KEPT] = statement;
	return rc;
}

/* A script that is not sound is not run, but a person may say something about its statements. */
static int count(struct dbl_pieces *pieces, struct dblock_error *err)
{
	const struct dbl_script *script = pieces->script;
	bool there = true;
	int rc = dbl_split_begin(&pieces->split, pieces->target->dialect->name, script->path,
				 &DBL_SCRIPT_TEXT(script), err);

	while (rc == 0 && there)
		rc = find(pieces, &there, err);
	pieces->n = pieces->last;
	return rc;
}

int dbl_pieces_open(struct dbl_pieces **out, const struct dbl_script *script, bool own,
		    const struct dbl_target *target, struct dblock_error *err)
{
	struct dbl_pieces *pieces = *out = dbl_alloc(sizeof(*pieces));
	int rc;

	if (!pieces)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	pieces->script = script;
	pieces->target = target;
	pieces->own = own;
	pieces->n = script->steps;
	rc = script->sound || !script->text ? 0 : count(pieces, err);
	if (script->text)
		rewind(pieces);
	return rc;
}

void dbl_pieces_free(struct dbl_pieces *pieces)
{
	if (pieces)
		dbl_free(pieces->sql);
	dbl_free(pieces);
}

const struct dbl_statement *dbl_piece(struct dbl_pieces *pieces, unsigned k)
{
	bool there = true;

	DBL_ASSERT(k > 0 && k <= pieces->n, "%u of %u", k, pieces->n);
	if (k + DBL_PIECES_KEPT <= pieces->last)
		rewind(pieces);
	while (there && pieces->last < k)
		(void)find(pieces, &there, NULL);
	DBL_ASSERT(there, "%s has no statement %u", pieces->script->path, k);
	return &pieces->kept[k % DBL_PIECES_KEPT];
}

const char *dbl_piece_sql(struct dbl_pieces *pieces, unsigned k)
{
	const struct dbl_statement *statement = dbl_piece(pieces, k);
	char *text;

	dbl_free(pieces->sql);
	pieces->sql = text =
		dbl_strndup(statement->text, statement->head ? statement->head : statement->len);
	if (text && pieces->own) {
		pieces->sql = dbl_names_apply(&pieces->target->names, text);
		dbl_free(text);
	}
	return pieces->sql;
}

void dbl_pieces_sum(struct dbl_pieces *pieces, unsigned n, char hex[DBL_SHA256_HEX + 1])
{
	hex[0] = '\0';
	dbl_pieces_sum_on(pieces, 0, n, hex);
}

/* Adds a statement, which may have the data of a COPY in it. */
static void add(struct dbl_sha256 *sum, const struct dbl_statement *statement, size_t mapped,
		const char *text)
{
	for (size_t at = 0, n; at < statement->len; at += n) {
		n = statement->len - at;
		n = n < DBL_TEXT_STRIDE ? n : DBL_TEXT_STRIDE;
		dbl_sha256_add(sum, statement->text + at, n);
		if (n == DBL_TEXT_STRIDE)
			dbl_text_passed(text, mapped);
	}
}

void dbl_pieces_sum_on(struct dbl_pieces *pieces, unsigned from, unsigned n,
		       char hex[DBL_SHA256_HEX + 1])
{
	struct dbl_sha256 sum;

	DBL_ASSERT(from <= n, "%u > %u", from, n);
	for (unsigned k = from + 1; k <= n; k++) {
		dbl_sha256_begin(&sum);
		dbl_sha256_add(&sum, hex, strlen(hex));
		add(&sum, dbl_piece(pieces, k), pieces->script->mapped, pieces->script->text);
		dbl_sha256_end(&sum, hex);
	}
}
