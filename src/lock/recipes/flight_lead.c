/* SPDX-License-Identifier: MIT */
/* Among the processes, one has the lock of the key and makes the result, the others read it. */
#include "base/mem.h"
#include "lock/cache/local.h"
#include "lock/core/retry.h"
#include "lock/core/value.h"
#include "lock/handle/handle.h"
#include "lock/lock.h"
#include "lock/recipes/flight.h"

/* A result stays for so long, however fresh it is wanted, as those who wait have to read it. */
#define KEEP_LEAST_US (60 * 1000000LL)

/* The result that a look has found in the database. */
struct sighting {
	int64_t sent;  /* our own clock, before the look */
	int64_t token; /* 0: there is none */
	int64_t ago;   /* us since it was ready; negative: the database's clock was set back */
	int64_t took;  /* us that making it took */
	struct dblock_result *result; /* NULL: there is none that is of use */
	struct dblock_error *err;
};

static int take_result(void *ctx, const struct dbl_value *row)
{
	struct sighting *s = ctx;
	bool garbled = false;

	s->token = row[0].i;
	s->ago = row[1].i;
	s->took = row[2].i;
	/* A read that is sent again brings its row again. */
	dbl_result_drop(s->result);
	s->result = row[4].type == DBL_NULL ? NULL
					    : dbl_result_decode(row[3].i != 0, &row[4], &garbled);
	if (s->result)
		s->result->token = s->token;
	/* A row that somebody has changed is of no use, and is soon replaced. */
	else if (row[4].type != DBL_NULL && !garbled)
		return dbl_fail(s->err, DBLOCK_E_NOMEM, "out of memory");
	return 0;
}

/* One flight as its leader knows it. */
struct lead {
	struct dbl_flight *f;
	const struct dbl_flight_call *call;
	int64_t seen;      /* the token of the result that was there at the first look */
	int64_t seen_from; /* when that look was sent, by our own clock */
};

static int find(const struct lead *l, struct sighting *s, struct dblock_error *err)
{
	const struct dbl_flight *f = l->f;
	struct dbl_value args[] = {dbl_text(f->name), dbl_int(l->seen), dbl_int(f->fresh)};
	struct dbl_request request = {
		.op = DBL_OP_flight_find, .args = DBL_ARGS(args), .row = take_result, .ctx = s};
	int rc;

	*s = (struct sighting){.sent = dbl_now(f->locks->env), .err = err};
	/* A failure is told at once, to all who wait for this result. */
	rc = dbl_read_for(f->locks, &l->call->spec, DBL_WHILE_LOCKED, &request, err);
	if (rc) {
		dbl_result_drop(s->result);
		s->result = NULL;
	}
	return rc;
}

/* Since when the result is there, at the earliest, by our own clock: its age by the database's
 * clock, before the look; and not before a look that did not find it. */
static int64_t made_from(const struct lead *l, const struct sighting *s)
{
	int64_t made = s->ago >= 0 ? s->sent - s->ago : INT64_MIN;

	DBL_ASSERT(s->token > 0 && l->seen_from > 0, "%lld", (long long)s->token);
	return s->token > l->seen && l->seen_from > made ? l->seen_from : made;
}

/* Look for a result that will do, and complete the flight if there is one. */
static int look(struct lead *l, struct dblock_error *err)
{
	struct dbl_flight *f = l->f;
	struct sighting s;
	int rc = find(l, &s, err);

	if (rc == 0 && l->seen == INT64_MAX) {
		l->seen = s.token;
		l->seen_from = s.sent;
	}
	if (rc || !s.result)
		return rc;
	f->result = s.result;
	f->read = true;
	f->is_fresh = s.ago >= 0 && s.ago + s.took < f->fresh;
	f->made = made_from(l, &s);
	dbl_flight_complete(f, 0);
	return 0;
}

