/* SPDX-License-Identifier: MIT */
#include "lock/queue/snapshot.h"

#include <string.h>

#include "base/assert.h"
#include "lock/core/context.h"
#include "lock/core/value.h"

/* How often the mark of a holder on this machine is asked: by who waits first, if nothing hints that it
 * may have ended; and by all others, in case that the first is on another machine, or stands still. It
 * costs a few system calls. */
#define VIGIL_US        5000
#define VIGIL_SELDOM_US 200000

/* The columns of the operation `look`, in order. */
enum {
	FOUND,
	TOKEN,
	NONCE,
	SESSION,
	EXPIRES,
	LEASE,
	LEASE_LEFT,
	QUEUED,
	DEAD,
	BEAT,
	TTL,
	SESSION_LEFT,
	HOST,
	PID,
	OWN,
	SERVED,
	TICKET,
	NOW,
	MODE,
	ROW_TOKEN,
	ROW_LEFT,
	THREAD,
	WATCH,
	MARK,
	AHEAD
};

static int take_snapshot(void *ctx, const struct dbl_value *row)
{
	struct dbl_snapshot *snapshot = ctx;

	snapshot->found = row[FOUND].i != 0;
	snapshot->token = row[TOKEN].i;
	snapshot->nonce = row[NONCE].i;
	snapshot->held_by_session = row[SESSION].type != DBL_NULL;
	snapshot->held_until = row[EXPIRES].type != DBL_NULL;
	dbl_copy_text(snapshot->session, sizeof(snapshot->session), &row[SESSION]);
	snapshot->expires = row[EXPIRES].i;
	snapshot->lease = row[LEASE].i;
	snapshot->lease_left = dbl_int_or(&row[LEASE_LEFT], DBL_UNKNOWN);
	snapshot->session_found = row[DEAD].type != DBL_NULL;
	snapshot->session_dead = row[DEAD].i != 0;
	snapshot->beat = row[BEAT].i;
	snapshot->ttl = row[TTL].i;
	snapshot->session_left = dbl_int_or(&row[SESSION_LEFT], DBL_UNKNOWN);
	dbl_copy_text(snapshot->host, sizeof(snapshot->host), &row[HOST]);
	snapshot->pid = row[PID].i;
	snapshot->own_alive = row[OWN].i != 0;
	snapshot->queued = row[QUEUED].type == DBL_INT && row[QUEUED].i != 0;
	snapshot->served = row[SERVED].i;
	snapshot->ticket = dbl_int_or(&row[TICKET], 0);
	snapshot->clock.database = row[NOW].i;
	snapshot->by_rows = row[MODE].i != 0;
	snapshot->row_token = dbl_int_or(&row[ROW_TOKEN], 0);
	snapshot->row_left = dbl_int_or(&row[ROW_LEFT], DBL_UNKNOWN);
	snapshot->thread = row[THREAD].i;
	snapshot->watch = dbl_int_or(&row[WATCH], 0);
	dbl_copy_text(snapshot->mark, sizeof(snapshot->mark), &row[MARK]);
	snapshot->ahead = row[AHEAD].i != 0;
	snapshot->behind_two = row[AHEAD].i > 1;
	DBL_ASSERT(!snapshot->held_by_session || !snapshot->held_until); /* see snapshot.h */
	DBL_ASSERT(snapshot->row_token <= snapshot->token, "%lld above %lld",
		   (long long)snapshot->row_token, (long long)snapshot->token);
	return 0;
}

static int run_by(const struct dbl_asker *by, struct dbl_request *request, struct dblock_error *err)
{
	return by->db ? dbl_db_run(by->db, request, err) : dbl_link_run(by->link, request, err);
}

int dbl_look(struct dbl_link *link, const char *name, const struct dbl_epoch *own, int64_t nonce,
	     int64_t deadline, struct dbl_snapshot *snapshot, struct dblock_error *err)
{
	const struct dbl_asker by = {.link = link};

	return dbl_look_by(&by, name, own, nonce, deadline, snapshot, err);
}

int dbl_see(const struct dbl_asker *by, struct dbl_request *request, struct dbl_snapshot *snapshot,
	    struct dblock_error *err)
{
	const struct dbl_env *env = dbl_link_target(by->link)->env;
	int rc;

	request->row = take_snapshot;
	request->ctx = snapshot;
	*snapshot = (struct dbl_snapshot){.clock.before = dbl_now(env)};
	rc = run_by(by, request, err);
	snapshot->clock.after = dbl_now(env);
	if (rc == 0)
		(void)dbl_snapshot_ask(snapshot, env);
	return rc;
}

