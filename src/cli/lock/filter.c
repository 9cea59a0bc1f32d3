/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "cli/lock/kept.h"
#include "cli/lock/words.h"
#include "cli/ui/print.h"

/* Is the word one of those in the list? */
static bool listed(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = list;; at++) {
		size_t n = strcspn(at, ",");

		if (n == len && strncmp(at, word, n) == 0)
			return true;
		at += n;
		if (!*at)
			return false;
	}
}

static bool fits(const struct dbl_filter *filter, const char *host, const char *mode,
		 const char *state, int64_t age_ms)
{
	return (!filter->host || dbl_text_fits(host, filter->host)) &&
	       (!filter->mode || strcmp(mode, filter->mode) == 0) &&
	       (!filter->states || listed(filter->states, state)) &&
	       (!filter->older_ms || age_ms >= filter->older_ms);
}

bool dbl_filter_holder(const struct dbl_filter *filter, const struct dblock_holder *h)
{
	/* A free lock is not held in any mode, and not for any time. */
	bool is_free = h->hold == DBLOCK_HOLD_FREE;

	return fits(filter, h->host, is_free ? "" : dbl_mode_name(h->mode), dbl_holder_state(h),
		    is_free ? 0 : h->held_ms);
}

bool dbl_filter_waiter(const struct dbl_filter *filter, const struct dblock_waiter *w)
{
	return fits(filter, w->host, dbl_mode_name(w->mode), dbl_waiter_state(w), w->waiting_ms);
}

char *dbl_filter_unknown(const char *words, const char *const *known)
{
	for (;;) {
		size_t n = strcspn(words, ",");
		const char *const *k = known;

		while (*k && !(strlen(*k) == n && strncmp(*k, words, n) == 0))
			k++;
		if (!*k)
			return strndup(words, n);
		if (!words[n])
			return NULL;
		words += n + 1;
	}
}
