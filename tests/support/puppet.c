/* SPDX-License-Identifier: MIT */
#include "support/puppet.h"

#include "driver/value.h"
#include "lock/core/value.h"
#include "lock/queue/queue.h"

struct puppet *puppet_citing(const struct dbl_env *env, int64_t ttl_ms, const char *mark)
{
	struct puppet *p = calloc(1, sizeof(*p));
	struct dblock_error err = {0};

	env = env ? env : dbl_env_system();
	expect(OK, dbl_target_init(&p->target, test_url(), NULL, NULL, env, &err));
	expect(OK, dbl_db_open(&p->db, &p->target, dbl_now(env) + dbl_ms(PLENTY_MS), &err));
	assert_int_equal(dbl_random_hex(env, p->id), 0);
	p->ttl = dbl_ms(ttl_ms);
	p->beat = dbl_random_id(env) / 2; /* far from the largest, as the library's */
	puppet_run(p, DBL_OP_session_open,
		   DBL_ARGS_OF(dbl_text(p->id), dbl_text("puppet"), dbl_int(1), dbl_text("puppet"),
			       dbl_int(p->ttl), dbl_int(p->beat), dbl_text(mark), dbl_int(1)));
	return p;
}

struct puppet *puppet_new(const struct dbl_env *env, int64_t ttl_ms)
{
	return puppet_citing(env, ttl_ms, "");
}

void puppet_free(struct puppet *p)
{
	puppet_run(p, DBL_OP_session_close,
		   DBL_ARGS_OF(dbl_text(p->id), dbl_int(p->beat), dbl_int(p->beat)));
	dbl_db_close(p->db);
	dbl_target_free(&p->target);
	free(p);
}

static int take_answer(void *ctx, const struct dbl_value *row)
{
	struct puppet *p = ctx;

	/* The operations that puppets use answer with integers first. */
	p->answers[0] = row[0].i;
	if (dbl_ops[p->op].columns[1])
		p->answers[1] = row[1].i;
	p->rows++;
	return 0;
}

static int run(struct puppet *p, enum dbl_op op, struct dbl_args args, int64_t *changed,
	       struct dblock_error *err)
{
	struct dbl_request request = {.op = op,
				      .args = args,
				      .row = take_answer,
				      .ctx = p,
				      .deadline = dbl_now(p->target.env) + dbl_ms(PLENTY_MS)};
	int rc;

	p->op = op;
	/* InnoDB finds deadlocks between hand-overs and others; src/link would send again what they
	 * roll back. */
	do {
		p->rows = 0;
		rc = dbl_db_run(p->db, &request, err);
	} while (rc == DBLOCK_E_CONFLICT);
	*changed = request.changed;
	return rc;
}

int64_t puppet_run(struct puppet *p, enum dbl_op op, struct dbl_args args)
{
	struct dblock_error err = {0};
	int64_t changed;

	expect(OK, run(p, op, args, &changed, &err));
	return changed;
}

bool puppet_takes(struct puppet *p, const char *name)
{
	p->nonce = dbl_random_id(p->target.env);
	puppet_run(p, DBL_OP_acquire,
		   DBL_ARGS_OF(dbl_text(name), dbl_int(p->nonce), dbl_text(p->id),
			       dbl_text("puppet"), dbl_int(1), dbl_int(1), dbl_null(), dbl_null(),
			       dbl_null(), dbl_int(0), dbl_int(0), dbl_int(p->beat)));
	if (p->rows == 1)
		p->token = p->answers[0];
	return p->rows == 1;
}

bool puppet_beats(struct puppet *p)
{
	int64_t before = p->beat++;

	puppet_run(p, DBL_OP_heartbeat,
		   DBL_ARGS_OF(dbl_text(p->id), dbl_int(p->beat), dbl_int(before)));
	return p->rows == 1;
}

bool puppet_is_dead(struct puppet *p, int64_t beat, int64_t ttl)
{
	return puppet_run(p, DBL_OP_bury,
			  DBL_ARGS_OF(dbl_text(p->id), dbl_int(beat), dbl_int(ttl), dbl_text(""),
				      dbl_int(0), dbl_text(""), dbl_int(0), dbl_text(""),
				      dbl_int(DBLOCK_EVENT_DEAD))) == 1;
}