int dbl_look_by(const struct dbl_asker *by, const char *name, const struct dbl_epoch *own,
		int64_t nonce, int64_t deadline, struct dbl_snapshot *snapshot,
		struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(name), dbl_text(own ? own->id : ""), dbl_int(nonce),
				   dbl_int(own ? own->beat_there : 0)};
	struct dbl_request request = {
		.op = DBL_OP_look, .args = DBL_ARGS(args), .deadline = deadline};

	return dbl_see(by, &request, snapshot, err);
}

bool dbl_snapshot_ask(struct dbl_snapshot *snapshot, const struct dbl_env *env)
{
	snapshot->word = DBL_MARK_NOTHING;
	if (snapshot->held_by_session && snapshot->session_found && !snapshot->session_dead)
		snapshot->word = dbl_mark_ask(snapshot->mark, snapshot->beat, dbl_now(env));
	return snapshot->word == DBL_MARK_DEAD;
}

bool dbl_vigil_helps(const struct dbl_snapshot *snapshot, const struct dbl_host *own)
{
	return snapshot->word == DBL_MARK_ALIVE &&
	       (snapshot->pid != own->pid || strcmp(snapshot->host, own->name) != 0);
}

void dbl_vigil_plan(struct dbl_vigil *vigil, unsigned n, bool often, int64_t now)
{
	vigil->pause = n * (often ? VIGIL_US : VIGIL_SELDOM_US);
	/* At once, too: it may have ended before it was watched. */
	vigil->at = often ? now + vigil->pause : now;
}

bool dbl_holds(const struct dbl_snapshot *snapshot, int64_t nonce)
{
	if (nonce == 0 || snapshot->nonce != nonce || !dbl_is_held(snapshot))
		return false;
	return !snapshot->held_until || snapshot->lease_left == DBL_UNKNOWN ||
	       snapshot->lease_left > 0;
}

static bool same_holder(const struct dbl_watch *watch, const struct dbl_snapshot *snapshot)
{
	if (!watch->any || watch->of_session != snapshot->held_by_session)
		return false;
	if (watch->of_session)
		return watch->beat == snapshot->beat &&
		       strcmp(watch->session, snapshot->session) == 0;
	return watch->token == snapshot->token && watch->nonce == snapshot->nonce &&
	       watch->expires == snapshot->expires;
}

/* Notes since when a grant is seen revoked, however often its holder beats meanwhile. */
static void note_revoked(struct dbl_watch *watch, const struct dbl_snapshot *snapshot)
{
	if (snapshot->watch == 0) {
		watch->revoked = 0;
	} else if (watch->revoked != snapshot->nonce) {
		watch->revoked = snapshot->nonce;
		watch->revoked_since = snapshot->clock.after;
	}
}

static bool is_revoked(const struct dbl_watch *watch, const struct dbl_snapshot *snapshot)
{
	return snapshot->watch != 0 && snapshot->nonce != 0 && watch->revoked == snapshot->nonce;
}

void dbl_watch_note(struct dbl_watch *watch, const struct dbl_snapshot *snapshot)
{
	DBL_ASSERT(snapshot->clock.after >= watch->since, "%lld, %lld",
		   (long long)snapshot->clock.after, (long long)watch->since);
	note_revoked(watch, snapshot);
	if (same_holder(watch, snapshot))
		return;
	*watch = (struct dbl_watch){
		.revoked = watch->revoked,
		.revoked_since = watch->revoked_since,
		.any = snapshot->held_by_session || snapshot->held_until,
		.of_session = snapshot->held_by_session,
		.beat = snapshot->beat,
		.ttl = snapshot->held_by_session ? snapshot->ttl : 0,
		.token = snapshot->token,
		.nonce = snapshot->nonce,
		.expires = snapshot->expires,
		.since = snapshot->clock.after,
	};
	memcpy(watch->session, snapshot->session, sizeof(watch->session));
}

/* The actions that need no watching; DBL_WAIT: it depends. */
static enum dbl_action judge_plain(const struct dbl_snapshot *snapshot)
{
	if (!snapshot->own_alive)
		return DBL_OWN_IS_OVER;
	if (!snapshot->found || !dbl_is_held(snapshot))
		return DBL_TAKE;
	if (snapshot->held_by_session)
		return snapshot->session_dead ? DBL_TAKE : DBL_WAIT;
	/* A lease ends by the database's clock, whoever looks. */
	return snapshot->lease_left != DBL_UNKNOWN && snapshot->lease_left <= 0 ? DBL_TAKE
										: DBL_WAIT;
}

