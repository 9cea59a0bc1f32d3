/* SPDX-License-Identifier: MIT */
/* Which databases there are, and what is prepared there; then each transaction is finished, and what is done is forgotten. */
#include "global/recover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "driver/value.h"
#include "lock/tx/histories.h"

int dbl_place_run(struct dbl_place *p, enum dbl_op op, struct dbl_args args,
		  int (*row)(void *, const struct dbl_value *), void *ctx, struct dblock_error *err)
{
	struct dbl_request request = {
		.op = op, .args = args, .row = row, .ctx = ctx, .deadline = dbl_tx_deadline(p->tx)};

	return dbl_db_run(p->tx->db, &request, err);
}

struct dbl_place *dbl_place_of_home(struct dbl_recovery *r, const char *home)
{
	for (unsigned i = 0; i < r->n_places; i++)
		if (r->places[i].tx && strcmp(r->places[i].home, home) == 0)
			return &r->places[i];
	return NULL;
}

int dbl_recovery_tell(struct dbl_recovery *r, const struct dbl_xid *xid, enum dblock_recovered how,
		      size_t branches, const char *text)
{
	const struct dblock_recovery found = {.size = sizeof(found),
					      .outcome = how,
					      .id = xid->id,
					      .branches = (int64_t)branches,
					      .since_us = xid->since * 1000000,
					      .text = text};

	return r->found ? r->found(r->arg, &found) : 0;
}

/* ---- what there is --------------------------------------------------------------------------- */

struct listing {
	struct dbl_recovery *r;
	unsigned place;
};

static bool is_known(const struct dbl_recovery *r, const char *all)
{
	for (size_t i = 0; i < r->n_prepared; i++)
		if (strcmp(r->prepared[i].text.all, all) == 0)
			return true;
	return false;
}

static bool make_room(struct dbl_recovery *r)
{
	size_t room = r->room ? 2 * r->room : 16;
	struct dbl_prepared *more;

	if (r->n_prepared < r->room)
		return true;
	more = dbl_realloc(r->prepared, room * sizeof(*more));
	if (!more)
		return false;
	r->prepared = more;
	r->room = room;
	return true;
}

/* The columns of branch_list. A server lists those of all its databases, so one may come twice. */
static int take_prepared(void *ctx, const struct dbl_value *row)
{
	const struct listing *l = ctx;
	struct dbl_prepared p = {.place = l->place};
	char all[sizeof(p.text.all)];

	(void)snprintf(all, sizeof(all), "%.*s", (int)row[3].len, row[3].text);
	if (row[1].i != DBL_GTRID_LEN || row[3].len >= sizeof(all) || !dbl_xid_read(&p.xid, all) ||
	    is_known(l->r, all))
		return 0;
	if (!make_room(l->r))
		return DBLOCK_E_NOMEM;
	dbl_xid_write(&p.xid, &p.text);
	l->r->prepared[l->r->n_prepared++] = p;
	return 0;
}

static int read_place(struct dbl_recovery *r, unsigned i, struct dblock_error *err)
{
	struct dbl_place *p = &r->places[i];
	struct listing listing = {r, i};
	struct dbl_histories h;
	int rc = dbl_histories_read(p->tx, false, &h, err);

	memcpy(p->home, h.first, sizeof(p->home));
	memcpy(p->history, h.newest, sizeof(p->history));
	return rc ? rc
		  : dbl_place_run(p, DBL_OP_branch_list, (struct dbl_args){NULL, 0}, take_prepared,
				  &listing, err);
}

static int open_place(struct dbl_recovery *r, unsigned i, struct dblock_error *err)
{
	struct dbl_place *p = &r->places[i];
	int rc = dbl_tx_take(&p->tx, p->pool, p->timeout, err);

	if (rc == 0)
		rc = read_place(r, i, err);
	if (rc) {
		dbl_tx_close(p->tx);
		p->tx = NULL;
	}
	return rc;
}

static int by_id(const void *a, const void *b)
{
	const struct dbl_prepared *one = a, *other = b;
	int order = strcmp(one->xid.id, other->xid.id);

	return order ? order : (one->xid.n > other->xid.n) - (one->xid.n < other->xid.n);
}

/* ---- finishing ------------------------------------------------------------------------------- */

static int finish_all(struct dbl_recovery *r)
{
	size_t n;
	int rc = 0;

	if (r->n_prepared)
		qsort(r->prepared, r->n_prepared, sizeof(*r->prepared), by_id);
	for (size_t at = 0; at < r->n_prepared && rc == 0; at += n) {
		for (n = 1; at + n < r->n_prepared &&
			    strcmp(r->prepared[at].xid.id, r->prepared[at + n].xid.id) == 0;
		     n++)
			;
		rc = dbl_recover_one(r, &r->prepared[at], n);
	}
	for (unsigned i = 0; i < r->n_places && rc == 0; i++)
		if (r->places[i].tx)
			rc = dbl_recover_decisions(r, &r->places[i]);
	return rc;
}

int dbl_recover(struct dbl_recovery *r, struct dblock_error *err)
{
	int first = 0, rc;

	for (unsigned i = 0; i < r->n_places; i++) {
		rc = open_place(r, i, first ? NULL : err);
		first = first ? first : rc;
	}
	rc = first == DBLOCK_E_NOMEM ? first : finish_all(r);
	for (unsigned i = 0; i < r->n_places; i++)
		dbl_tx_close(r->places[i].tx);
	dbl_free(r->prepared);
	return rc ? rc : first;
}
