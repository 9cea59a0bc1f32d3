/* SPDX-License-Identifier: MIT */
#include "lock/queue/queue_rows.h"

#include <string.h>

#include "base/mem.h"
#include "lock/core/value.h"
#include "lock/queue/rank.h"

/* The columns of the operation `line`, in order. */
enum {
	VERSION,
	LOCK_TOKEN,
	HELD,
	SERVED,
	TICKET,
	NONCE,
	MODE,
	WEIGHT,
	CAPACITY,
	UPGRADES,
	NAMES,
	TOKEN,
	SESSION,
	DEAD,
	BEAT,
	TTL,
	SESSION_LEFT,
	LEASE,
	EXPIRES,
	LEASE_LEFT,
	HOST,
	PID,
	THREAD,
	BELL,
	NOW,
	CLOCK,
	WATCH,
	MARK,
	STORED,
	RANKED,
	PRIORITY,
	SINCE
};

static void take_lock(struct dbl_queue *queue, const struct dbl_value *row)
{
	queue->found = true;
	queue->version = row[VERSION].i;
	queue->token = row[LOCK_TOKEN].i;
	queue->held = row[HELD].i != 0;
	queue->held_alive = row[HELD].i == 1;
	queue->served = row[SERVED].i;
	queue->now = row[NOW].i;
	queue->stored = row[STORED].type != DBL_NULL;
	queue->capacity = dbl_int_or(&row[STORED], 0);
	queue->ranked |= row[RANKED].i != 0;
	queue->clock.database = row[CLOCK].i;
}

static struct dbl_row read_row(const struct dbl_value *row)
{
	struct dbl_row r = {
		.ticket = row[TICKET].i,
		.nonce = row[NONCE].i,
		.token = dbl_int_or(&row[TOKEN], 0),
		.mode = row[MODE].i,
		.weight = row[WEIGHT].i,
		.capacity = dbl_int_or(&row[CAPACITY], 0),
		.upgrades = dbl_int_or(&row[UPGRADES], 0),
		.names = row[NAMES].i,
		.priority = dbl_priority_within(row[PRIORITY].i),
		.since = row[SINCE].i,
		.session_found = row[DEAD].type != DBL_NULL,
		.session_dead = dbl_int_or(&row[DEAD], 0) != 0,
		.beat = dbl_int_or(&row[BEAT], 0),
		.ttl = dbl_int_or(&row[TTL], 0),
		.session_left = dbl_int_or(&row[SESSION_LEFT], DBL_UNKNOWN),
		.by_time = row[EXPIRES].type != DBL_NULL,
		.lease = dbl_int_or(&row[LEASE], 0),
		.expires = dbl_int_or(&row[EXPIRES], 0),
		.lease_left = dbl_int_or(&row[LEASE_LEFT], DBL_UNKNOWN),
		.watch = dbl_int_or(&row[WATCH], 0),
		.pid = row[PID].i,
		.thread = row[THREAD].i,
	};

	dbl_copy_text(r.session, sizeof(r.session), &row[SESSION]);
	dbl_copy_text(r.mark, sizeof(r.mark), &row[MARK]);
	dbl_copy_text(r.host, sizeof(r.host), &row[HOST]);
	dbl_copy_text(r.address, sizeof(r.address), &row[BELL]);
	return r;
}

/* Makes room for one row, and for one more. */
static int make_room(struct dbl_queue *queue)
{
	unsigned room = queue->room ? queue->room * 2 : 8;
	struct dbl_row *rows;

	if (queue->n + 1 < queue->room)
		return 0;
	rows = dbl_realloc(queue->rows, room * sizeof(*rows));
	if (!rows)
		return DBLOCK_E_NOMEM;
	queue->rows = rows;
	queue->room = room;
	return 0;
}

static int take_row(void *ctx, const struct dbl_value *row)
{
	struct dbl_queue *queue = ctx;

	take_lock(queue, row);
	if (row[TICKET].type == DBL_NULL)
		return 0;
	if (make_room(queue))
		return DBLOCK_E_NOMEM;
	queue->rows[queue->n] = read_row(row);
	/* Who has not announced his priority yet is to take no advantage of that. */
	queue->ranked |= queue->rows[queue->n].priority && !dbl_row_holds(&queue->rows[queue->n]);
	queue->n++;
	return 0;
}

static bool is_a_mode(int64_t mode)
{
	return mode >= DBLOCK_EXCLUSIVE && mode <= DBLOCK_PERMITS;
}

/* Holders come first, then those who wait, each by ticket. */
static bool is_in_order(const struct dbl_queue *queue)
{
	for (unsigned i = 1; i < queue->n; i++) {
		const struct dbl_row *before = &queue->rows[i - 1], *row = &queue->rows[i];

		if (dbl_row_holds(row) != dbl_row_holds(before) ? dbl_row_holds(row)
								: row->ticket <= before->ticket)
			return false;
	}
	return true;
}

/* No holder's token is above the lock's own row's; a row that waits has no end. */
static bool is_possible(const struct dbl_queue *queue)
{
	for (unsigned i = 0; i < queue->n; i++) {
		const struct dbl_row *row = &queue->rows[i];

		if (row->token > queue->token || !is_a_mode(row->mode) || row->weight < 1 ||
		    (row->mode == DBLOCK_PERMITS && row->capacity && row->weight > row->capacity) ||
		    (row->by_time && !dbl_row_holds(row)))
			return false;
	}
	return true;
}

