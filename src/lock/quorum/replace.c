/* SPDX-License-Identifier: MIT */
/*
 * A member is replaced by another database, which may be blank, or restored, or the same one once
 * more. It has given other votes, or none, so that two majorities might meet in nothing but it.
 * Therefore, by compare-and-set, and always in the order of the members' numbers:
 *
 *   enter   the newcomer has a row, and does not vote
 *
 *   close   the others give no vote under the epoch any more, and tell whoever looks (cluster.c):
 *           from then on he does not count the one that goes
 *
 *   wait    for max_ttl: whoever has not looked since holds nothing any more
 *
 *   floor   the newcomer's tokens are above those of all others
 *
 *   open    the next epoch begins at the others, and then at the newcomer
 *
 * A majority of others has to do all this: so each majority of the old epoch has one that did, and
 * was lost to who does not know; and two who replace a member at once meet in one, which each row
 * lets only one of them pass: it is closed with the members as they will be, for one newcomer.
 * Others that cannot be reached are left behind; they vote for who knows, as members of both
 * epochs.
 *
 * A member that is to take its own place enters once the others are closed: another replacement
 * that has begun needs it, and neither could go on.
 *
 * Broken off, it is gone on with from what the rows say. The wait begins anew, as nobody knows when
 * they were closed; but where one has been opened it is over.
 */
#include "lock/quorum/replace.h"

#include <string.h>

#include "lock/core/value.h"
#include "lock/quorum/own.h"
#include "lock/quorum/participants.h"

/* All names that a cluster's lock has on a member. */
#define NAMES_FROM DBL_QUORUM_PREFIX
#define NAMES_TO   "quorum\x20"

/* So long a member may look for its largest token: it reads all names. */
#define TOKENS_US 60000000

struct replace {
	struct dbl_participants who;
	char roster[DBL_ROSTER_SIZE]; /* as it will be, */
	char marked[DBL_ROSTER_SIZE]; /* and as the members are closed with it */
};

static bool is_as(const struct dbl_membership *is, int64_t epoch, int64_t state, const char *roster)
{
	return is->epoch == epoch && is->state == state && strcmp(is->roster, roster) == 0;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static int changed(unsigned i, struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_E_CONFLICT,
			"member %u is not as it was any more: somebody else replaces a member",
			i + 1);
}

/* Runs the statement; then the row has to be so. */
static int set(struct replace *r, unsigned i, enum dbl_op op, struct dbl_args args, int64_t epoch,
	       int64_t state, const char *roster, struct dblock_error *err)
{
	int rc = dbl_roll_run(&r->who.roll, i, op, args, err);

	if (rc == 0)
		rc = dbl_roll_read(&r->who.roll, i, err);
	if (rc || (is_as(&r->who.roll.is[i], epoch, state, roster) &&
		   !dbl_membership_is_copy(&r->who.roll.is[i])))
		return rc;
	return changed(i, err);
}

static int enter(struct replace *r, struct dblock_error *err)
{
	const struct dbl_membership *is = &r->who.roll.is[r->who.at];
	int64_t epoch = r->who.known->epoch;
	struct dbl_value old[] = {dbl_text(r->who.known->identity), dbl_int(epoch)};
	struct dbl_value args[] = {dbl_text(r->who.known->cluster),
				   dbl_text(r->who.known->identity),
				   dbl_int(epoch),
				   dbl_int(r->who.roll.n),
				   dbl_int(r->who.at + 1),
				   dbl_int(DBL_MEMBER_CLOSED),
				   dbl_text(is->newest),
				   dbl_text(r->marked),
				   dbl_int(r->who.max_ttl)};
	int rc = dbl_roll_run(&r->who.roll, r->who.at, DBL_OP_quorum_forget, DBL_ARGS(old), err);

	return rc ? rc
		  : set(r, r->who.at, DBL_OP_quorum_join, DBL_ARGS(args), epoch, DBL_MEMBER_CLOSED,
			r->marked, err);
}

