/* SPDX-License-Identifier: MIT */
#include "lock/queue/failure_detector.h"

#include "base/mem.h"

static const struct dbl_watch *find(const struct dbl_vigil *vigil, int64_t token)
{
	for (unsigned i = 0; i < vigil->n; i++) {
		if (vigil->posts[i].token == token)
			return &vigil->posts[i].watch;
	}
	return NULL;
}

void dbl_vigil_note(struct dbl_vigil *vigil, const struct dbl_line *line)
{
	unsigned n = dbl_line_holders(line);
	struct dbl_vigil_post *posts = n ? dbl_alloc(n * sizeof(*posts)) : NULL;

	for (unsigned i = 0; posts && i < n; i++) {
		const struct dbl_row *row = &line->rows[i];
		const struct dbl_watch *before = find(vigil, row->token);
		struct dbl_sight sight;

		posts[i].token = row->token;
		posts[i].watch = before ? *before : (struct dbl_watch){.any = false};
		dbl_row_sight(line, row, &sight);
		dbl_watch_note(&posts[i].watch, &sight);
	}
	dbl_free(vigil->posts);
	vigil->posts = posts;
	vigil->n = posts ? n : 0;
}

void dbl_vigil_end(struct dbl_vigil *vigil)
{
	dbl_free(vigil->posts);
	*vigil = (struct dbl_vigil){.n = 0};
}

enum dbl_verdict dbl_vigil_judge(const struct dbl_vigil *vigil, const struct dbl_line *line,
				 int64_t now, struct dbl_sight *doomed)
{
	unsigned n = dbl_line_holders(line);

	for (unsigned i = 0; i < n; i++) {
		const struct dbl_watch *watch = find(vigil, line->rows[i].token);
		enum dbl_verdict verdict;

		dbl_row_sight(line, &line->rows[i], doomed);
		verdict = watch ? dbl_judge_watched(doomed, watch, now) : DBL_WAIT;
		if (verdict == DBL_BURY || verdict == DBL_END_LEASE || verdict == DBL_END_REVOKED)
			return verdict;
	}
	return DBL_WAIT;
}

int64_t dbl_vigil_next(const struct dbl_vigil *vigil, const struct dbl_line *line, int64_t now)
{
	unsigned n = dbl_line_holders(line);
	int64_t next = DBL_NEVER;

	for (unsigned i = 0; i < n; i++) {
		const struct dbl_row *row = &line->rows[i];
		const struct dbl_watch *watch = find(vigil, row->token);

		if (row->by_time && row->lease_left > 0)
			next = dbl_least(next, now + row->lease_left);
		if (watch && !row->by_time && watch->since + row->ttl > now)
			next = dbl_least(next, watch->since + row->ttl);
		if (watch && watch->revoked && row->watch != 0 &&
		    watch->revoked_since + row->watch > now)
			next = dbl_least(next, watch->revoked_since + row->watch);
	}
	return next;
}
