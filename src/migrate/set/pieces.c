/* SPDX-License-Identifier: MIT */
#include "migrate/set/pieces.h"

#include <string.h>

#include "base/assert.h"
#include "base/mem.h"

int dbl_pieces_open(struct dbl_pieces **out, const struct dbl_script *script, bool own,
		    const struct dbl_target *target, struct dblock_error *err)
{
	struct dbl_pieces *pieces = *out = dbl_alloc(sizeof(*pieces));

	if (!pieces)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	pieces->script = script;
	pieces->target = target;
	pieces->own = own;
	pieces->n = script->steps;
	pieces->next = script->index.text;
	return script->sound
		       ? 0
		       : dbl_fail(err, DBLOCK_E_INVALID,
				  "%s: it cannot be run as it is; correct it first", script->path);
}

void dbl_pieces_free(struct dbl_pieces *pieces)
{
	if (pieces)
		dbl_free(pieces->sql);
	dbl_free(pieces);
}

/* Looks up the next one. */
static void look_up(struct dbl_pieces *pieces)
{
	const struct dbl_script *script = pieces->script;
	struct dbl_statement *next = &pieces->kept[(pieces->last + 1) % DBL_PIECES_KEPT];

	*next = (struct dbl_statement){.len = 0};
	if (pieces->last > 0)
		*next = pieces->kept[pieces->last % DBL_PIECES_KEPT];
	dbl_index_next(&pieces->next, script->text.text, next);
	if (next->offset / DBL_TEXT_STRIDE != (next->offset + next->len) / DBL_TEXT_STRIDE) {
		dbl_text_passed(script->text.text, script->text.mapped);
		dbl_text_passed(script->index.text, script->index.mapped);
	}
	pieces->last++;
}

const struct dbl_statement *dbl_piece(struct dbl_pieces *pieces, unsigned k)
{
	DBL_ASSERT(k > 0 && k <= pieces->n, "%u of %u", k, pieces->n);
	if (k + DBL_PIECES_KEPT <= pieces->last) {
		pieces->last = 0;
		pieces->next = pieces->script->index.text;
	}
	while (pieces->last < k)
		look_up(pieces);
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
static void add(struct dbl_sha256 *sum, const struct dbl_statement *statement,
		const struct dbl_text *of)
{
	for (size_t at = 0, n; at < statement->len; at += n) {
		n = statement->len - at;
		n = n < DBL_TEXT_STRIDE ? n : DBL_TEXT_STRIDE;
		dbl_sha256_add(sum, statement->text + at, n);
		if (n == DBL_TEXT_STRIDE)
			dbl_text_passed(of->text, of->mapped);
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
		add(&sum, dbl_piece(pieces, k), &pieces->script->text);
		dbl_sha256_end(&sum, hex);
	}
}
