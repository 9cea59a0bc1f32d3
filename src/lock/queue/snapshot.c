/* SPDX-License-Identifier: MIT */
#include "lock/queue/snapshot.h"

#include <string.h>

#include "base/assert.h"

#include "lock/core/value.h"

/* The columns of look, in order. */
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
	WATCH
};

static int take_sight(void *ctx, const struct dbl_value *row)
{
	struct dbl_sight *sight = ctx;

	sight->found = row[FOUND].i != 0;
	sight->token = row[TOKEN].i;
	sight->nonce = row[NONCE].i;
	sight->held_by_session = row[SESSION].type != DBL_NULL;
	sight->held_until = row[EXPIRES].type != DBL_NULL;
	dbl_copy_text(sight->session, sizeof(sight->session), &row[SESSION]);
	sight->expires = row[EXPIRES].i;
	sight->lease = row[LEASE].i;
	sight->lease_left = dbl_int_or(&row[LEASE_LEFT], DBL_UNKNOWN);
	sight->session_found = row[DEAD].type != DBL_NULL;
	sight->session_dead = row[DEAD].i != 0;
	sight->beat = row[BEAT].i;
	sight->ttl = row[TTL].i;
	sight->session_left = dbl_int_or(&row[SESSION_LEFT], DBL_UNKNOWN);
	dbl_copy_text(sight->host, sizeof(sight->host), &row[HOST]);
	sight->pid = row[PID].i;
	sight->own_alive = row[OWN].i != 0;
	sight->queued = row[QUEUED].type == DBL_INT && row[QUEUED].i != 0;
	sight->served = row[SERVED].i;
	sight->ticket = dbl_int_or(&row[TICKET], 0);
	sight->clock.database = row[NOW].i;
	sight->by_rows = row[MODE].i != 0;
	sight->row_token = dbl_int_or(&row[ROW_TOKEN], 0);
	sight->row_left = dbl_int_or(&row[ROW_LEFT], DBL_UNKNOWN);
	sight->thread = row[THREAD].i;
	sight->watch = dbl_int_or(&row[WATCH], 0);
	DBL_ASSERT(!sight->held_by_session || !sight->held_until); /* snapshot.h */
	DBL_ASSERT(sight->row_token <= sight->token, "%lld above %lld", (long long)sight->row_token,
		   (long long)sight->token);
	return 0;
}

static int run_by(const struct dbl_asker *by, struct dbl_request *request, struct dblock_error *err)
{
	return by->db ? dbl_db_run(by->db, request, err) : dbl_link_run(by->link, request, err);
}

int dbl_look(struct dbl_link *link, const char *name, const char *own_session, int64_t nonce,
	     int64_t deadline, struct dbl_sight *sight, struct dblock_error *err)
{
	const struct dbl_asker by = {.link = link};

	return dbl_look_by(&by, name, own_session, nonce, deadline, sight, err);
}

int dbl_see(const struct dbl_asker *by, struct dbl_request *request, struct dbl_sight *sight,
	    struct dblock_error *err)
{
	const struct dbl_env *env = dbl_link_target(by->link)->env;
	int rc;

	request->row = take_sight;
	request->ctx = sight;
	*sight = (struct dbl_sight){.clock.before = dbl_now(env)};
	rc = run_by(by, request, err);
	sight->clock.after = dbl_now(env);
	return rc;
}

int dbl_look_by(const struct dbl_asker *by, const char *name, const char *own_session,
		int64_t nonce, int64_t deadline, struct dbl_sight *sight, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(name), dbl_text(own_session), dbl_int(nonce)};
	struct dbl_request request = {
		.op = DBL_OP_look, .args = DBL_ARGS(args), .deadline = deadline};

	return dbl_see(by, &request, sight, err);
}

bool dbl_holds(const struct dbl_sight *sight, int64_t nonce)
{
	if (nonce == 0 || sight->nonce != nonce || !dbl_is_held(sight))
		return false;
	return !sight->held_until || sight->lease_left == DBL_UNKNOWN || sight->lease_left > 0;
}

static bool same_holder(const struct dbl_watch *watch, const struct dbl_sight *sight)
{
	if (!watch->any || watch->of_session != sight->held_by_session)
		return false;
	if (watch->of_session)
		return watch->beat == sight->beat && strcmp(watch->session, sight->session) == 0;
	return watch->token == sight->token && watch->nonce == sight->nonce &&
	       watch->expires == sight->expires;
}

/* However often its holder beats meanwhile. */
static void note_revoked(struct dbl_watch *watch, const struct dbl_sight *sight)
{
	if (sight->watch == 0) {
		watch->revoked = 0;
	} else if (watch->revoked != sight->nonce) {
		watch->revoked = sight->nonce;
		watch->revoked_since = sight->clock.after;
	}
}