static int close_one(struct replace *r, unsigned i, int64_t epoch, struct dblock_error *err)
{
	const struct dbl_membership is = r->who.roll.is[i];
	struct dbl_value args[] = {dbl_text(is.identity), dbl_int(is.epoch), dbl_int(is.state),
				   dbl_text(is.roster),   dbl_int(epoch),    dbl_text(r->marked)};

	return set(r, i, DBL_OP_quorum_close, DBL_ARGS(args), epoch, DBL_MEMBER_CLOSED, r->marked,
		   err);
}

static int open_one(struct replace *r, unsigned i, const char *roster, struct dblock_error *err)
{
	const struct dbl_membership is = r->who.roll.is[i];
	struct dbl_value args[] = {dbl_text(is.identity), dbl_int(is.epoch), dbl_text(is.roster),
				   dbl_text(roster)};

	return set(r, i, DBL_OP_quorum_reopen, DBL_ARGS(args), is.epoch + 1, DBL_MEMBER_VOTES,
		   roster, err);
}

static int close_all(struct replace *r, int64_t epoch, struct dblock_error *err)
{
	int rc = 0;

	for (unsigned i = 0; i < r->who.roll.n && rc == 0; i++)
		rc = r->who.stays[i] ? close_one(r, i, epoch, err) : 0;
	return rc;
}

/* The largest token of the others is read when nobody can get a larger one from a majority of them.
 */
static int raise_floor(struct replace *r, struct dblock_error *err)
{
	int64_t floor = 0;
	struct dbl_value args[] = {dbl_text(NAMES_FROM), dbl_text(NAMES_TO)};
	int rc = 0;

	for (unsigned i = 0; i < r->who.roll.n && rc == 0; i++) {
		struct dbl_locks *member = r->who.roll.members[i];
		int64_t token = 0;
		struct dbl_request request = {.op = DBL_OP_quorum_tokens,
					      .args = DBL_ARGS(args),
					      .row = dbl_take_int,
					      .ctx = &token};

		if (!r->who.stays[i])
			continue;
		request.deadline = dbl_add(dbl_now(member->env), TOKENS_US);
		rc = dbl_link_run(member->link, &request, err);
		if (rc)
			dbl_err_prefix(err, "member %u", i + 1);
		floor = token > floor ? token : floor;
	}
	args[0] = dbl_int(floor);
	return rc ? rc
		  : dbl_roll_run(&r->who.roll, r->who.at, DBL_OP_purge_floor,
				 (struct dbl_args){args, 1}, err);
}

/* All who take part are closed for this newcomer, and are the databases that they were. */
static int check_closed(struct replace *r, int64_t epoch, struct dblock_error *err)
{
	int rc = 0;

	for (unsigned i = 0; i < r->who.roll.n && rc == 0; i++) {
		if (!r->who.stays[i] && i != r->who.at)
			continue;
		rc = dbl_roll_read(&r->who.roll, i, err);
		if (rc == 0 && (!is_as(&r->who.roll.is[i], epoch, DBL_MEMBER_CLOSED, r->marked) ||
				dbl_membership_is_copy(&r->who.roll.is[i])))
			rc = changed(i, err);
	}
	return rc;
}

/* It was closed to be opened so. */
static bool is_to_open(const struct dbl_membership *is, int64_t epoch, const char *roster)
{
	return is->state == DBL_MEMBER_CLOSED && is->epoch + 1 == epoch &&
	       dbl_roster_awaits(is->roster, roster);
}

/* The epoch begins: at the others first, since whoever has opened a majority of them is the only
 * one that lets his newcomer vote. */
static int open_all(struct replace *r, int64_t epoch, const char *roster, struct dblock_error *err)
{
	unsigned n_open = 0;
	int rc = 0;

	for (unsigned i = 0; i < r->who.roll.n && rc == 0; i++) {
		const struct dbl_membership *is = &r->who.roll.is[i];

		if (r->who.stays[i] && is_to_open(is, epoch, roster))
			rc = open_one(r, i, roster, err);
		n_open += r->who.stays[i] && is_as(is, epoch, DBL_MEMBER_VOTES, roster);
	}
	for (unsigned i = 0; i < r->who.roll.n && rc == 0 && n_open > r->who.roll.n / 2; i++) {
		const struct dbl_membership *is = &r->who.roll.is[i];

		if (dbl_membership_comes(is) && is_to_open(is, epoch, roster))
			rc = open_one(r, i, roster, err);
	}
	return rc;
}

