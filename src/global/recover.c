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

static int take_decision(void *ctx, const struct dbl_value *row)
{
	*(struct dbl_decision *)ctx = (struct dbl_decision){row[0].i, row[1].i};
	return 0;
}

int dbl_decision_read(struct dbl_place *home, const struct dbl_xid *xid, struct dbl_decision *d,
		      struct dblock_error *err)
{
	struct dbl_value id = dbl_text(xid->id);

	*d = (struct dbl_decision){.state = 0};
	return dbl_place_run(home, DBL_OP_decision_read, DBL_ARG(id), take_decision, d, err);
}

bool dbl_is_asked_for(const struct dbl_recovery *r, const char *id)
{
	return !r->asked.id || strcmp(r->asked.id, id) == 0;
}

bool dbl_is_listed(const struct dbl_recovery *r, const char *id)
{
	bool any = false;

	for (size_t i = 0; i < r->n_prepared; i++)
		any |= !r->prepared[i].over && strcmp(r->prepared[i].xid.id, id) == 0;
	return any;
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
	    is_known(l->r, all) || !dbl_is_asked_for(l->r, p.xid.id))
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
		  : dbl_db_branch_list(p->tx->db, take_prepared, &listing, dbl_tx_deadline(p->tx),
				       err);
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

static int finish_prepared(struct dbl_recovery *r, struct dblock_error *err)
{
	size_t n;
	int rc = 0;

	if (r->n_prepared)
		qsort(r->prepared, r->n_prepared, sizeof(*r->prepared), by_id);
	for (size_t at = 0; at < r->n_prepared && rc == 0; at += n) {
		struct dbl_prepared *first = &r->prepared[at];
		struct dbl_left left = {.xid = &first->xid, .list = first};

		for (n = 1; at + n < r->n_prepared && strcmp(first->xid.id, first[n].xid.id) == 0;
		     n++)
			;
		left.n = n;
		rc = dbl_recover_one(r, &left, err);
	}
	return rc;
}

static int finish_all(struct dbl_recovery *r, struct dblock_error *err)
{
	int rc = finish_prepared(r, err);

	for (unsigned i = 0; i < r->n_places && rc == 0; i++)
		if (r->places[i].tx)
			rc = dbl_recover_decisions(r, &r->places[i]);
	for (unsigned i = 0; i < r->n_places && rc == 0 && !r->asked.look; i++)
		if (r->places[i].tx)
			dbl_marks_sweep(r, &r->places[i]);
	return rc;
}

int dbl_recover(struct dbl_recovery *r, struct dblock_error *err)
{
	struct dblock_error heard = {0};
	int first = 0, rc;

	for (unsigned i = 0; i < r->n_places; i++) {
		rc = open_place(r, i, first ? NULL : err);
		first = first ? first : rc;
	}
	rc = first == DBLOCK_E_NOMEM ? first : finish_all(r, &heard);
	if (rc && err)
		*err = heard;
	for (unsigned i = 0; i < r->n_places; i++)
		dbl_tx_close(r->places[i].tx);
	dbl_free(r->prepared);
	return rc ? rc : first;
}
