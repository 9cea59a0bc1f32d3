/* SPDX-License-Identifier: MIT */
#include "lock/tx/attachment.h"

#include <string.h>

#include "base/mem.h"
#include "lock/tx/in_tx.h"
#include "lock/tx/own.h"

/* How long to pause between two looks. */
#define PAUSE_US 2000

/* How often to look at a row that is locked, as another client may have it for an instant. */
#define IDLE_LOOKS 4

/* ---- the list -------------------------------------------------------------------------------- */

/* Under the mutex. */
static void unlink_attachment(struct dbl_attachment *attachment)
{
	struct dbl_attachment **at = &attachment->locks->attached->attachments;

	DBL_ASSERT_HELD(&attachment->locks->mutex);
	while (*at && *at != attachment)
		at = &(*at)->next;
	if (!*at)
		return;
	*at = attachment->next;
	atomic_fetch_sub(&attachment->locks->attachments, 1);
}

static void ended(struct dbl_tx_part *part, enum dbl_tx_end end)
{
	struct dbl_attachment *attachment = (struct dbl_attachment *)part;
	struct dblock_lock *lock = NULL;

	if (attachment->locks) {
		dbl_lock(&attachment->locks->mutex);
		lock = attachment->kind == DBL_FENCES ? NULL : attachment->lock;
		attachment->ending = lock != NULL;
		if (!lock)
			unlink_attachment(attachment);
		if (!lock && attachment->lock && end == DBL_TX_LEFT)
			dbl_attachment_set_left(attachment->lock, true);
		dbl_unlock(&attachment->locks->mutex);
	}
	if (lock) {
		dbl_in_tx_ended(lock, attachment, end);
		dbl_lock(&attachment->locks->mutex);
		unlink_attachment(attachment);
		dbl_unlock(&attachment->locks->mutex);
	}
	dbl_free(attachment);
}

struct dbl_attachment *dbl_attachment_new(struct dblock_tx *tx, struct dblock_lock *lock,
					  enum dbl_attachment_kind kind)
{
	struct dbl_attachment *attachment = dbl_alloc(sizeof(*attachment));

	if (!attachment)
		return NULL;
	DBL_ASSERT(lock->n_parts == 0, "%s", lock->name); /* each part has an own attachment */
	*attachment = (struct dbl_attachment){.part.ended = ended,
					      .tx = tx,
					      .locks = lock->locks,
					      .kind = kind,
					      .thread = dbl_thread_id(),
					      .lock = lock};
	return attachment;
}

/* The handle is gone, or has parted with the transaction, or the client is closed. */
static bool is_void(struct dbl_attachment *attachment)
{
	bool is;

	if (!attachment->locks)
		return true;
	dbl_lock(&attachment->locks->mutex);
	is = !attachment->lock;
	if (is)
		unlink_attachment(attachment);
	dbl_unlock(&attachment->locks->mutex);
	return is;
}

/* Free what is void: nothing else does where the caller ends its transactions by its own SQL. */
static void sweep(struct dblock_tx *tx)
{
	struct dbl_tx_part **at = &tx->parts;

	while (*at) {
		struct dbl_tx_part *part = *at;

		if (part->ended != ended || !is_void((struct dbl_attachment *)part)) {
			at = &part->next;
			continue;
		}
		*at = part->next;
		dbl_free(part);
	}
}

void dbl_attachment_join(struct dbl_attachment *attachment)
{
	DBL_ASSERT(attachment->lock && !attachment->next && !attachment->ending);
	sweep(attachment->tx);
	dbl_lock(&attachment->locks->mutex);
	attachment->next = attachment->locks->attached->attachments;
	attachment->locks->attached->attachments = attachment;
	attachment->lock->noted = true;
	atomic_fetch_add(&attachment->locks->attachments, 1);
	dbl_unlock(&attachment->locks->mutex);
	dbl_tx_join(attachment->tx, &attachment->part);
}

