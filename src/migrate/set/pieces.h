/* SPDX-License-Identifier: MIT */
/*
 * A script as it is sent: its statements, one by one. They are looked up in its index as they are asked
 * for, since all of them together may be larger than memory; the last DBL_PIECES_KEPT are remembered, so
 * going on, or back by that many, costs nothing more. Going back further begins at the first.
 */
#ifndef DBL_MIGRATE_PIECES_H
#define DBL_MIGRATE_PIECES_H

#include "migrate/set/set.h"
#include "sql/target.h"

enum { DBL_PIECES_KEPT = 1024 };

struct dbl_pieces {
	const struct dbl_script *script;
	const struct dbl_target *target;
	bool own;
	unsigned n;       /* how many there are */
	unsigned last;    /* the number of the last that was looked up, from 1 */
	const char *next; /* where the next is in the index */
	struct dbl_statement kept[DBL_PIECES_KEPT]; /* statement k is at k % DBL_PIECES_KEPT */
	char *sql;
};

/* Begins with a script; in the library's own, dblock_ stands for prefix and schema. The caller has to
 * call dbl_pieces_free(), which takes NULL, in any case. E_INVALID: the script is not sound. */
int dbl_pieces_open(struct dbl_pieces **, const struct dbl_script *, bool own,
		    const struct dbl_target *, struct dblock_error *err);
void dbl_pieces_free(struct dbl_pieces *);

/* Returns statement k, from 1 to n. It stays valid until one is asked for that is DBL_PIECES_KEPT
 * away. */
const struct dbl_statement *dbl_piece(struct dbl_pieces *, unsigned k);

/* Returns what is sent for it, NUL-terminated, without the data of a COPY; NULL: out of memory. It stays
 * valid until this is called again. */
const char *dbl_piece_sql(struct dbl_pieces *, unsigned k);

/* Writes the sum of the first `n` statements; "" if that is 0. What it hashes are all of them. */
void dbl_pieces_sum(struct dbl_pieces *, unsigned n, char hex[DBL_SHA256_HEX + 1]);

/* Makes of the sum of the first `from` statements, which is in hex, that of the first `n`, not fewer. */
void dbl_pieces_sum_on(struct dbl_pieces *, unsigned from, unsigned n,
		       char hex[DBL_SHA256_HEX + 1]);

#endif
