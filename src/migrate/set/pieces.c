/* SPDX-License-Identifier: MIT */
#include "migrate/set/pieces.h"

#include "base/assert.h"
#include "base/mem.h"
#include "base/str.h"

static bool add(struct dbl_pieces *pieces, const struct dbl_statement *statement, bool own,
		const struct dbl_target *target)
{
	char *text = dbl_strndup(statement->text, statement->len);
	char *sql = own && text ? dbl_names_apply(&target->names, text) : text;
	unsigned n = pieces->n;
	struct dbl_piece *list = pieces->list;

	if (sql != text)
		dbl_free(text);
	if (sql && (n & (n - 1)) == 0) /* twice the room, at each power of two */
		list = dbl_realloc(list, (n ? 2 * n : 1) * sizeof(*list));
	if (!sql || !list) {
		dbl_free(sql);
		return false;
	}
	pieces->list = list;
	list[pieces->n] = (struct dbl_piece){.statement = *statement, .sql = sql};
	if (statement->head) {
		sql[statement->head] = '\0';
		list[pieces->n].data = sql + statement->data;
		list[pieces->n].data_len = statement->data_len;
	}
	pieces->n++;
	return true;
}

int dbl_pieces_read(struct dbl_pieces *pieces, const struct dbl_script *script, bool own,
		    const struct dbl_target *target, struct dblock_error *err)
{
	const struct dbl_dialect *dialect = target->dialect;
	struct dbl_statement statement = {.text = ""};
	struct dbl_split split;
	int rc = dbl_split_begin(&split, dialect->name, script->path, script->text, script->len,
				 err);

	while (rc == 0 && statement.text) {
		rc = dbl_split_next(&split, &statement, err);
		if (rc == 0 && statement.text && !add(pieces, &statement, own, target))
			rc = dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	}
	return rc;
}

void dbl_pieces_free(struct dbl_pieces *pieces)
{
	for (unsigned i = 0; i < pieces->n; i++)
		dbl_free(pieces->list[i].sql);
	dbl_free(pieces->list);
	*pieces = (struct dbl_pieces){.n = 0};
}

int dbl_pieces_sum(const struct dbl_pieces *pieces, unsigned n, char hex[DBL_SHA256_HEX + 1],
		   struct dblock_error *err)
{
	hex[0] = '\0';
	return dbl_pieces_sum_on(pieces, 0, n, hex, err);
}

int dbl_pieces_sum_on(const struct dbl_pieces *pieces, unsigned from, unsigned n,
		      char hex[DBL_SHA256_HEX + 1], struct dblock_error *err)
{
	struct dbl_str chain = {0};

	DBL_ASSERT(from <= n, "%u > %u", from, n);
	for (unsigned i = from; i < n && !chain.failed; i++) {
		const struct dbl_statement *statement = &pieces->list[i].statement;

		chain.len = 0;
		dbl_str_add(&chain, hex);
		dbl_str_addn(&chain, statement->text, statement->len);
		if (!chain.failed)
			dbl_sha256_hex(chain.text, chain.len, hex);
	}
	n = chain.failed;
	dbl_str_free(&chain);
	return n ? dbl_fail(err, DBLOCK_E_NOMEM, "out of memory") : 0;
}