/* Under the mutex. */
static struct dbl_attachment *first_of(const struct dbl_locks *locks,
				       const struct dblock_lock *lock)
{
	struct dbl_attachment *attachment = locks->attached->attachments;

	DBL_ASSERT_HELD(&locks->mutex);
	while (attachment && attachment->lock != lock)
		attachment = attachment->next;
	return attachment;
}

struct dbl_attachment *dbl_attachment_find(const struct dblock_tx *tx,
					   const struct dblock_lock *lock,
					   enum dbl_attachment_kind kind)
{
	struct dbl_locks *locks = lock->locks;
	struct dbl_attachment *attachment;

	dbl_lock(&locks->mutex);
	for (attachment = locks->attached->attachments; attachment; attachment = attachment->next) {
		if (attachment->tx == tx && attachment->lock == lock && attachment->kind == kind)
			break;
	}
	dbl_unlock(&locks->mutex);
	return attachment;
}

void dbl_attachment_line(const struct dblock_lock *lock, int64_t ticket, struct dbl_str *text)
{
	dbl_str_addf(text, "%s\t%lld\t%lld\t%lld\n", lock->name, (long long)dbl_row_token(lock),
		     (long long)lock->grant.nonce, (long long)ticket);
}

/* All of this is under the mutex, as another thread may be about to free the lock. */
void dbl_attachment_note(const struct dbl_tx_part *part, struct dbl_str *text)
{
	const struct dbl_attachment *attachment = (const struct dbl_attachment *)part;
	const struct dblock_lock *lock;

	if (part->ended != ended || attachment->kind != DBL_FENCES || !attachment->locks)
		return;
	dbl_lock(&attachment->locks->mutex);
	lock = attachment->lock;
	if (lock)
		dbl_attachment_line(lock, dbl_has_queue_row(lock) ? lock->attached_row.ticket : 0,
				    text);
	dbl_unlock(&attachment->locks->mutex);
}

bool dbl_attachment_has(const struct dbl_locks *locks, const struct dblock_lock *lock)
{
	return first_of(locks, lock) != NULL;
}

/* The attachment stays with its transaction, which frees it. */
void dbl_attachment_forget(struct dblock_lock *lock)
{
	struct dbl_locks *locks = lock->locks;

	dbl_lock(&locks->mutex);
	for (struct dbl_attachment *attachment = locks->attached->attachments; attachment;
	     attachment = attachment->next) {
		if (attachment->lock == lock)
			attachment->lock = NULL;
	}
	dbl_attachment_set_left(lock, false);
	dbl_unlock(&locks->mutex);
}

void dbl_attachments_close(struct dbl_locks *locks)
{
	dbl_lock(&locks->mutex);
	for (struct dbl_attachment *attachment = locks->attached->attachments; attachment;
	     attachment = attachment->next) {
		attachment->lock = NULL;
		attachment->locks = NULL;
		atomic_fetch_sub(&locks->attachments, 1);
	}
	locks->attached->attachments = NULL;
	dbl_unlock(&locks->mutex);
}

/* ---- asked before a row is written ----------------------------------------------------------- */

/* 1: the transaction is open, 0: it has ended, -1: this is not its thread, which alone can tell. */
static int known_open(const struct dbl_attachment *attachment)
{
	if (attachment->thread != dbl_thread_id())
		return -1;
	return dbl_db_state(attachment->tx->db) != DBL_TX_NONE;
}

static int is_fenced(const struct dblock_lock *lock, enum dbl_attachment_kind kind,
		     struct dblock_error *err)
{
	const char *what = kind == DBL_FENCES     ? "fenced by"
			   : kind == DBL_RELEASES ? "released in"
						  : "acquired in";
	const char *or_else =
		kind == DBL_FENCES ? ", or release the lock in it (dblock_tx_release)" : "";

	return dbl_fail(err, DBLOCK_FENCED,
			"'%s' is %s a transaction that is still open; end it first%s", lock->name,
			what, or_else);
}

