/* SPDX-License-Identifier: MIT */
#include "lock/tx/attachment.h"

#include <string.h>

#include "base/mem.h"
#include "lock/tx/in_tx.h"
#include "lock/tx/own.h"

/* Between one look and the next. */
#define PAUSE_US 2000

/* Somebody else may have the row for an instant. */
#define IDLE_LOOKS 4

/* ---- the list -------------------------------------------------------------------------------- */

/* Under the mutex. */
static void unlink_stake(struct dbl_stake *stake)
{
	struct dbl_stake **at = &stake->locks->attached->stakes;

	DBL_ASSERT_HELD(&stake->locks->mutex);
	while (*at && *at != stake)
		at = &(*at)->next;
	if (!*at)
		return;
	*at = stake->next;
	atomic_fetch_sub(&stake->locks->stakes, 1);
}

static void ended(struct dbl_tx_part *part, enum dbl_tx_end end)
{
	struct dbl_stake *stake = (struct dbl_stake *)part;
	struct dblock_lock *lock = NULL;

	if (stake->locks) {
		dbl_lock(&stake->locks->mutex);
		lock = stake->kind == DBL_FENCES ? NULL : stake->lock;
		stake->ending = lock != NULL;
		if (!lock)
			unlink_stake(stake);
		dbl_unlock(&stake->locks->mutex);
	}
	if (lock) {
		dbl_within_ended(lock, stake, end);
		dbl_lock(&stake->locks->mutex);
		unlink_stake(stake);
		dbl_unlock(&stake->locks->mutex);
	}
	dbl_free(stake);
}

struct dbl_stake *dbl_stake_new(struct dblock_tx *tx, struct dblock_lock *lock,
				enum dbl_stake_kind kind)
{
	struct dbl_stake *stake = dbl_alloc(sizeof(*stake));

	if (!stake)
		return NULL;
	DBL_ASSERT(lock->n_parts == 0, "%s", lock->name); /* its parts have stakes, each its own */
	*stake = (struct dbl_stake){.part.ended = ended,
				    .tx = tx,
				    .locks = lock->locks,
				    .kind = kind,
				    .thread = dbl_thread_id(),
				    .lock = lock};
	return stake;
}

/* Its handle is gone, or has parted with it, or the client is gone. */
static bool is_void(struct dbl_stake *stake)
{
	bool is;

	if (!stake->locks)
		return true;
	dbl_lock(&stake->locks->mutex);
	is = !stake->lock;
	if (is)
		unlink_stake(stake);
	dbl_unlock(&stake->locks->mutex);
	return is;
}

/* Who ends his transactions himself would gather them for as long as his connection lasts. */
static void sweep(struct dblock_tx *tx)
{
	struct dbl_tx_part **at = &tx->parts;

	while (*at) {
		struct dbl_tx_part *part = *at;

		if (part->ended != ended || !is_void((struct dbl_stake *)part)) {
			at = &part->next;
			continue;
		}
		*at = part->next;
		dbl_free(part);
	}
}

void dbl_stake_join(struct dbl_stake *stake)
{
	DBL_ASSERT(stake->lock && !stake->next && !stake->ending);
	sweep(stake->tx);
	dbl_lock(&stake->locks->mutex);
	stake->next = stake->locks->attached->stakes;
	stake->locks->attached->stakes = stake;
	stake->lock->noted = true;
	atomic_fetch_add(&stake->locks->stakes, 1);
	dbl_unlock(&stake->locks->mutex);
	dbl_tx_join(stake->tx, &stake->part);
}

/* Under the mutex. */
static struct dbl_stake *first_of(const struct dbl_locks *locks, const struct dblock_lock *lock)
{
	struct dbl_stake *stake = locks->attached->stakes;

	DBL_ASSERT_HELD(&locks->mutex);
	while (stake && stake->lock != lock)
		stake = stake->next;
	return stake;
}

struct dbl_stake *dbl_stake_find(const struct dblock_tx *tx, const struct dblock_lock *lock,
				 enum dbl_stake_kind kind)
{
	struct dbl_locks *locks = lock->locks;
	struct dbl_stake *stake;

	dbl_lock(&locks->mutex);
	for (stake = locks->attached->stakes; stake; stake = stake->next) {
		if (stake->tx == tx && stake->lock == lock && stake->kind == kind)
			break;
	}
	dbl_unlock(&locks->mutex);
	return stake;
}

void dbl_stake_line(const struct dblock_lock *lock, int64_t ticket, struct dbl_str *text)
{
	dbl_str_addf(text, "%s\t%lld\t%lld\t%lld\n", lock->name, (long long)dbl_row_token(lock),
		     (long long)lock->grant.nonce, (long long)ticket);
}

/* Under the mutex all the way: another thread may be about to free the lock. */
void dbl_stake_note(const struct dbl_tx_part *part, struct dbl_str *text)
{
	const struct dbl_stake *stake = (const struct dbl_stake *)part;
	const struct dblock_lock *lock;

	if (part->ended != ended || stake->kind != DBL_FENCES || !stake->locks)
		return;
	dbl_lock(&stake->locks->mutex);
	lock = stake->lock;
	if (lock)
		dbl_stake_line(lock, dbl_has_line_row(lock) ? lock->staked.ticket : 0, text);
	dbl_unlock(&stake->locks->mutex);
}

