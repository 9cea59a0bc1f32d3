/* SPDX-License-Identifier: MIT */
#include "link/backend.h"

#include <string.h>

#include "driver/value.h"

/* Between two questions whether it is gone: short at first, as it mostly is at once. What takes long does so
 * because the server has much to do, and many may ask. */
#define PAUSE_FIRST_US 5000
#define PAUSE_LAST_US  160000

/* What backend_state answers. */
enum { THERE, GONE, UNKNOWN };

static int take_backend(void *ctx, const struct dbl_value *row)
{
	struct dbl_backend *backend = ctx;
	size_t room = sizeof(backend->mark) - 1;
	size_t len = row[1].len < room ? row[1].len : room;

	backend->id = row[0].i;
	memcpy(backend->mark, row[1].text, len);
	backend->mark[len] = '\0';
	return 0;
}

int dbl_backend_read(struct dbl_db *db, int64_t deadline, struct dbl_backend *backend,
		     struct dblock_error *err)
{
	struct dbl_request request = {
		.op = DBL_OP_backend, .row = take_backend, .ctx = backend, .deadline = deadline};
	int64_t known = dbl_db_backend(db);
	int rc;

	*backend = (struct dbl_backend){.id = known};
	if (known <= 0)
		return 0;
	rc = dbl_db_run(db, &request, err);
	/* A proxy or a pooler is in between, or we may not see the server's processes. */
	if (rc || backend->id != known)
		backend->id = 0;
	return rc && dbl_db_broken(db) ? rc : 0;
}

static int take_int(void *ctx, const struct dbl_value *row)
{
	*(int64_t *)ctx = row[0].i;
	return 0;
}

/* Ask about that backend. Not 0 only if this connection is broken; *answer may stay as it was. */
static int ask(struct dbl_db *db, enum dbl_op op, const struct dbl_backend *backend,
	       int64_t deadline, int64_t *answer, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_int(backend->id), dbl_text(backend->mark)};
	struct dbl_request request = {.op = op,
				      .args = DBL_ARGS(args),
				      .row = take_int,
				      .ctx = answer,
				      .deadline = deadline};
	int rc = dbl_db_run(db, &request, err);

	return rc && dbl_db_broken(db) ? rc : 0;
}

int dbl_backend_end(struct dbl_db *db, const struct dbl_backend *backend, const struct dbl_env *env,
		    int64_t deadline, struct dblock_error *err)
{
	int64_t state = UNKNOWN, ignored = 0, pause = PAUSE_FIRST_US;
	int rc;

	if (backend->id <= 0)
		return backend->id == DBL_NO_SERVER;
	rc = ask(db, DBL_OP_backend_state, backend, deadline, &state, err);
	if (rc == 0 && state == THERE)
		rc = ask(db, DBL_OP_backend_end, backend, deadline, &ignored, err);
	while (rc == 0 && state == THERE && dbl_now(env) + PAUSE_FIRST_US < deadline) {
		dbl_sleep_until(env, dbl_least(dbl_now(env) + pause, deadline - PAUSE_FIRST_US));
		pause = dbl_least(pause * 2, PAUSE_LAST_US);
		rc = ask(db, DBL_OP_backend_state, backend, deadline, &state, err);
	}
	return rc ? rc : state == GONE;
}
