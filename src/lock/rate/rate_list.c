/* SPDX-License-Identifier: MIT */
/* Which rates there are, for people. */
#include "base/mem.h"
#include "lock/core/cancel.h"
#include "lock/core/name.h"
#include "lock/core/retry.h"
#include "lock/core/value.h"
#include "lock/rate/rate.h"

enum { PAGE = 200 };

struct row {
	char name[DBL_NAME_MAX + 1];
	int64_t level, taken_at, rate, period_ms, burst, now;
};

/* The connection is locked while rows come, so they are copied, and shown afterwards. */
struct page {
	struct row row[PAGE];
	unsigned n;
};

static int keep(void *ctx, const struct dbl_value *row)
{
	enum { NAME, LEVEL, TAKEN, RATE, PERIOD, BURST, NOW };
	struct page *page = ctx;
	struct row *r = &page->row[page->n++];

	DBL_ASSERT(page->n <= PAGE, "%u", page->n);
	dbl_copy_text(r->name, sizeof(r->name), &row[NAME]);
	r->level = row[LEVEL].i;
	r->taken_at = row[TAKEN].i;
	r->rate = row[RATE].i;
	r->period_ms = row[PERIOD].i;
	r->burst = row[BURST].i;
	r->now = row[NOW].i;
	return 0;
}

static int show(const struct row *r, dblock_rate_cb *found, void *arg)
{
	struct dbl_gcra gcra = {r->rate, r->period_ms};
	int64_t level = dbl_gcra_drained(r->level, r->now - r->taken_at);
	int64_t full = dbl_gcra_cost(&gcra, r->burst);
	struct dblock_rate_bucket bucket = {
		.size = sizeof(bucket),
		.name = r->name,
		.rate = r->rate,
		.period_ms = r->period_ms,
		.burst = r->burst,
		.left = dbl_gcra_fit(&gcra, full - level),
		.booked = level > full ? dbl_gcra_fit(&gcra, level - full - 1) + 1 : 0,
		.full_us = dbl_gcra_us(level),
		.taken_us = r->taken_at,
	};

	return found(arg, &bucket);
}

static int list(struct dbl_locks *locks, struct page *page, dblock_rate_cb *found, void *arg,
		struct dblock_error *err)
{
	char after[DBL_NAME_MAX + 1] = "";
	int rc;

	do {
		const struct dbl_value args[] = {dbl_text(after), dbl_int(PAGE)};
		struct dbl_request request = {.op = DBL_OP_rate_list,
					      .args = DBL_ARGS(args),
					      .row = keep,
					      .ctx = page,
					      .deadline = dbl_locks_deadline(locks)};

		page->n = 0;
		rc = dbl_retry_while_locked(locks, &request, err);
		for (unsigned i = 0; rc == 0 && i < page->n; i++)
			rc = show(&page->row[i], found, arg);
		if (page->n > 0)
			memcpy(after, page->row[page->n - 1].name, sizeof(after));
	} while (rc == 0 && page->n == PAGE);
	return rc;
}

int dbl_rate_list(struct dbl_locks *locks, dblock_rate_cb *found, void *arg,
		  struct dblock_error *err)
{
	DBL_INSIDE(locks);
	struct page *page = dbl_alloc(sizeof(*page));
	int rc;

	if (!page)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	rc = list(locks, page, found, arg, err);
	dbl_free(page);
	return rc;
}

int dbl_rate_reset(struct dbl_locks *locks, const char *name, struct dblock_error *err)
{
	DBL_INSIDE(locks);
	const struct dbl_value arg = dbl_text(name);
	struct dbl_request request = {.op = DBL_OP_rate_reset,
				      .args = DBL_ARG(arg),
				      .deadline = dbl_locks_deadline(locks)};
	int rc = dbl_run_durable(locks, &request, err);

	/* An earlier copy, whose reply was lost, may have done it. */
	if (rc || request.changed > 0 || request.resent)
		return rc;
	return dbl_fail(err, DBLOCK_STALE, "'%s': nothing was taken of a rate of that name", name);
}
