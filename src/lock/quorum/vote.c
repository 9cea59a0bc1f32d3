/* SPDX-License-Identifier: MIT */
#include "lock/quorum/vote.h"

#include "lock/cache/cache.h"
#include "lock/core/retry.h"
#include "lock/core/value.h"
#include "lock/grant/attempt.h"
#include "lock/quorum/membership.h"
#include "lock/wait/wait.h"

/* A look has shown the lock free: asks again, or finds out that the member does not vote. */
static int ask_again(struct dbl_attempt *a, struct dblock_error *err)
{
	const struct dbl_ballot *ballot = a->go_arg;
	struct dbl_membership is;
	int rc = dbl_attempt_go(a, err);

	if (rc != DBLOCK_BUSY)
		return rc;
	rc = dbl_membership_read(a->locks->link, dbl_attempt_deadline(a), &is, err);
	if (rc == 0 && dbl_membership_votes(&is, ballot->identity, ballot->epoch))
		return DBLOCK_BUSY;
	a->over = true;
	return rc ? rc : dbl_membership_refuse(&is, err);
}

int dbl_vote_ask(struct dbl_locks *member, const struct dbl_acquire_spec *spec,
		 const struct dbl_ballot *ballot, struct dbl_watch *watch,
		 struct dblock_lock **part, struct dblock_error *err)
{
	struct dbl_ballot asked = *ballot;
	struct dbl_attempt a;
	int rc = dbl_attempt_begin(&a, member, spec, err);

	if (rc)
		return rc;
	a.op = DBL_OP_quorum_vote;
	a.more[0] = dbl_int(ballot->token);
	a.more[1] = dbl_text(ballot->identity);
	a.more[2] = dbl_int(ballot->epoch);
	a.until = dbl_locks_deadline(member);
	a.watch = *watch;
	a.by_watch = true;
	rc = dbl_attempt_go(&a, err);
	a.go = ask_again;
	a.go_arg = &asked;
	if (rc == DBLOCK_BUSY)
		rc = dbl_try_rounds(&a, err);
	*watch = a.watch;
	if (rc == 0)
		*part = dbl_cache_publish(&a);
	dbl_attempt_drop(&a);
	return rc;
}

int dbl_vote_confirm(struct dblock_lock *part, const struct dbl_ballot *ballot,
		     struct dblock_error *err)
{
	struct dbl_locks *member = part->locks;
	int64_t token = -1;
	struct dbl_value args[] = {dbl_text(part->name), dbl_int(part->grant.nonce),
				   dbl_int(ballot->token), dbl_text(ballot->identity),
				   dbl_int(ballot->epoch)};
	struct dbl_request request = {.op = DBL_OP_quorum_raise,
				      .args = DBL_ARGS(args),
				      .row = dbl_take_int,
				      .ctx = &token,
				      .deadline = dbl_locks_deadline(member)};
	int rc = dbl_retry_while_locked(member, &request, err);

	DBL_ASSERT(ballot->token >= part->grant.token, "%lld", (long long)ballot->token);
	if (rc == 0 && token == -1)
		rc = dbl_fail(err, DBLOCK_LOST, "'%s': the member does not vote for this any more",
			      part->name);
	/* An earlier copy, whose answer was lost, may have been carried out, with a larger token. */
	if (rc != DBLOCK_LOST || request.resent)
		dbl_cache_doubt(part, rc != 0);
	if (rc == 0)
		atomic_store(&part->grant.token, token);
	return rc;
}

int dbl_vote_look(struct dbl_locks *member, const char *name, struct dbl_watch *watch,
		  struct dblock_error *err)
{
	struct dbl_snapshot snapshot;
	int rc = dbl_look(member->link, name, NULL, 0, dbl_locks_deadline(member), &snapshot, err);

	if (rc == 0)
		dbl_watch_note(watch, &snapshot);
	return rc;
}

bool dbl_vote_is_free(struct dbl_locks *member, const char *name, int64_t token)
{
	struct dbl_snapshot snapshot;

	return dbl_look(member->link, name, NULL, 0, dbl_locks_deadline(member), &snapshot, NULL) ==
		       0 &&
	       snapshot.token == token && !snapshot.held_by_session && !snapshot.held_until;
}
