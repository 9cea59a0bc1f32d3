/* SPDX-License-Identifier: MIT */
/*
 * Where the statements of a script are, so that they need not be found twice: finding them takes as long
 * as SQLite takes for half of the rows. For each that is run, in some six bytes: how far it begins behind
 * the end of the one before, its length, how many lines further down, its column, what it is, and for a
 * COPY where its data are. A number has seven bits in each byte; the eighth says that more follow.
 */
#include "migrate/set/set_own.h"

static void put(struct dbl_spool *out, size_t number)
{
	char bytes[10];
	size_t n = 0;

	do {
		bytes[n++] = (char)((number & 0x7F) | (number > 0x7F ? 0x80 : 0));
		number >>= 7;
	} while (number > 0);
	(void)dbl_spool_add(out, bytes, n); /* a failure is told at the end */
}

static size_t get(const char **at)
{
	size_t number = 0;
	unsigned shift = 0;
	unsigned char byte;

	do {
		byte = (unsigned char)*(*at)++;
		number |= (size_t)(byte & 0x7F) << shift;
		shift += 7;
	} while (byte & 0x80);
	return number;
}

void dbl_index_add(struct dbl_spool *out, const struct dbl_statement *before,
		   const struct dbl_statement *statement)
{
	put(out, statement->offset - before->offset - before->len);
	put(out, statement->len);
	put(out, statement->line - before->line);
	put(out, statement->col);
	put(out,
	    (size_t)statement->kind << 3 | (size_t)statement->session << 1 | (statement->head > 0));
	if (statement->head) {
		put(out, statement->head);
		put(out, statement->data);
		put(out, statement->data_len);
	}
}

void dbl_index_next(const char **at, const char *text, struct dbl_statement *statement)
{
	size_t flags;

	statement->offset += statement->len + get(at);
	statement->text = text + statement->offset;
	statement->len = get(at);
	statement->line += get(at);
	statement->col = get(at);
	flags = get(at);
	statement->kind = (enum dbl_statement_kind)(flags >> 3);
	statement->session = (enum dbl_statement_session)(flags >> 1 & 3);
	statement->head = flags & 1 ? get(at) : 0;
	statement->data = flags & 1 ? get(at) : 0;
	statement->data_len = flags & 1 ? get(at) : 0;
}
