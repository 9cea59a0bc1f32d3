/* SPDX-License-Identifier: MIT */
#include "cli/lock/kept.h"

#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* All that was copied is freed at one time. */
struct dbl_kept_block {
	struct dbl_kept_block *next;
	alignas(max_align_t) char bytes[];
};

static const void *keep(struct dbl_kept *kept, const void *bytes, size_t size)
{
	struct dbl_kept_block *block = malloc(sizeof(*block) + size);

	if (!block)
		return NULL;
	memcpy(block->bytes, bytes, size);
	block->next = kept->blocks;
	kept->blocks = block;
	return block->bytes;
}

/* Replace each of these texts by a copy. */
static int keep_texts(struct dbl_kept *kept, const char **const *texts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		*texts[i] = keep(kept, *texts[i], strlen(*texts[i]) + 1);
		if (!*texts[i])
			return -1;
	}
	return 0;
}

#define KEEP_TEXTS(kept, ...)                                                                      \
	keep_texts(kept, (const char **const[]){__VA_ARGS__},                                      \
		   sizeof((const char **const[]){__VA_ARGS__}) / sizeof(const char **))

/* Room for one more; the array grows when its number is a power of two. NULL: there is no memory. */
static void *one_more(void *array, size_t n, size_t size)
{
	return n & (n - 1) ? array : realloc(array, (n ? 2 * n : 1) * size);
}

static int keep_request(struct dbl_kept *kept, struct dblock_holder *h)
{
	struct dblock_release_request request;

	if (!h->request)
		return 0;
	request = *h->request;
	if (KEEP_TEXTS(kept, &request.reason, &request.host, &request.app))
		return -1;
	h->request = keep(kept, &request, sizeof(request));
	return h->request ? 0 : -1;
}

static int keep_taken(struct dbl_kept *kept, struct dblock_holder *h)
{
	struct dblock_taken taken;

	if (!h->taken)
		return 0;
	taken = *h->taken;
	if (KEEP_TEXTS(kept, &taken.host, &taken.app))
		return -1;
	h->taken = keep(kept, &taken, sizeof(taken));
	return h->taken ? 0 : -1;
}

int dbl_kept_holder(void *arg, const struct dblock_holder *holder)
{
	struct dbl_kept *kept = arg;
	struct dblock_holder *all = one_more(kept->holders, kept->n_holders, sizeof(*all)), *h;

	if (!all)
		return -1;
	kept->holders = all;
	h = &all[kept->n_holders];
	*h = *holder;
	if (KEEP_TEXTS(kept, &h->name, &h->host, &h->app, &h->session, &h->value) ||
	    keep_request(kept, h) || keep_taken(kept, h))
		return -1;
	kept->n_holders++;
	return 0;
}

int dbl_kept_waiter(void *arg, const struct dblock_waiter *waiter)
{
	struct dbl_kept *kept = arg;
	struct dblock_waiter *all = one_more(kept->waiters, kept->n_waiters, sizeof(*all)), *w;

	if (!all)
		return -1;
	kept->waiters = all;
	w = &all[kept->n_waiters];
	*w = *waiter;
	if (KEEP_TEXTS(kept, &w->name, &w->host, &w->app, &w->session, &w->value))
		return -1;
	kept->n_waiters++;
	return 0;
}

void dbl_kept_clear(struct dbl_kept *kept)
{
	while (kept->blocks) {
		struct dbl_kept_block *block = kept->blocks;

		kept->blocks = block->next;
		free(block);
	}
	free(kept->holders);
	free(kept->waiters);
	*kept = (struct dbl_kept){0};
}

/* ---- their order ----------------------------------------------------------------------------- */

enum dbl_sort dbl_sort_read(const char *word)
{
	static const char *const words[] = {"name", "age", "left", "waiting", "host"};

	if (!word)
		return DBL_SORT_NONE;
	for (int i = 0; i < DBL_SORT_UNKNOWN - DBL_SORT_NAME; i++)
		if (strcmp(words[i], word) == 0)
			return (enum dbl_sort)(DBL_SORT_NAME + i);
	return DBL_SORT_UNKNOWN;
}

/* What is unknown, INT64_MIN, is last either way. */
static int small_first(int64_t a, int64_t b)
{
	if (a == INT64_MIN || b == INT64_MIN)
		return (a == INT64_MIN) - (b == INT64_MIN);
	return (a > b) - (a < b);
}

static int large_first(int64_t a, int64_t b)
{
	return (a < b) - (a > b);
}

/* By when it began: how long that is ago was read a moment later on the next page. 0: unknown. */
static int oldest_first(int64_t a, int64_t b)
{
	return small_first(a ? a : INT64_MIN, b ? b : INT64_MIN);
}

static int compare_holders(const void *x, const void *y, void *arg)
{
	const struct dblock_holder *a = x, *b = y;
	enum dbl_sort sort = *(enum dbl_sort *)arg;
	int order = sort == DBL_SORT_AGE       ? oldest_first(a->acquired_us, b->acquired_us)
		    : sort == DBL_SORT_LEFT    ? small_first(a->left_ms, b->left_ms)
		    : sort == DBL_SORT_WAITING ? large_first(a->waiting, b->waiting)
		    : sort == DBL_SORT_HOST    ? strcmp(a->host, b->host)
					       : 0;

	if (order == 0)
		order = strcmp(a->name, b->name);
	return order ? order : small_first(a->token, b->token);
}

static int compare_waiters(const void *x, const void *y, void *arg)
{
	const struct dblock_waiter *a = x, *b = y;
	enum dbl_sort sort = *(enum dbl_sort *)arg;
	int order = sort == DBL_SORT_AGE    ? oldest_first(a->since_us, b->since_us)
		    : sort == DBL_SORT_HOST ? strcmp(a->host, b->host)
					    : 0;

	if (order == 0)
		order = strcmp(a->name, b->name);
	return order ? order : small_first(a->ticket, b->ticket);
}

void dbl_kept_sort(struct dbl_kept *kept, enum dbl_sort sort)
{
	if (kept->n_holders)
		qsort_r(kept->holders, kept->n_holders, sizeof(*kept->holders), compare_holders,
			&sort);
	if (kept->n_waiters)
		qsort_r(kept->waiters, kept->n_waiters, sizeof(*kept->waiters), compare_waiters,
			&sort);
}
