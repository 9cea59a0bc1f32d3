/* SPDX-License-Identifier: MIT */
/* By the rows that branches have written it is seen which have committed; that one is listed no more proves nothing by
 * itself. */
#include "driver/value.h"
#include "global/recover.h"

#include <stdio.h>
#include <string.h>

enum { PAGE = 32, ALL_LEN = DBL_GTRID_LEN + DBL_BQUAL_MAX + 1 };

struct names {
	char list[PAGE][ALL_LEN];
	unsigned n;
};

_Static_assert((int)PAGE >= (int)DBL_XID_MAX, "all of a transaction's are read at once");

static int take_name(void *ctx, const struct dbl_value *row)
{
	struct names *names = ctx;

	(void)snprintf(names->list[names->n++], ALL_LEN, "%.*s", (int)row[0].len, row[0].text);
	return 0;
}

static int read_page(struct dbl_place *p, const char *after, unsigned most, struct names *names)
{
	struct dbl_value args[] = {dbl_text(after), dbl_int(most)};
	int rc;

	names->n = 0;
	rc = dbl_place_run(p, DBL_OP_branch_marks, DBL_ARGS(args), take_name, names, NULL);
	if (rc)
		names->n = 0;
	return rc;
}

static void unmark(struct dbl_place *p, const char *mark)
{
	struct dbl_value name = dbl_text(mark);

	(void)dbl_place_run(p, DBL_OP_branch_unmark, DBL_ARG(name), NULL, NULL, NULL);
}

/* ---- of one transaction ---------------------------------------------------------------------- */

static void read_marks(struct dbl_place *p, const char *gtrid, struct names *names)
{
	unsigned n = 0;

	names->n = 0;
	if (p->tx)
		(void)read_page(p, gtrid, DBL_XID_MAX, names);
	while (n < names->n && strncmp(names->list[n], gtrid, DBL_GTRID_LEN) == 0)
		n++;
	names->n = n;
}

void dbl_marks_read(struct dbl_recovery *r, const struct dbl_xid *of, struct dbl_marks *marks)
{
	struct dbl_xid_text text;
	struct dbl_xid xid;
	struct names names;

	*marks = (struct dbl_marks){.seen = 0};
	dbl_xid_write(of, &text);
	for (unsigned i = 0; i < r->n_places; i++) {
		read_marks(&r->places[i], text.gtrid, &names);
		for (unsigned j = 0; j < names.n; j++) {
			if (!dbl_xid_read(&xid, names.list[j]))
				continue;
			marks->seen |= 1U << (xid.n - 1);
			marks->place[xid.n - 1] = i;
		}
	}
}

void dbl_marks_forget(struct dbl_recovery *r, const struct dbl_xid *of)
{
	struct dbl_xid_text text;
	struct names names;

	dbl_xid_write(of, &text);
	for (unsigned i = 0; i < r->n_places; i++) {
		read_marks(&r->places[i], text.gtrid, &names);
		for (unsigned j = 0; j < names.n; j++)
			unmark(&r->places[i], names.list[j]);
	}
}

/* ---- of all ---------------------------------------------------------------------------------- */

/* The decision was there before the mark was, and goes when all is finished; a recovery with an old list may then write an
 * abort. A home that may have forgotten it for another reason says nothing by that. */
static bool is_forgotten(struct dbl_recovery *r, const char *mark)
{
	struct dbl_decision d;
	struct dbl_place *home;
	struct dbl_xid xid;

	if (!dbl_xid_read(&xid, mark) || !dbl_is_asked_for(r, xid.id) || dbl_is_listed(r, xid.id))
		return false;
	home = dbl_place_of_home(r, xid.home);
	return home && strcmp(home->history, xid.history) == 0 &&
	       dbl_decision_read(home, &xid, &d, NULL) == 0 && d.state != 1;
}

void dbl_marks_sweep(struct dbl_recovery *r, struct dbl_place *p)
{
	char after[ALL_LEN] = "";
	struct names names;

	do {
		if (read_page(p, after, PAGE, &names))
			return;
		for (unsigned i = 0; i < names.n; i++)
			if (is_forgotten(r, names.list[i]))
				unmark(p, names.list[i]);
		if (names.n)
			memcpy(after, names.list[names.n - 1], sizeof(after));
	} while (names.n == PAGE);
}
