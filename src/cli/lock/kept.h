/* SPDX-License-Identifier: MIT */
/* Holders and waiters that outlive the callback that told of them: to be sorted, and compared. */
#ifndef DBL_CLI_LOCK_KEPT_H
#define DBL_CLI_LOCK_KEPT_H

#include <stdbool.h>

#include <dblock/admin.h>
#include <dblock/request.h>

struct dbl_kept_block;

struct dbl_kept {
	struct dblock_holder *holders;
	struct dblock_waiter *waiters;
	size_t n_holders, n_waiters;
	struct dbl_kept_block *blocks; /* what they point at */
};

/* For dblock_list() and dblock_waiters(): keep a copy, with its texts. -1: there is no memory. */
int dbl_kept_holder(void *kept, const struct dblock_holder *);
int dbl_kept_waiter(void *kept, const struct dblock_waiter *);

void dbl_kept_clear(struct dbl_kept *);

/* ---- their order ----------------------------------------------------------------------------- */

enum dbl_sort {
	DBL_SORT_NONE,
	DBL_SORT_NAME,
	DBL_SORT_AGE,
	DBL_SORT_LEFT,
	DBL_SORT_WAITING,
	DBL_SORT_HOST,
	DBL_SORT_UNKNOWN
};

/* The order of that name; NULL: none. */
enum dbl_sort dbl_sort_read(const char *word);

/* The oldest first, the soonest to end first, the longest line first, what is unknown last; and what is
 * alike by its name. Waiters have no LEFT and no WAITING: then they are sorted by name. */
void dbl_kept_sort(struct dbl_kept *, enum dbl_sort);

/* ---- which of them: filter.c ----------------------------------------------------------------- */

/* NULL, 0: whatever it is. */
struct dbl_filter {
	const char *host; /* a pattern */
	const char *mode;
	const char *states; /* some words, with commas between them */
	int64_t older_ms;
};

bool dbl_filter_holder(const struct dbl_filter *, const struct dblock_holder *);
bool dbl_filter_waiter(const struct dbl_filter *, const struct dblock_waiter *);

/* The first word of the list that is none of `known`, which ends with NULL; NULL: all are known. To be
 * freed. */
char *dbl_filter_unknown(const char *words, const char *const *known);

#endif
