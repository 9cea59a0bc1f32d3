/* SPDX-License-Identifier: MIT */
/* By the rows that branches have written it is seen which have committed; that one is listed no more proves nothing by
 * itself. What is done everywhere is forgotten: the decision first, then the marks. */
#include "driver/value.h"
#include "global/recover.h"

#include <stdio.h>
#include <string.h>

enum { PAGE = 32, ALL_LEN = DBL_GTRID_LEN + DBL_BQUAL_MAX + 1 };

struct names {
	char list[PAGE][ALL_LEN];
	unsigned n;
};

static int take_name(void *ctx, const struct dbl_value *row)
{
	struct names *names = ctx;

	(void)snprintf(names->list[names->n++], ALL_LEN, "%.*s", (int)row[0].len, row[0].text);
	return 0;
}

/* The marks there of one transaction. */
static void read_marks(struct dbl_place *p, const char *gtrid, struct names *names)
{
	struct dbl_value args[] = {dbl_text(gtrid), dbl_int(DBLOCK_BRANCHES)};
	unsigned n = 0;

	names->n = 0;
	if (p->tx && dbl_place_run(p, DBL_OP_branch_marks, DBL_ARGS(args), take_name, names, NULL))
		names->n = 0;
	while (n < names->n && strncmp(names->list[n], gtrid, DBL_GTRID_LEN) == 0)
		n++;
	names->n = n;
}

unsigned dbl_marks_of(struct dbl_recovery *r, const struct dbl_xid *of)
{
	struct dbl_xid_text text;
	struct dbl_xid xid;
	struct names names;
	unsigned seen = 0;

	dbl_xid_write(of, &text);
	for (unsigned i = 0; i < r->n_places; i++) {
		read_marks(&r->places[i], text.gtrid, &names);
		for (unsigned j = 0; j < names.n; j++)
			if (dbl_xid_read(&xid, names.list[j]) && xid.n >= 1 &&
			    xid.n <= DBLOCK_BRANCHES)
				seen |= 1U << (xid.n - 1);
	}
	return seen;
}

static void unmark(struct dbl_recovery *r, const struct dbl_xid *of)
{
	struct dbl_xid_text text;
	struct names names;
	struct dbl_value name;

	dbl_xid_write(of, &text);
	for (unsigned i = 0; i < r->n_places; i++) {
		read_marks(&r->places[i], text.gtrid, &names);
		for (unsigned j = 0; j < names.n; j++) {
			name = dbl_text(names.list[j]);
			(void)dbl_place_run(&r->places[i], DBL_OP_branch_unmark, DBL_ARG(name),
					    NULL, NULL, NULL);
		}
	}
}

/* ---- decisions ------------------------------------------------------------------------------- */

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

static size_t n_listed(const struct dbl_recovery *r, const char *id)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_prepared; i++)
		n += !r->prepared[i].over && strcmp(r->prepared[i].xid.id, id) == 0;
	return n;
}

/* Finished is who is listed no more, and whose mark is seen. */
static int check_decision(struct dbl_recovery *r, struct dbl_place *home, const char *id,
			  int64_t parts, int64_t since)
{
	struct dbl_xid xid = {.n = 1, .since = since / 1000000};
	struct dbl_value arg = dbl_text(id);
	unsigned all = parts >= 1 ? (1U << parts) - 1 : 0;

	(void)snprintf(xid.home, sizeof(xid.home), "%s", home->home);
	(void)snprintf(xid.id, sizeof(xid.id), "%s", id);
	(void)snprintf(xid.history, sizeof(xid.history), "%s", home->home);
	if (n_listed(r, id) > 0)
		return 0; /* it was told of */
	if ((dbl_marks_of(r, &xid) & all) != all)
		return dbl_recovery_tell(r, &xid, DBLOCK_RECOVERED_NOT_YET, 0,
					 "it is committed; one of its databases is not among those "
					 "given, cannot be reached, or does not know of it");
	if (dbl_place_run(home, DBL_OP_decision_forget, DBL_ARG(arg), NULL, NULL, NULL) == 0)
		unmark(r, &xid);
	return 0;
}

int dbl_recover_decisions(struct dbl_recovery *r, struct dbl_place *home)
{
	struct decisions page;
	char after[17] = "";
	int rc = 0;

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
