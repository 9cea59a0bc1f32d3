/* SPDX-License-Identifier: MIT */
#include "lock/watch/pass.h"

#include <string.h>

#include "base/mem.h"
#include "driver/value.h"
#include "lock/handle/handle.h"

/* How many rows one statement looks at, and how many orphans one pass can give back. */
#define PAGE        10000
#define ORPHANS_MAX 4096

/* Of the time until the deadline, such a part is for reading. */
#define PART 4

struct dbl_orphan *dbl_orphan_new(struct dbl_pass *p, const char *name, int64_t nonce,
				  int64_t token)
{
	struct dbl_orphan *orphan = p->n_orphans < ORPHANS_MAX ? dbl_alloc(sizeof(*orphan)) : NULL;

	if (orphan)
		orphan->cleanup = dbl_cleanup_new(name);
	if (!orphan || !orphan->cleanup) {
		dbl_free(orphan);
		p->again = true;
		return NULL;
	}
	orphan->nonce = nonce;
	orphan->token = token;
	orphan->next = p->orphans;
	p->orphans = orphan;
	p->n_orphans++;
	return orphan;
}

static int take(struct dbl_pass *p, const struct dbl_value *row, bool in_queue)
{
	struct dbl_nonce_use *use =
		dbl_census_find(&p->before, row[1].i, dbl_census_hash(row[0].text, row[0].len));
	struct dbl_orphan *orphan;
	char name[DBL_NAME_MAX + 1];

	if (row[0].len > DBL_NAME_MAX)
		return DBLOCK_E_SCHEMA;
	/* A row without a token waits, and proves no grant. */
	if (use && row[2].i)
		use->seen = true;
	/* A lease may be another client's of this process, or have been left on purpose. */
	if (use || !row[3].i || dbl_census_has(&p->before, row[1].i))
		return 0;
	memcpy(name, row[0].text, row[0].len);
	name[row[0].len] = '\0';
	orphan = dbl_orphan_new(p, name, row[1].i, row[2].i);
	if (orphan)
		orphan->in_queue = in_queue;
	return 0;
}

/* Pages are in byte order: a name that is not behind the last one would be read for ever. */
static bool is_behind(const struct dbl_value *row, const char *last)
{
	size_t len = strlen(last);
	int order = memcmp(row[0].text, last, row[0].len < len ? row[0].len : len);

	return order > 0 || (order == 0 && row[0].len > len);
}

/* The row: name, nonce (0: it only ends the page), token, does it live by the session? */
static int take_lock(void *ctx, const struct dbl_value *row)
{
	struct dbl_pass *p = ctx;

	if (row[0].len > DBL_NAME_MAX)
		return DBLOCK_E_SCHEMA;
	DBL_ASSERT(is_behind(row, p->last), "%s", p->last);
	memcpy(p->last, row[0].text, row[0].len);
	p->last[row[0].len] = '\0';
	return row[1].i ? take(p, row, false) : 0;
}

static int take_row(void *ctx, const struct dbl_value *row)
{
	return take(ctx, row, true);
}

/* DBLOCK_WAITING: there are more. A page counts only if no connection was lost by then: another one may
 * lead to an older copy, which does not have what it has not. */
static int read_locks(struct dbl_pass *p, struct dbl_link *link, int64_t losses, int64_t deadline)
{
	const struct dbl_host *host = p->locks->host;
	const struct dbl_env *env = p->locks->env;
	int64_t now = dbl_now(env), until = now + (deadline - now) / PART;
	char after[DBL_NAME_MAX + 1];
	struct dbl_value args[] = {dbl_null(), dbl_text(p->epoch->id), dbl_text(host->name),
				   dbl_int(host->pid), dbl_int(PAGE)};
	struct dbl_request request = {.op = DBL_OP_own_grants,
				      .args = DBL_ARGS(args),
				      .row = take_lock,
				      .ctx = p,
				      .deadline = deadline};
	int rc;

	do {
		memcpy(after, p->last, sizeof(after));
		args[0] = dbl_text(after);
		rc = dbl_link_run(link, &request, NULL);
		if (rc || dbl_link_losses(link) != losses) {
			memcpy(p->last, after, sizeof(after));
			return rc ? rc : DBLOCK_E_UNAVAILABLE;
		}
	} while (request.rows > 0 && dbl_now(env) < until);
	return request.rows > 0 ? DBLOCK_WAITING : 0;
}

int dbl_pass_read(struct dbl_pass *p, struct dbl_link *link, int64_t losses, int64_t deadline)
{
	struct dbl_value arg = dbl_text(p->epoch->id);
	struct dbl_request rows = {.op = DBL_OP_own_rows,
				   .args = DBL_ARG(arg),
				   .row = take_row,
				   .ctx = p,
				   .deadline = deadline};
	int rc = read_locks(p, link, losses, deadline);

	return rc ? rc : dbl_link_run(link, &rows, NULL);
}