static void join(struct puppet *p, const char *name, int64_t lease_ms, const char *value)
{
	p->place = dbl_random_id(p->target.env);
	puppet_run(p, DBL_OP_enqueue,
		   DBL_ARGS_OF(dbl_text(name), dbl_int(p->place), dbl_text(p->id), dbl_int(77),
			       dbl_int_if(lease_ms > 0, dbl_ms(lease_ms)), dbl_null(),
			       dbl_text(value), dbl_text(""), dbl_int(0), dbl_int(1), dbl_null(),
			       dbl_null(), dbl_int(1), dbl_int(0), dbl_int(p->beat),
			       dbl_int(p->priority)));
	assert_int_equal(p->rows, 1);
	p->ticket = p->answers[0];
}

void puppet_enqueue(struct puppet *p, const char *name)
{
	join(p, name, 0, NULL);
}

static void announce(struct puppet *p, const char *name, enum dbl_change change)
{
	puppet_run(p, DBL_OP_announce, DBL_ARGS_OF(dbl_text(name), dbl_int(change)));
}

void puppet_announce(struct puppet *p, const char *name)
{
	announce(p, name, DBL_HAS_LEFT);
}

void puppet_queues(struct puppet *p, const char *name)
{
	puppet_queues_for(p, name, 0, NULL);
}

void puppet_queues_for(struct puppet *p, const char *name, int64_t lease_ms, const char *value)
{
	join(p, name, lease_ms, value);
	announce(p, name, p->priority ? DBL_HAS_JOINED_RANKED : DBL_HAS_JOINED);
}

void puppet_dequeue(struct puppet *p, const char *name)
{
	puppet_run(p, DBL_OP_dequeue, DBL_ARGS_OF(dbl_text(name), dbl_int(p->place)));
}

bool puppet_gives_back(struct puppet *p, const char *name)
{
	return puppet_run(p, DBL_OP_give_back, DBL_ARGS_OF(dbl_text(name), dbl_int(p->place))) == 1;
}

static struct puppet_winner end_by(struct puppet *p, enum dbl_op op, struct dbl_args args)
{
	struct puppet_winner winner = {.rc = 0};
	struct dblock_error err = {0};
	int64_t changed;

	winner.rc = run(p, op, args, &changed, &err);
	if (winner.rc && winner.rc != DBLOCK_E_BLOCKED)
		print_error("puppet: %s\n", err.message);
	winner.done = winner.rc == 0 && changed > 0;
	winner.token = p->answers[0];
	winner.holder = p->answers[1];
	return winner;
}

struct puppet_winner puppet_hands_over(struct puppet *p, const char *name)
{
	return end_by(p, DBL_OP_hand_over,
		      DBL_ARGS_OF(dbl_text(name), dbl_int(p->token), dbl_int(p->nonce)));
}

struct puppet_winner puppet_passes_on(struct puppet *p, const char *name, int64_t ticket)
{
	return end_by(
		p, DBL_OP_pass_on,
		DBL_ARGS_OF(dbl_text(name), dbl_int(p->token), dbl_int(p->nonce), dbl_int(ticket)));
}

struct puppet_winner puppet_enters(struct puppet *p, const char *name, enum dblock_mode mode,
				   int64_t weight, int64_t capacity)
{
	p->place = dbl_random_id(p->target.env);
	return end_by(p, DBL_OP_enter,
		      DBL_ARGS_OF(dbl_text(name), dbl_int(p->place), dbl_text(p->id), dbl_int(77),
				  dbl_null(), dbl_null(), dbl_null(), dbl_int(mode),
				  dbl_int(weight), dbl_int_if(capacity > 0, capacity), dbl_int(0),
				  dbl_int(p->beat)));
}

static int64_t soon(const struct puppet *p)
{
	return dbl_now(p->target.env) + dbl_ms(PLENTY_MS);
}

void puppet_begin(struct puppet *p)
{
	struct dblock_error err = {0};

	expect(OK, dbl_db_begin(p->db, soon(p), &err));
}

void puppet_commit(struct puppet *p)
{
	struct dblock_error err = {0};

	expect(OK, dbl_db_end(p->db, 0, soon(p), &err));
}
