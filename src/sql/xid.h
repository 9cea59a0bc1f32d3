/* SPDX-License-Identifier: MIT */
/* The name of a branch, by which any connection finishes it once it is prepared: who decides, and which one of its
 * branches it is. Two parts, as an XA transaction has; on PostgreSQL, and in dblock_branch, one text of both. */
#ifndef DBL_SQL_XID_H
#define DBL_SQL_XID_H

#include <stdbool.h>
#include <stdint.h>

enum { DBL_GTRID_LEN = 56, DBL_BQUAL_MAX = 64, DBL_XID_MAX = 16 /* branches */ };

struct dbl_xid {
	char home[33]; /* the first history of the database that decides: it keeps that for ever; */
	char id[17];   /* of the transaction; */
	char history
		[33]; /* the home's history when it began: in another one the decision may be lost; */
	unsigned n;   /* of the branch, from 1: they are committed in this order; */
	int64_t since; /* s since 1970, by the clock of who began it: so old, about, is it */
};

struct dbl_xid_text {
	char gtrid[DBL_GTRID_LEN + 1];
	char bqual[DBL_BQUAL_MAX + 1];
	char all[DBL_GTRID_LEN + DBL_BQUAL_MAX + 1];
};

void dbl_xid_write(const struct dbl_xid *, struct dbl_xid_text *);

/* False: it is none of ours. */
bool dbl_xid_read(struct dbl_xid *, const char *all);

#endif
