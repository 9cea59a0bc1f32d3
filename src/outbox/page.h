/* SPDX-License-Identifier: MIT */
/* Some messages of a shard, as they are read to be delivered, or listed. */
#ifndef DBL_OUTBOX_PAGE_H
#define DBL_OUTBOX_PAGE_H

#include "lock/core/context.h"

/* A page has at most so many bytes of messages, and one message more. */
#define DBL_PAGE_BYTES (4 * 1024 * 1024)

struct dbl_page_row {
	struct dbl_page_row *next;
	const char *key, *headers, *body;
	int64_t number, id, put_at;
	int64_t tries; /* so many have failed, */
	bool parked;   /* and there will be no other, */
	int64_t due;   /* or not before then, by the database's clock */
};

struct dbl_page {
	struct dbl_page_row *first; /* by key and number */
	struct dbl_page_row **end;
	unsigned n;
	size_t bytes;
	int64_t now; /* by the database's clock; 0: there is no row */
	bool is_last;
};

/* Where a page begins: behind this key and number. */
struct dbl_page_of {
	const char *topic, *key;
	int64_t shard, number, limit;
};

/* The shard that a key's messages are in. */
int64_t dbl_shard_of(const char *key);

/* One round trip. To be freed, whatever this returns. */
int dbl_page_read(struct dbl_locks *, const struct dbl_page_of *, struct dbl_page *,
		  struct dblock_error *err);
void dbl_page_free(struct dbl_page *);

#endif