/* Copy, under the mutex, what is known of an attachment of the lock; false: there is none. While
 * the lock is being told how a transaction ended, this waits for that. */
static bool see_attachment(struct dblock_lock *lock, enum dbl_attachment_kind *kind, int *open)
{
	struct dbl_locks *locks = lock->locks;
	struct dbl_attachment *attachment;

	dbl_lock(&locks->mutex);
	while ((attachment = first_of(locks, lock)) && attachment->ending) {
		dbl_unlock(&locks->mutex);
		dbl_sleep_until(locks->env, dbl_now(locks->env) + PAUSE_US);
		dbl_lock(&locks->mutex);
	}
	if (attachment) {
		*kind = attachment->kind;
		*open = known_open(attachment);
	}
	dbl_unlock(&locks->mutex);
	return attachment != NULL;
}

/* The lock's transactions have ended elsewhere, nobody knows how. */
static void part_with(struct dblock_lock *lock)
{
	struct dbl_locks *locks = lock->locks;
	bool any = false;
	struct dbl_attachment seen;

	dbl_lock(&locks->mutex);
	for (struct dbl_attachment *attachment = locks->attached->attachments; attachment;
	     attachment = attachment->next) {
		if (attachment->lock != lock)
			continue;
		DBL_ASSERT(!any || attachment->kind == DBL_FENCES, "%s", lock->name);
		if (attachment->kind != DBL_FENCES) {
			seen = *attachment;
			any = true;
		}
		attachment->lock = NULL;
	}
	dbl_unlock(&locks->mutex);
	if (any)
		dbl_in_tx_ended(lock, &seen, DBL_TX_UNKNOWN);
}

/* A transaction that is open need not be the one that fenced: if nobody has the row locked, that
 * one has ended. If the row cannot be looked at, the open one counts as that. */
static int check_one(struct dblock_lock *lock, struct dblock_error *err)
{
	enum dbl_attachment_kind kind = DBL_FENCES;
	bool idle = false;
	int open, rc = dbl_attachment_check_left(lock, err);

	if (rc)
		return rc;
	for (int looks = 0; see_attachment(lock, &kind, &open); looks++) {
		rc = open ? dbl_attachment_idle(lock, &idle, err) : 0;
		if (rc)
			return open > 0 ? is_fenced(lock, kind, err) : rc;
		if (!open || idle)
			part_with(lock);
		else if (open > 0 || looks == IDLE_LOOKS)
			return is_fenced(lock, kind, err);
		else
			dbl_sleep_until(lock->locks->env, dbl_now(lock->locks->env) + PAUSE_US);
	}
	return 0;
}

int dbl_attachment_check(struct dblock_lock *lock, struct dblock_error *err)
{
	int rc = 0;

	for (unsigned i = 0; i < lock->n_parts && rc == 0; i++)
		rc = check_one(lock->parts[i], err);
	return lock->n_parts || rc ? rc : check_one(lock, err);
}

void dbl_attachment_part(struct dblock_lock *lock)
{
	for (unsigned i = 0; i < lock->n_parts; i++)
		part_with(lock->parts[i]);
	part_with(lock);
}

int dbl_attachment_check_spec(struct dbl_locks *locks, const char *name, struct dbl_owner owner,
			      struct dblock_error *err)
{
	const struct dbl_attachment *attachment;
	int rc = 0;

	dbl_lock(&locks->mutex);
	for (attachment = locks->attached->attachments; attachment && rc == 0;
	     attachment = attachment->next) {
		const struct dblock_lock *lock = attachment->lock;

		if (lock && attachment->kind != DBL_FENCES && strcmp(lock->name, name) == 0 &&
		    dbl_is_same_owner(lock->owner, owner))
			rc = is_fenced(lock, attachment->kind, err);
	}
	dbl_unlock(&locks->mutex);
	return rc;
}
