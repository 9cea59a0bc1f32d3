/* SPDX-License-Identifier: MIT */
#include "migrate/set/pieces.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

static int no_memory(struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
}

static bool make_room(struct dbl_pieces *pieces)
{
	unsigned room = pieces->room ? pieces->room * 2 : 8;
	struct dbl_piece *list;

	if (pieces->n < pieces->room)
		return true;
	list = dbl_realloc(pieces->list, room * sizeof(*list));
	if (!list)
		return false;
	pieces->list = list;
	pieces->room = room;
	return true;
}

static bool add(struct dbl_pieces *pieces, const struct dbl_statement *statement, bool own,
		const struct dbl_target *target)
{
	char *text = dbl_strndup(statement->text, statement->len);
	char *sql = own && text ? dbl_names_apply(&target->names, text) : text;

	if (sql != text)
		dbl_free(text);
	if (!sql || !make_room(pieces)) {
		dbl_free(sql);
		return false;
	}
	pieces->list[pieces->n++] = (struct dbl_piece){*statement, sql};
	return true;
}

/* SQLite knows no change of it inside a transaction, and passes over it without a word. */
static bool is_about_references(const struct dbl_piece *piece)
{
	static const char words[] = "pragma foreign_keys";
	const char *at = piece->sql;

	for (const char *w = words; *w; w++) {
		if (*w == ' ') {
			size_t blanks = strspn(at, " \t\n\r");

			if (blanks == 0)
				return false;
			at += blanks;
		} else if (tolower((unsigned char)*at++) != *w) {
			return false;
		}
	}
	at += strspn(at, " \t\n\r");
	return !*at || *at == '=' || *at == '(';
}

int dbl_pieces_read(struct dbl_pieces *pieces, const struct dbl_script *script, bool own,
		    const struct dbl_target *target, struct dblock_error *err)
{
	const struct dbl_dialect *dialect = target->dialect;
	struct dbl_statement statement = {.text = ""};
	struct dbl_split split;
	int rc = dbl_split_begin(&split, dialect->name, 0, script->path, script->text, script->len,
				 err);

	while (rc == 0 && statement.text) {
		rc = dbl_split_next(&split, &statement, err);
		if (rc == 0 && statement.text && !add(pieces, &statement, own, target))
			rc = no_memory(err);
	}
	while (rc == 0 && dialect->is_file && pieces->hoisted < pieces->n &&
	       is_about_references(&pieces->list[pieces->hoisted]))
		pieces->hoisted++;
	return rc;
}

void dbl_pieces_free(struct dbl_pieces *pieces)
{
	for (unsigned i = 0; i < pieces->n; i++)
		dbl_free(pieces->list[i].sql);
	dbl_free(pieces->list);
	*pieces = (struct dbl_pieces){.n = 0};
}

bool dbl_pieces_sum(const struct dbl_pieces *pieces, unsigned n, char hex[DBL_SHA256_HEX + 1])
{
	struct dbl_str chain = {0};

	hex[0] = '\0';
	for (unsigned i = 0; i < n && !chain.failed; i++) {
		const struct dbl_statement *statement = &pieces->list[i].statement;

		chain.len = 0;
		dbl_str_add(&chain, hex);
		dbl_str_addn(&chain, statement->text, statement->len);
		if (!chain.failed)
			dbl_sha256_hex(chain.text, chain.len, hex);
	}
	n = chain.failed ? 0 : 1;
	dbl_str_free(&chain);
	return n > 0;
}
