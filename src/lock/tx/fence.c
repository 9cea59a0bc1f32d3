/* SPDX-License-Identifier: MIT */
#include "lock/tx/fence.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "lock/cache/local.h"
#include "lock/core/retry.h"
#include "lock/core/value.h"
#include "lock/handle/loss.h"
#include "lock/queue/snapshot.h"
#include "lock/tx/in_tx.h"

/* One grant that is to be fenced. */
struct item {
	struct dblock_lock *lock;
	int64_t ticket; /* of the queue's row that carries it; 0: the lock's own row does */
	struct dbl_attachment *attachment; /* to join; NULL: the transaction has one already */
	int64_t token, nonce;              /* what the row says; -1: no row could be locked */
};

struct fence {
	struct dblock_tx *tx;
	struct item *items;
	unsigned n;
	bool to_release;
	bool writes;         /* the rows are changed, as locks on them would not do */
	int64_t until;       /* after this time it is not tried again */
	int64_t deadline;    /* a whole timeout, as a late reply costs the caller's transaction */
	struct item *missed; /* its row was not there, or carries another grant */
};

int dbl_fence_check_tables(const struct dblock_tx *tx, const struct dbl_locks *locks,
			   struct dblock_error *err)
{
	const struct dbl_names *a = &tx->target->names, *b = &locks->target->names;

	if (tx->target->dialect != locks->target->dialect)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"the lock is kept on another kind of database than the "
				"transaction's (%s, %s)",
				locks->target->dialect->name, tx->target->dialect->name);
	if (strcmp(a->schema, b->schema) == 0 && strcmp(a->prefix, b->prefix) == 0)
		return 0;
	return dbl_fail(err, DBLOCK_E_INVALID,
			"the transaction's tables of dblock are %s%s%s*, the lock's %s%s%s*: adopt "
			"the connection with the client's schema and prefix",
			a->schema, *a->schema ? "." : "", a->prefix, b->schema,
			*b->schema ? "." : "", b->prefix);
}

/* ---- what is to be fenced -------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct item *)a)->lock->name, ((const struct item *)b)->lock->name);
}

static int add_item(struct fence *f, struct dblock_lock *lock, struct dblock_error *err)
{
	struct item *item = &f->items[f->n];

	*item = (struct item){.lock = lock};
	if (!dbl_attachment_find(f->tx, lock, DBL_FENCES)) {
		item->attachment = dbl_attachment_new(f->tx, lock, DBL_FENCES);
		if (!item->attachment)
			return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	}
	f->n++;
	return dbl_has_queue_row(lock)
		       ? dbl_attachment_ticket(lock, f->tx, f->deadline, &item->ticket, err)
		       : 0;
}

/* A lock that is released in an open transaction, or acquired in another one, cannot be fenced: the
 * fence would wait for the end of that one, perhaps on its own thread. */
static int check_in_tx(const struct fence *f, struct dblock_lock *lock, struct dblock_error *err)
{
	const struct dblock_lock *one = lock->n_parts ? lock->parts[0] : lock;
	enum dbl_in_tx in_tx = dbl_in_tx_of(lock);

	if (in_tx == DBL_IN_TX_RELEASING ||
	    (in_tx == DBL_IN_TX_ACQUIRING && !dbl_attachment_find(f->tx, one, DBL_ACQUIRES)))
		return dbl_attachment_check(lock, err);
	return 0;
}

/* The grant was taken away from us, though its row says that it is ours until it is given back. */
static bool is_taken_away(struct dblock_lock *lock)
{
	int cause = atomic_load(&lock->cause);

	return cause == DBLOCK_LOSS_BROKEN || cause == DBLOCK_LOSS_RELEASED;
}

static int add_lock(struct fence *f, struct dblock_lock *lock, struct dblock_error *err)
{
	int rc = dbl_fence_check_tables(f->tx, lock->locks, err);

	if (rc == 0 && is_taken_away(lock))
		rc = dbl_stale_grant(lock, err);
	if (rc == 0)
		rc = check_in_tx(f, lock, err);

	for (unsigned i = 0; i < lock->n_parts && rc == 0; i++)
		rc = add_item(f, lock->parts[i], err);
	return rc || lock->n_parts ? rc : add_item(f, lock, err);
}

static int add_locks(struct fence *f, struct dblock_lock *const *locks, unsigned n,
		     struct dblock_error *err)
{
	size_t room = 0;
	int rc = 0;

	for (unsigned i = 0; i < n; i++)
		room += locks[i]->n_parts ? locks[i]->n_parts : 1;
	f->items = dbl_alloc(room * sizeof(*f->items));
	if (!f->items)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	for (unsigned i = 0; i < n && rc == 0; i++)
		rc = add_lock(f, locks[i], err);
	if (rc == 0)
		qsort(f->items, f->n, sizeof(*f->items), by_name);
	return rc;
}