int dbl_queue_read(struct dbl_locks *locks, const char *name, int64_t deadline,
		   struct dbl_queue *queue, struct dblock_error *err)
{
	struct dbl_value arg = dbl_text(name);
	struct dbl_request request = {.op = DBL_OP_line,
				      .args = DBL_ARG(arg),
				      .row = take_row,
				      .ctx = queue,
				      .deadline = deadline};
	int rc;

	queue->found = queue->held = queue->held_alive = queue->stored = queue->ranked = false;
	queue->n = 0;
	queue->clock.before = dbl_now(locks->env);
	rc = make_room(queue) ? DBLOCK_E_NOMEM : dbl_link_run(locks->link, &request, err);
	queue->clock.after = dbl_now(locks->env);
	DBL_ASSERT(rc || is_in_order(queue), "of %s, %u rows", name, queue->n);
	DBL_ASSERT(rc || is_possible(queue), "of %s, token %lld", name, (long long)queue->token);
	DBL_ASSERT(rc || queue->n < queue->room); /* for a newcomer */
	if (rc == 0 && queue->ranked)
		dbl_rank(queue);
	if (rc == 0)
		(void)dbl_queue_ask(queue, locks->env);
	return rc == DBLOCK_E_NOMEM ? dbl_fail(err, rc, "out of memory") : rc;
}

void dbl_queue_free(struct dbl_queue *queue)
{
	dbl_free(queue->rows);
	*queue = (struct dbl_queue){.n = 0};
}

bool dbl_row_holds(const struct dbl_row *row)
{
	return row->token != 0;
}

bool dbl_row_is_over(const struct dbl_row *row)
{
	if (row->by_time)
		return row->lease_left != DBL_UNKNOWN && row->lease_left <= 0;
	return row->session_dead;
}

unsigned dbl_queue_holders(const struct dbl_queue *queue)
{
	unsigned n = 0;

	while (n < queue->n && dbl_row_holds(&queue->rows[n]))
		n++;
	return n;
}

void dbl_row_snapshot(const struct dbl_queue *queue, const struct dbl_row *row,
		      struct dbl_snapshot *snapshot)
{
	*snapshot = (struct dbl_snapshot){
		.own_alive = true,
		.found = true,
		.held_by_session = !row->by_time,
		.held_until = row->by_time,
		.session_found = row->session_found,
		.session_dead = row->session_dead,
		.token = row->token,
		.nonce = row->nonce,
		.expires = row->expires,
		.lease = row->lease,
		.lease_left = row->lease_left,
		.beat = row->beat,
		.ttl = row->ttl,
		.session_left = row->session_left,
		.watch = row->watch,
		.pid = row->pid,
		.clock = queue->clock,
	};
	memcpy(snapshot->session, row->session, sizeof(snapshot->session));
	memcpy(snapshot->host, row->host, sizeof(snapshot->host));
	memcpy(snapshot->mark, row->mark, sizeof(snapshot->mark));
	snapshot->word = row->word;
}

bool dbl_queue_ask(struct dbl_queue *queue, const struct dbl_env *env)
{
	unsigned n = dbl_queue_holders(queue);
	bool any = false;

	for (unsigned i = 0; i < n; i++) {
		struct dbl_snapshot snapshot;

		dbl_row_snapshot(queue, &queue->rows[i], &snapshot);
		any = dbl_snapshot_ask(&snapshot, env) || any;
		queue->rows[i].word = snapshot.word;
	}
	return any;
}

void dbl_queue_vigil(const struct dbl_queue *queue, struct dbl_vigil *vigil,
		     struct dbl_locks *locks, int64_t nonce)
{
	unsigned holders = dbl_queue_holders(queue), n = 0;
	bool first = holders < queue->n && queue->rows[holders].nonce == nonce;
	bool watched = true;

	for (unsigned i = 0; i < holders; i++) {
		struct dbl_snapshot snapshot;

		dbl_row_snapshot(queue, &queue->rows[i], &snapshot);
		if (!dbl_vigil_helps(&snapshot, locks->host))
			continue;
		n++;
		watched = first && dbl_notifier_watch(locks, snapshot.mark) && watched;
	}
	dbl_vigil_plan(vigil, n, first && !watched, dbl_now(locks->env));
}

static const struct dbl_row *first_that_waits(const struct dbl_queue *queue)
{
	return dbl_queue_holders(queue) < queue->n ? &queue->rows[dbl_queue_holders(queue)] : NULL;
}

void dbl_queue_tell(const struct dbl_queue *queue, const char *name, struct dblock_error *err,
		    int code)
{
	unsigned n = dbl_queue_holders(queue);
	const struct dbl_row *first = n ? queue->rows : first_that_waits(queue);

	if (n == 0 && dbl_queue_is_closed(queue))
		dbl_fail(err, code, "'%s' is closed: its capacity, as is stored, is 0", name);
	else if (!first)
		dbl_fail(err, code, "'%s' was taken by somebody else in the meantime", name);
	else if (n > 1)
		dbl_fail(err, code,
			 "'%s' is held by host %s, pid %lld (token %lld), and %u other%s", name,
			 first->host, (long long)first->pid, (long long)first->token, n - 1,
			 n > 2 ? "s" : "");
	else if (n == 1)
		dbl_fail(err, code, "'%s' is %s host %s, pid %lld (token %lld)", name,
			 first->nonce ? "held by" : "kept taken until its minimum hold is over, by",
			 first->host, (long long)first->pid, (long long)first->token);
	else
		dbl_fail(err, code, "'%s': host %s, pid %lld waits in line before this call", name,
			 first->host, (long long)first->pid);
}