static bool is_revoked(const struct dbl_watch *watch, const struct dbl_sight *sight)
{
	return sight->watch != 0 && sight->nonce != 0 && watch->revoked == sight->nonce;
}

void dbl_watch_note(struct dbl_watch *watch, const struct dbl_sight *sight)
{
	DBL_ASSERT(sight->clock.after >= watch->since, "%lld, %lld", (long long)sight->clock.after,
		   (long long)watch->since);
	note_revoked(watch, sight);
	if (same_holder(watch, sight))
		return;
	*watch = (struct dbl_watch){
		.revoked = watch->revoked,
		.revoked_since = watch->revoked_since,
		.any = sight->held_by_session || sight->held_until,
		.of_session = sight->held_by_session,
		.beat = sight->beat,
		.token = sight->token,
		.nonce = sight->nonce,
		.expires = sight->expires,
		.since = sight->clock.after,
	};
	memcpy(watch->session, sight->session, sizeof(watch->session));
}

/* Verdicts that need no patience; DBL_WAIT where it depends. */
static enum dbl_verdict judge_plain(const struct dbl_sight *sight)
{
	if (!sight->own_alive)
		return DBL_OWN_IS_OVER;
	if (!sight->found || !dbl_is_held(sight))
		return DBL_TAKE;
	if (sight->held_by_session)
		return sight->session_dead ? DBL_TAKE : DBL_WAIT;
	/* A lease has its own end by the database's clock, whoever looks. */
	return sight->lease_left != DBL_UNKNOWN && sight->lease_left <= 0 ? DBL_TAKE : DBL_WAIT;
}

enum dbl_verdict dbl_judge_watched(const struct dbl_sight *sight, const struct dbl_watch *watch,
				   int64_t now)
{
	enum dbl_verdict verdict = judge_plain(sight);
	int64_t watched = now - watch->since;

	DBL_ASSERT(watched >= 0, "%lld", (long long)watched);
	if (verdict == DBL_WAIT && is_revoked(watch, sight) &&
	    now - watch->revoked_since >= sight->watch)
		return DBL_END_REVOKED;
	if (verdict != DBL_WAIT || !same_holder(watch, sight))
		return verdict;
	if (sight->held_by_session)
		return sight->session_found && watched >= sight->ttl ? DBL_BURY : DBL_WAIT;
	return watched >= sight->lease ? DBL_END_LEASE : DBL_WAIT;
}

enum dbl_verdict dbl_judge_now(const struct dbl_sight *sight, bool clock_agrees)
{
	enum dbl_verdict verdict = judge_plain(sight);

	if (verdict == DBL_WAIT && sight->held_by_session && sight->session_found && clock_agrees &&
	    sight->session_left != DBL_UNKNOWN && sight->session_left <= 0)
		return DBL_BURY;
	return verdict;
}

int dbl_declare(const struct dbl_asker *by, const char *name, const struct dbl_sight *sight,
		enum dbl_verdict verdict, int64_t deadline, struct dblock_error *err)
{
	struct dbl_value session[] = {dbl_text(sight->session), dbl_int(sight->beat),
				      dbl_int(sight->ttl)};
	struct dbl_value lease[] = {dbl_text(name), dbl_int(sight->token), dbl_int(sight->nonce),
				    dbl_int(sight->expires)};
	struct dbl_value revoked[] = {dbl_text(name), dbl_int(sight->nonce)};
	struct dbl_request request = {
		.op = DBL_OP_bury, .args = DBL_ARGS(session), .deadline = deadline};

	DBL_ASSERT(verdict != DBL_BURY || (sight->held_by_session && sight->session_found));
	DBL_ASSERT(verdict != DBL_END_LEASE || sight->held_until);
	DBL_ASSERT(verdict != DBL_END_REVOKED || sight->nonce != 0);
	if (verdict == DBL_END_LEASE) {
		request.op = DBL_OP_lease_end;
		request.args = DBL_ARGS(lease);
	} else if (verdict == DBL_END_REVOKED) {
		request.op = DBL_OP_give_back;
		request.args = DBL_ARGS(revoked);
	}

	return run_by(by, &request, err);
}

void dbl_sight_tell(const struct dbl_sight *sight, const char *name, struct dblock_error *err,
		    int code)
{
	const char *gone = "";

	if (!sight->found || !dbl_is_held(sight)) {
		dbl_fail(err, code, "'%s' was taken by somebody else in the meantime", name);
		return;
	}
	if (sight->held_by_session && !sight->session_found)
		gone = "; the holder's session row was deleted by hand, only a break can free it";
	dbl_fail(err, code, "'%s' is %s host %s, pid %lld (token %lld)%s", name,
		 sight->nonce ? "held by" : "kept taken until its minimum hold is over, by",
		 sight->host, (long long)sight->pid, (long long)sight->token, gone);
}