/* ---- in the transaction ---------------------------------------------------------------------- */

static int take_row(void *ctx, const struct dbl_value *row)
{
	struct item *item = ctx;

	item->token = dbl_int_or(&row[0], -1);
	item->nonce = dbl_int_or(&row[1], -1);
	return 0;
}

/* What asks for a grant's row. */
struct ask {
	struct dbl_value args[5];
	struct dbl_request request;
};

static void make_ask(const struct fence *f, struct item *item, struct dbl_value note,
		     struct ask *ask)
{
	const struct dblock_lock *lock = item->lock;
	const struct dbl_carrier *carrier = lock->grant.carrier;

	DBL_ASSERT(dbl_has_queue_row(lock) == (item->ticket != 0), "%s, %lld", lock->name,
		   (long long)item->ticket);
	item->token = item->nonce = -1;
	*ask = (struct ask){.args = {dbl_text(lock->name), dbl_int(dbl_row_token(lock)),
				     dbl_int(lock->grant.nonce), note, dbl_int(item->ticket)}};
	ask->request = (struct dbl_request){
		.op = f->to_release || f->writes ? carrier->fence_update : carrier->fence_share,
		.args = DBL_ARGS(ask->args),
		.row = take_row,
		.ctx = item,
		.deadline = f->deadline,
	};
}

static bool is_ours(const struct item *item)
{
	return item->token == dbl_row_token(item->lock) && item->nonce == item->lock->grant.nonce;
}

/* The row, which is ours and locked, is changed if it has to be. DBLOCK_BUSY: it is another one. */
static int fence_row(const struct fence *f, struct item *item, struct dbl_db *db,
		     struct dblock_error *err)
{
	const struct dblock_lock *lock = item->lock;
	struct dbl_value args[] = {dbl_text(lock->name),
				   dbl_int(item->ticket ? item->ticket : dbl_row_token(lock)),
				   dbl_int(lock->grant.nonce)};
	struct dbl_request write = {.op = lock->grant.carrier->fence_write,
				    .args = DBL_ARGS(args),
				    .deadline = f->deadline};
	struct ask ask;
	int rc;

	make_ask(f, item, dbl_null(), &ask);
	rc = dbl_db_run(db, &ask.request, err);
	if (rc == 0 && !is_ours(item))
		return DBLOCK_BUSY;
	return rc == 0 && f->writes ? dbl_db_run(db, &write, err) : rc;
}

/* All fences, for triggers: the earlier ones first, as of each lock the last line counts. */
static struct dbl_value note_of(const struct fence *f, struct dbl_str *text)
{
	if (f->writes)
		dbl_str_add(text, "\twrites\n"); /* no lock's line: a name is not empty */
	for (const struct dbl_tx_part *part = f->tx->parts; part; part = part->next)
		dbl_attachment_note(part, text);
	for (unsigned i = 0; i < f->n; i++)
		dbl_attachment_line(f->items[i].lock, f->items[i].ticket, text);
	return (struct dbl_value){.type = DBL_TEXT, .text = text->text, .len = text->len};
}

static int note(const struct fence *f, struct dbl_db *db, struct dblock_error *err)
{
	struct dbl_str text = {0};
	struct dbl_value arg = note_of(f, &text);
	struct dbl_request request = {
		.op = DBL_OP_fence_note, .args = DBL_ARG(arg), .deadline = f->deadline};
	int rc = text.failed ? dbl_fail(err, DBLOCK_E_NOMEM, "out of memory")
			     : dbl_db_run(db, &request, err);

	dbl_str_free(&text);
	return rc;
}

/* DBLOCK_BUSY: the grant of f->missed was not there. */
static int lock_rows(void *ctx, struct dbl_db *db, struct dblock_error *err)
{
	struct fence *f = ctx;
	bool plain = f->tx->pool && f->tx->begun_here && !f->tx->used;
	int rc = dbl_db_must_write(db, plain, &f->writes, f->deadline, err);

	f->missed = NULL;
	for (unsigned i = 0; i < f->n && rc == 0; i++) {
		struct item *item = &f->items[i];

		/* They are in byte order, or two fences could wait for each other. */
		DBL_ASSERT(i == 0 || strcmp(item[-1].lock->name, item->lock->name) <= 0, "%s",
			   item->lock->name);
		rc = fence_row(f, item, db, err);
		if (rc == DBLOCK_BUSY)
			f->missed = item;
	}
	if (rc == 0 && !f->tx->target->dialect->is_file)
		rc = note(f, db, err);
	return rc;
}

