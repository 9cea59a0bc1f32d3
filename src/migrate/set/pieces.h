/* SPDX-License-Identifier: MIT */
/* A script as it is sent: its statements, one by one. */
#ifndef DBL_MIGRATE_PIECES_H
#define DBL_MIGRATE_PIECES_H

#include "migrate/set/set.h"
#include "sql/target.h"

struct dbl_piece {
	struct dbl_statement statement; /* where it is in the file */
	char *sql;                      /* what is sent, NUL-terminated */
	const char *data;               /* and behind it, for COPY FROM stdin; else NULL */
	size_t data_len;
};

struct dbl_pieces {
	struct dbl_piece *list;
	unsigned n;
};

/* Cuts a script; in the library's own, dblock_ stands for prefix and schema. The caller has to call
 * dbl_pieces_free() in any case; the struct must be zero before. */
int dbl_pieces_read(struct dbl_pieces *, const struct dbl_script *, bool own,
		    const struct dbl_target *, struct dblock_error *err);
void dbl_pieces_free(struct dbl_pieces *);

/* Writes the sum of the first `n` statements; "" if that is 0. What it hashes are all of them. */
int dbl_pieces_sum(const struct dbl_pieces *, unsigned n, char hex[DBL_SHA256_HEX + 1],
		   struct dblock_error *err);

/* Makes of the sum of the first `from` statements, which is in hex, that of the first `n`, not fewer. */
int dbl_pieces_sum_on(const struct dbl_pieces *, unsigned from, unsigned n,
		      char hex[DBL_SHA256_HEX + 1], struct dblock_error *err);

#endif