/* A failure is not reported: the caller has its result, and other processes make their own. */
static void publish(const struct lead *l, const struct dblock_lock *lock, int64_t began)
{
	struct dbl_locks *locks = l->f->locks;
	int64_t keep = l->call->fresh > KEEP_LEAST_US ? l->call->fresh : KEEP_LEAST_US;
	struct dbl_request request = {.op = DBL_OP_flight_publish,
				      .deadline = dbl_locks_deadline(locks)};
	struct dbl_value value;
	bool coded;
	char *own;

	if (dbl_result_encode(l->f->result, &coded, &value, &own)) {
		struct dbl_value args[] = {dbl_text(l->f->name),
					   dbl_int(lock->grant.token),
					   dbl_int(lock->grant.nonce),
					   dbl_int(dbl_now(locks->env) - began),
					   dbl_int(keep),
					   dbl_int(coded),
					   value};

		request.args = DBL_ARGS(args);
		(void)dbl_retry_while_locked(locks, &request, NULL);
	}
	dbl_free(own);
}

/* Make the result. The flight is complete before the result is written to the database, as its
 * followers need not wait for that. */
static int make(const struct lead *l, struct dblock_lock *lock, struct dblock_error *err)
{
	struct dbl_flight *f = l->f;
	int64_t began = dbl_now(f->locks->env);
	int rc;

	DBL_ASSERT(lock->grant.mode == DBLOCK_EXCLUSIVE && !f->result && !f->making);
	f->result = dbl_result_new();
	if (!f->result)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	dbl_local_use_row_token(lock);
	f->result->token = lock->grant.token;
	dbl_lock(&f->locks->mutex);
	f->making = true;
	dbl_unlock(&f->locks->mutex);
	rc = l->call->make(l->call->arg, f->result, &f->why);
	f->why.code = rc;
	if (rc && !f->why.message[0])
		dbl_fail(&f->why, rc, "'%s': the function that makes it returned %d", f->name, rc);
	dbl_flight_complete(f, rc);
	if (rc == 0 && dbl_grant_left(lock) > 0)
		publish(l, lock, began);
	return 0;
}

/* Acquire the lock, and look whether there is a new result by now; if not, and in mode exclusive,
 * make it. */
static int under_lock(struct lead *l, dbl_acquire_fn *how, enum dblock_mode mode,
		      struct dblock_error *err)
{
	struct dbl_flight *f = l->f;
	struct dbl_acquire_spec spec = l->call->spec;
	struct dblock_lock *lock;
	int rc;

	spec.mode = mode;
	rc = how(f->locks, &spec, &lock, err);
	if (rc)
		return rc;
	if (dbl_handle_count(lock) > 1)
		rc = dbl_fail(err, DBLOCK_E_INVALID,
			      "this thread holds the lock '%s' already, by another call", f->name);
	if (rc == 0)
		rc = look(l, err);
	if (rc == 0 && !f->completed && mode == DBLOCK_EXCLUSIVE)
		rc = make(l, lock, err);
	(void)dbl_lock_release(lock, NULL);
	return rc;
}

int dbl_flight_lead(struct dbl_flight *f, const struct dbl_flight_call *call,
		    struct dblock_error *err)
{
	struct lead l = {.f = f, .call = call, .seen = INT64_MAX};
	int rc = look(&l, err);

	if (rc || f->completed)
		return rc;
	rc = under_lock(&l, dbl_lock_try, DBLOCK_EXCLUSIVE, err);
	if (rc != DBLOCK_BUSY && rc != DBLOCK_LOST)
		return rc;
	/* Another process makes it (or the grant came too late to be of use). All that wait in mode
	 * shared are granted the lock at once when it is released. */
	rc = under_lock(&l, dbl_lock_wait, DBLOCK_SHARED, err);
	if (rc || f->completed)
		return rc;
	/* That one has failed, or died. In mode exclusive, one process at a time tries. */
	return under_lock(&l, dbl_lock_wait, DBLOCK_EXCLUSIVE, err);
}