/* ---- what was missed ------------------------------------------------------------------------- */

/* *ours: the database says now, whatever the transaction can see, that the grant stands. */
static int look(const struct fence *f, const struct item *item, bool *ours,
		struct dblock_error *err)
{
	struct dblock_lock *lock = item->lock;
	struct dbl_snapshot snapshot;
	int rc = dbl_look(lock->locks->link, lock->name, NULL, lock->grant.nonce, f->deadline,
			  &snapshot, err);

	if (rc == 0 && item->ticket)
		*ours = snapshot.row_token == lock->grant.token;
	else if (rc == 0)
		*ours = snapshot.token == dbl_row_token(lock) &&
			snapshot.nonce == lock->grant.nonce;
	return rc;
}

/* DBLOCK_BUSY: try again. *hidden: how often in a row the transaction missed a grant that stood, unlocked. */
static int judge(struct fence *f, int *hidden, struct dblock_error *err)
{
	struct item *item = f->missed;
	const char *name = item->lock->name;
	bool ours = false, idle = false;
	/* On SQLite no row is locked or hidden, as the transaction that looked has the whole file.
	 * And another connection may be busy with a request that waits for the file, so for us. */
	bool is_file = f->tx->target->dialect->is_file;
	int rc = item->token == -1 && !is_file ? look(f, item, &ours, err) : 0;

	if (rc == 0 && !ours)
		return dbl_stale_grant(item->lock, err);
	if (rc == 0)
		rc = dbl_attachment_idle(item->lock, &idle, err);
	if (rc)
		return rc;
	/* A node of Galera that is behind comes to see it. */
	*hidden = idle && !f->writes ? *hidden + 1 : 0;
	if (*hidden > 1)
		return dbl_fail(err, DBLOCK_E_CONFLICT,
				"'%s': the transaction sees the database as it was before this "
				"grant; begin it anew",
				name);
	if (dbl_pause_before_retry(item->lock->locks, f->until))
		return DBLOCK_BUSY;
	return dbl_fail(err, DBLOCK_E_BLOCKED, "'%s': its row is locked by another transaction",
			name);
}

/* The usual case, in one round trip where the dialect `pipelines`: one row, locked and noted by one
 * statement. DBLOCK_BUSY: not so, and nothing is done: step by step it is found out why. */
static int fence_at_once(struct fence *f, struct dblock_error *err)
{
	struct dblock_error why = {0};
	struct dbl_str text = {0};
	struct ask ask;
	int rc;

	if (!f->tx->target->dialect->pipelines || f->n != 1)
		return DBLOCK_BUSY;
	make_ask(f, f->items, note_of(f, &text), &ask);
	rc = text.failed ? dbl_fail(&why, DBLOCK_E_NOMEM, "out of memory")
			 : dbl_tx_run_guarded(f->tx, 0, &ask.request, &why);
	dbl_str_free(&text);
	if ((rc == 0 && !is_ours(f->items)) ||
	    (rc == DBLOCK_E_BUG && dbl_db_state(f->tx->db) == DBL_TX_OPEN))
		return DBLOCK_BUSY;
	if (rc && err)
		*err = why;
	return rc;
}

static int fence_rows(struct fence *f, struct dblock_error *err)
{
	int hidden = 0, rc = fence_at_once(f, err);

	while (rc == DBLOCK_BUSY) {
		f->deadline = dbl_tx_deadline(f->tx);
		rc = dbl_tx_guarded(f->tx, lock_rows, f, f->deadline, err);
		if (rc == DBLOCK_BUSY)
			rc = judge(f, &hidden, err);
	}
	return rc;
}

int dbl_fence(struct dblock_tx *tx, struct dblock_lock *const *locks, unsigned n, bool to_release,
	      struct dblock_error *err)
{
	struct fence f = {.tx = tx, .to_release = to_release, .until = dbl_tx_deadline(tx)};
	int rc = dbl_tx_check_open(tx, err);

	f.deadline = f.until;
	if (rc == 0)
		rc = add_locks(&f, locks, n, err);
	/* From now on the grant is known by its row's token, and passed on to no other thread. */
	for (unsigned i = 0; i < f.n && rc == 0; i++)
		dbl_local_use_row_token(f.items[i].lock);
	if (rc == 0)
		rc = fence_rows(&f, err);
	for (unsigned i = 0; i < f.n; i++) {
		if (rc == 0 && f.items[i].attachment)
			dbl_attachment_join(f.items[i].attachment);
		else
			dbl_free(f.items[i].attachment);
	}
	dbl_free(f.items);
	return rc;
}