bool dbl_stake_has(const struct dbl_locks *locks, const struct dblock_lock *lock)
{
	return first_of(locks, lock) != NULL;
}

/* It stays with its transaction, which frees it. */
void dbl_stake_forget(struct dblock_lock *lock)
{
	struct dbl_locks *locks = lock->locks;

	dbl_lock(&locks->mutex);
	for (struct dbl_stake *stake = locks->attached->stakes; stake; stake = stake->next) {
		if (stake->lock == lock)
			stake->lock = NULL;
	}
	dbl_unlock(&locks->mutex);
}

void dbl_stakes_close(struct dbl_locks *locks)
{
	dbl_lock(&locks->mutex);
	for (struct dbl_stake *stake = locks->attached->stakes; stake; stake = stake->next) {
		stake->lock = NULL;
		stake->locks = NULL;
	}
	locks->attached->stakes = NULL;
	atomic_store(&locks->stakes, 0);
	dbl_unlock(&locks->mutex);
}

/* ---- asked before a row is written ----------------------------------------------------------- */

/* Does its thread know that the transaction is open, or ended? 1, 0; -1: it is another thread. */
static int known_open(const struct dbl_stake *stake)
{
	if (stake->thread != dbl_thread_id())
		return -1;
	return dbl_db_state(stake->tx->db) != DBL_TX_NONE;
}

static int is_fenced(const struct dblock_lock *lock, enum dbl_stake_kind kind,
		     struct dblock_error *err)
{
	const char *what = kind == DBL_FENCES     ? "fenced by"
			   : kind == DBL_RELEASES ? "released in"
						  : "acquired in";
	const char *or_else =
		kind == DBL_FENCES ? ", or release the lock in it (dblock_release_in)" : "";

	return dbl_fail(err, DBLOCK_FENCED,
			"'%s' is %s a transaction that is still open; end it first%s", lock->name,
			what, or_else);
}

/* A stake of the lock, under the mutex copied; false: there is none. While the lock is being told
 * how a transaction ended, it waits for that. */
static bool see_stake(struct dblock_lock *lock, enum dbl_stake_kind *kind, int *open)
{
	struct dbl_locks *locks = lock->locks;
	struct dbl_stake *stake;

	dbl_lock(&locks->mutex);
	while ((stake = first_of(locks, lock)) && stake->ending) {
		dbl_unlock(&locks->mutex);
		dbl_sleep_until(locks->env, dbl_now(locks->env) + PAUSE_US);
		dbl_lock(&locks->mutex);
	}
	if (stake) {
		*kind = stake->kind;
		*open = known_open(stake);
	}
	dbl_unlock(&locks->mutex);
	return stake != NULL;
}

/* The transactions in which it had something at stake have ended elsewhere, who knows how. */
static void part_with(struct dblock_lock *lock)
{
	struct dbl_locks *locks = lock->locks;
	bool any = false;
	struct dbl_stake seen;

	dbl_lock(&locks->mutex);
	for (struct dbl_stake *stake = locks->attached->stakes; stake; stake = stake->next) {
		if (stake->lock != lock)
			continue;
		DBL_ASSERT(!any || stake->kind == DBL_FENCES, "%s",
			   lock->name); /* one such at most */
		if (stake->kind != DBL_FENCES) {
			seen = *stake;
			any = true;
		}
		stake->lock = NULL;
	}
	dbl_unlock(&locks->mutex);
	if (any)
		dbl_within_ended(lock, &seen, DBL_TX_UNKNOWN);
}

/* That a transaction is open does not mean that it is still the one that fenced. If nobody can say,
 * it is: the row may be our own. */
static int check_one(struct dblock_lock *lock, struct dblock_error *err)
{
	enum dbl_stake_kind kind = DBL_FENCES;
	bool idle = false;
	int open, rc;

	for (int looks = 0; see_stake(lock, &kind, &open); looks++) {
		rc = open ? dbl_stake_idle(lock, &idle, err) : 0;
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

int dbl_stake_check(struct dblock_lock *lock, struct dblock_error *err)
{
	int rc = 0;

	for (unsigned i = 0; i < lock->n_parts && rc == 0; i++)
		rc = check_one(lock->parts[i], err);
	return lock->n_parts || rc ? rc : check_one(lock, err);
}

void dbl_stake_part(struct dblock_lock *lock)
{
	for (unsigned i = 0; i < lock->n_parts; i++)
		part_with(lock->parts[i]);
	part_with(lock);
}

int dbl_stake_check_wish(struct dbl_locks *locks, const char *name, struct dbl_owner owner,
			 struct dblock_error *err)
{
	const struct dbl_stake *stake;
	int rc = 0;

	dbl_lock(&locks->mutex);
	for (stake = locks->attached->stakes; stake && rc == 0; stake = stake->next) {
		const struct dblock_lock *lock = stake->lock;

		if (lock && stake->kind != DBL_FENCES && strcmp(lock->name, name) == 0 &&
		    lock->owner.by_name == owner.by_name && lock->owner.id == owner.id)
			rc = is_fenced(lock, stake->kind, err);
	}
	dbl_unlock(&locks->mutex);
	return rc;
}
