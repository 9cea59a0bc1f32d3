/* SPDX-License-Identifier: MIT */
/* What is done everywhere is forgotten: the decision first, then the marks. */
#include "driver/value.h"
#include "global/recover.h"

#include <stdio.h>
#include <string.h>

#include "lock/core/context.h"
#include "lock/core/make_durable.h"

enum { PAGE = 32 };

struct decisions {
	struct {
		char id[17];
		int64_t parts, since;
	} list[PAGE];
	unsigned n;
};

static int take_decision(void *ctx, const struct dbl_value *row)
{
	struct decisions *d = ctx;

	(void)snprintf(d->list[d->n].id, sizeof(d->list[d->n].id), "%.*s", (int)row[0].len,
		       row[0].text);
	d->list[d->n].parts = row[1].i;
	d->list[d->n++].since = row[2].i;
	return 0;
}

/* In a crash a decision that is forgotten comes back, if it was not on the disk: before its marks have gone. */
static void forget(struct dbl_recovery *r, struct dbl_place *home, const struct dbl_xid *xid)
{
	struct dbl_locks *locks = home->pool->locks;
	struct dbl_value id = dbl_text(xid->id);

	if (dbl_place_run(home, DBL_OP_decision_forget, DBL_ARG(id), NULL, NULL, NULL) == 0 &&
	    dbl_make_all_durable(locks, dbl_locks_deadline(locks), NULL) == 0)
		dbl_marks_forget(r, xid);
}

/* Finished is who is listed no more, and whose mark is seen. */
static int check_decision(struct dbl_recovery *r, struct dbl_place *home, const char *id,
			  int64_t parts, int64_t since)
{
	struct dbl_xid xid = {.n = 1, .since = since / 1000000};
	struct dbl_left left = {.xid = &xid, .parts = parts};
	unsigned all = parts >= 1 ? (1U << parts) - 1 : 0;
	struct dbl_marks marks;

	(void)snprintf(xid.home, sizeof(xid.home), "%s", home->home);
	(void)snprintf(xid.id, sizeof(xid.id), "%s", id);
	(void)snprintf(xid.history, sizeof(xid.history), "%s", home->home);
	if (!dbl_is_asked_for(r, id) || dbl_is_listed(r, id))
		return 0; /* or it was told of */
	dbl_marks_read(r, &xid, &marks);
	if ((marks.seen & all) != all)
		return dbl_recovery_tell(r, &left, DBLOCK_RECOVERED_NOT_YET,
					 "it is committed; one of its databases is not among those "
					 "given, cannot be reached, or does not know of it");
	if (r->asked.look)
		return dbl_recovery_tell(r, &left, DBLOCK_RECOVERED_COMMITTED,
					 "it is committed everywhere; the recovery forgets it");
	forget(r, home, &xid);
	return 0;
}

/* Who looks for one by its id hears, too, that it was rolled back: such a row stays. */
static int tell_abort(struct dbl_recovery *r, struct dbl_place *home)
{
	struct dbl_xid xid = {.n = 1};
	struct dbl_left left = {.xid = &xid};
	struct dbl_decision d;

	if (!r->asked.look || !r->asked.id || dbl_is_listed(r, r->asked.id))
		return 0;
	(void)snprintf(xid.home, sizeof(xid.home), "%s", home->home);
	(void)snprintf(xid.id, sizeof(xid.id), "%s", r->asked.id);
	(void)snprintf(xid.history, sizeof(xid.history), "%s", home->home);
	if (dbl_decision_read(home, &xid, &d, NULL) || d.state != DBLOCK_VERDICT_ROLL_BACK)
		return 0;
	return dbl_recovery_tell(r, &left, DBLOCK_RECOVERED_ROLLED_BACK,
				 "its home has written that it is never to be committed");
}

int dbl_recover_decisions(struct dbl_recovery *r, struct dbl_place *home)
{
	struct decisions page;
	char after[17] = "";
	int rc = tell_abort(r, home);

	if (rc)
		return rc;

	do {
		struct dbl_value args[] = {dbl_text(after), dbl_int(PAGE)};

		page.n = 0;
		if (dbl_place_run(home, DBL_OP_decision_list, DBL_ARGS(args), take_decision, &page,
				  NULL))
			return 0;
		for (unsigned i = 0; i < page.n && rc == 0; i++)
			rc = check_decision(r, home, page.list[i].id, page.list[i].parts,
					    page.list[i].since);
		if (page.n)
			memcpy(after, page.list[page.n - 1].id, sizeof(after));
	} while (rc == 0 && page.n == PAGE);
	return rc;
}