enum dbl_action dbl_judge_watched(const struct dbl_snapshot *snapshot,
				  const struct dbl_watch *watch, int64_t now)
{
	enum dbl_action action = judge_plain(snapshot);
	int64_t watched = now - watch->since;

	DBL_ASSERT(watched >= 0, "%lld", (long long)watched);
	if (action == DBL_WAIT && is_revoked(watch, snapshot) &&
	    now - watch->revoked_since >= snapshot->watch)
		return DBL_END_REVOKED;
	if (action == DBL_WAIT && snapshot->word == DBL_MARK_DEAD)
		return DBL_DECLARE_DEAD;
	if (action != DBL_WAIT || !same_holder(watch, snapshot))
		return action;
	if (snapshot->held_by_session)
		return snapshot->session_found && watched >= snapshot->ttl ? DBL_DECLARE_DEAD
									   : DBL_WAIT;
	return watched >= snapshot->lease ? DBL_END_LEASE : DBL_WAIT;
}

enum dbl_action dbl_judge_now(const struct dbl_snapshot *snapshot, bool clock_agrees)
{
	enum dbl_action action = judge_plain(snapshot);

	if (action == DBL_WAIT && snapshot->word == DBL_MARK_DEAD)
		return DBL_DECLARE_DEAD;
	if (action == DBL_WAIT && snapshot->held_by_session && snapshot->session_found &&
	    clock_agrees && snapshot->session_left != DBL_UNKNOWN && snapshot->session_left <= 0)
		return DBL_DECLARE_DEAD;
	return action;
}

int dbl_declare(const struct dbl_asker *by, const char *name, const struct dbl_snapshot *snapshot,
		enum dbl_action action, int64_t deadline, struct dblock_error *err)
{
	const struct dbl_host *host = by->locks ? by->locks->host : NULL;
	bool ended = snapshot->word == DBL_MARK_DEAD;
	struct dbl_value session[] = {dbl_text(snapshot->session),
				      dbl_int(snapshot->beat),
				      dbl_int(snapshot->ttl),
				      dbl_text(name),
				      dbl_int(snapshot->token),
				      DBL_BY(host),
				      dbl_int(ended ? DBLOCK_EVENT_ENDED : DBLOCK_EVENT_DEAD)};
	struct dbl_value lease[] = {dbl_text(name), dbl_int(snapshot->token),
				    dbl_int(snapshot->nonce), dbl_int(snapshot->expires),
				    DBL_BY(host)};
	struct dbl_value revoked[] = {dbl_text(name), dbl_int(snapshot->nonce)};
	struct dbl_request request = {
		.op = DBL_OP_bury, .args = DBL_ARGS(session), .deadline = deadline};
	int rc;

	DBL_ASSERT(action != DBL_DECLARE_DEAD ||
		   (snapshot->held_by_session && snapshot->session_found));
	DBL_ASSERT(action != DBL_END_LEASE || snapshot->held_until);
	DBL_ASSERT(action != DBL_END_REVOKED || snapshot->nonce != 0);
	if (action == DBL_END_LEASE) {
		request.op = DBL_OP_lease_end;
		request.args = DBL_ARGS(lease);
	} else if (action == DBL_END_REVOKED) {
		request.op = DBL_OP_give_back;
		request.args = DBL_ARGS(revoked);
	}

	rc = run_by(by, &request, err);
	/* As long as the row has another beat the proof is needed. */
	if (rc == 0 && request.op == DBL_OP_bury && ended && !by->db && request.changed > 0)
		dbl_mark_remove(snapshot->mark);
	if (rc == 0 && by->locks && request.changed > 0)
		dbl_event_written(by->locks);
	return rc;
}

void dbl_snapshot_tell(const struct dbl_snapshot *snapshot, const char *name,
		       struct dblock_error *err, int code)
{
	const char *gone = "";

	if (!snapshot->found || !dbl_is_held(snapshot)) {
		dbl_fail(err, code, "'%s' was taken by somebody else in the meantime", name);
		return;
	}
	if (snapshot->held_by_session && !snapshot->session_found)
		gone = "; the holder's session row was deleted by hand, only a break can free it";
	dbl_fail(err, code, "'%s' is %s host %s, pid %lld (token %lld)%s", name,
		 snapshot->nonce ? "held by" : "kept taken until its minimum hold is over, by",
		 snapshot->host, (long long)snapshot->pid, (long long)snapshot->token, gone);
}
