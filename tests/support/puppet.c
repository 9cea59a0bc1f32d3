/* SPDX-License-Identifier: MIT */
#include "support/puppet.h"

#include "driver/value.h"

struct puppet *puppet_new(const struct dbl_env *env, int64_t ttl_ms)
{
	struct puppet *p = calloc(1, sizeof(*p));
	struct dblock_error err = {0};

	env = env ? env : dbl_env_system();
	expect(OK, dbl_target_init(&p->target, test_url(), NULL, NULL, env, &err));
	expect(OK, dbl_db_open(&p->db, &p->target, dbl_now(env) + dbl_ms(PLENTY_MS), &err));
	assert_int_equal(dbl_random_hex(env, p->id), 0);
	p->ttl = dbl_ms(ttl_ms);
	p->beat = dbl_random_id(env) / 2; /* room to grow in, as the library's */
	puppet_run(p, DBL_OP_session_open,
		   (struct dbl_value[]){dbl_text(p->id), dbl_text("puppet"), dbl_int(1),
					dbl_text("puppet"), dbl_int(p->ttl), dbl_int(p->beat)});
	return p;
}

void puppet_free(struct puppet *p)
{
	puppet_run(p, DBL_OP_session_close, (struct dbl_value[]){dbl_text(p->id)});
	dbl_db_close(p->db);
	dbl_target_free(&p->target);
	free(p);
}

static int take_answer(void *ctx, const struct dbl_value *row)
{
	struct puppet *p = ctx;

	/* The operations that puppets use answer with one integer or none. */
	p->answer = row[0].i;
	p->rows++;
	return 0;
}

int64_t puppet_run(struct puppet *p, enum dbl_op op, const struct dbl_value *args)
{
	struct dblock_error err = {0};
	struct dbl_request request = {.op = op,
				      .args = args,
				      .row = take_answer,
				      .ctx = p,
				      .deadline = dbl_now(p->target.env) + dbl_ms(PLENTY_MS)};

	p->rows = 0;
	expect(OK, dbl_db_run(p->db, &request, &err));
	return request.changed;
}

bool puppet_takes(struct puppet *p, const char *name)
{
	p->nonce = dbl_random_id(p->target.env);
	puppet_run(p, DBL_OP_acquire,
		   (struct dbl_value[]){dbl_text(name), dbl_int(p->nonce), dbl_text(p->id),
					dbl_text("puppet"), dbl_int(1), dbl_int(1), dbl_null(),
					dbl_null(), dbl_null(), dbl_int(0)});
	if (p->rows == 1)
		p->token = p->answer;
	return p->rows == 1;
}

bool puppet_beats(struct puppet *p)
{
	p->beat++;
	puppet_run(p, DBL_OP_heartbeat, (struct dbl_value[]){dbl_text(p->id), dbl_int(p->beat)});
	return p->rows == 1;
}

bool puppet_is_buried(struct puppet *p, int64_t beat, int64_t ttl)
{
	return puppet_run(p, DBL_OP_bury,
			  (struct dbl_value[]){dbl_text(p->id), dbl_int(beat), dbl_int(ttl)}) == 1;
}