/* One that was broken off when members had been opened is completed; its newcomer need not be this
 * one. */
static int finish(struct replace *r, struct dblock_error *err)
{
	const struct dbl_membership known = *r->who.known;
	int rc = known.state == DBL_MEMBER_VOTES ? open_all(r, known.epoch, known.roster, err) : 0;

	return rc ? rc : dbl_participants_read(&r->who, err);
}

/* Nor is one left that was closed for another newcomer, or says that another one is in that place.
 */
static bool is_complete(const struct replace *r)
{
	const struct dbl_membership *known = r->who.known, *is = &r->who.roll.is[r->who.at];

	if (!dbl_membership_votes(is, known->identity, known->epoch) ||
	    strcmp(is->roster, known->roster) != 0)
		return false;
	for (unsigned i = 0; i < r->who.roll.n; i++) {
		is = &r->who.roll.is[i];
		if (r->who.stays[i] &&
		    (is->state == DBL_MEMBER_CLOSED ||
		     (is->epoch == known->epoch && strcmp(is->roster, known->roster) != 0)))
			return false;
	}
	return true;
}

static void wait_for_who_does_not_know(struct replace *r, const struct dbl_replace *how)
{
	const struct dbl_env *env = r->who.roll.members[r->who.at]->env;

	if (how->waits)
		how->waits(how->arg, r->who.max_ttl);
	dbl_sleep_until(env, dbl_add(dbl_now(env), r->who.max_ttl));
}

/* One at a time. The same one may be replaced by another database than was begun with. */
static int check_others(const struct replace *r, struct dblock_error *err)
{
	for (unsigned i = 0; i < r->who.roll.n; i++) {
		const struct dbl_membership *is = &r->who.roll.is[i];
		int64_t other = dbl_roster_marked(is->roster);

		if (r->who.stays[i] && is->epoch == r->who.known->epoch && other &&
		    other != r->who.at + 1)
			return dbl_fail(
				err, DBLOCK_E_INVALID,
				"member %lld of the cluster '%s' is being replaced: do that "
				"again first, to complete it",
				(long long)other, is->cluster);
	}
	return 0;
}

static int replace_it(struct replace *r, const struct dbl_replace *how, struct dblock_error *err)
{
	int64_t epoch = r->who.known->epoch;
	const struct dbl_membership *is = &r->who.roll.is[r->who.at];
	bool first = !is->cluster[0] || dbl_membership_comes(is);
	const char *newest = is->newest;
	int rc;

	dbl_roster_put(r->roster, r->who.known->roster, how->number, newest, false);
	dbl_roster_put(r->marked, r->who.known->roster, how->number, newest, true);
	rc = first ? enter(r, err) : 0;
	if (rc == 0)
		rc = close_all(r, epoch, err);
	if (rc == 0 && !first)
		rc = enter(r, err);
	if (rc)
		return rc;
	wait_for_who_does_not_know(r, how);
	rc = check_closed(r, epoch, err);
	if (rc == 0)
		rc = raise_floor(r, err);
	if (rc == 0)
		rc = check_closed(r, epoch, err);
	return rc ? rc : open_all(r, epoch + 1, r->roster, err);
}

int dbl_quorum_replace(struct dbl_locks *const members[], unsigned n, const struct dbl_replace *how,
		       struct dblock_error *err)
{
	struct replace r = {.who = {.roll = {.members = members, .n = n}, .at = how->number - 1}};
	int rc = dbl_participants_read(&r.who, err);

	if (rc == 0)
		rc = finish(&r, err);
	if (rc || is_complete(&r))
		return rc;
	rc = check_others(&r, err);
	if (rc == 0 && !how->allow_forgetful)
		rc = dbl_roll_check_durable(&r.who.roll, r.who.at, err);
	if (rc)
		return rc;
	rc = replace_it(&r, how, err);
	if (rc)
		dbl_err_suffix(err, "; do it again, to go on");
	return rc;
}
