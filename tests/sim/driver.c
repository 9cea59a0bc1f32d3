/* SPDX-License-Identifier: MIT */
/* The client's end of a connection, which keeps the contract of driver/driver.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sim/network.h"
#include "sim/network_own.h"
#include "sim/schedule.h"

struct sim_stmt {
	struct dbl_stmt base;
	struct sim_stmt *next;
	enum dbl_op op;
	enum letter_part part;
	struct letter *answer;
};

struct sim_conn {
	struct dbl_conn base;
	struct process *process;
	struct server *to;
	uint64_t id, start, cuts;
	bool in_transaction;
	struct sim_stmt *stmts;
};

/* ---- one request and its answer ------------------------------------------------------------- */

static int lost(struct sim_conn *c, bool reads, const char *how, struct dblock_error *err)
{
	c->base.broken = true;
	return dbl_fail(err, reads ? DBLOCK_E_UNAVAILABLE : DBLOCK_E_UNSURE, "%s", how);
}

static int outcome(struct sim_conn *c, const struct letter *l, struct dblock_error *err)
{
	switch (l->answer) {
	case LETTER_DONE:
		return l->rc ? dbl_fail(err, l->rc, "%s", l->message) : 0;
	case LETTER_REFUSED:
		c->base.broken = true;
		return dbl_fail(err, DBLOCK_E_UNAVAILABLE, "the connection is gone");
	case LETTER_CUT:
		return lost(c, l->reads, "the connection was reset", err);
	case LETTER_SILENT:
		break;
	}
	c->base.broken = true;
	return dbl_fail(err, l->reads ? DBLOCK_E_NO_ANSWER : DBLOCK_E_UNSURE, "no answer in time");
}

/* Sends the letter and waits for the answer, up to the connection's deadline. */
static int talk(struct sim_conn *c, struct letter *l, struct dblock_error *err)
{
	struct coroutine *self = coroutine_self();
	int64_t until = process_when(c->process, c->base.deadline);

	if (until <= self->world->now)
		return dbl_fail(err, DBLOCK_E_NO_ANSWER,
				"the deadline had come before it was sent");
	l->process = c->process;
	l->sender = self;
	l->trying = self->trying;
	l->breaking = self->breaking;
	l->forced = self->forced;
	l->takes = self->takes;
	l->conn = c->id;
	l->to = c->to;
	l->start = c->start;
	l->cuts_then = c->cuts;
	l->in_transaction = c->in_transaction;
	network_send(self->world, l);
	while (l->answer == LETTER_SILENT && self->world->now < until)
		schedule_wait(l, until);
	l->sender = NULL;
	return outcome(c, l, err);
}

/* ---- the slots ------------------------------------------------------------------------------ */

static void sim_close(struct dbl_conn *base)
{
	struct sim_conn *c = (struct sim_conn *)base;
	struct sim_stmt *next;

	for (struct sim_stmt *s = c->stmts; s; s = next) {
		next = s->next;
		letter_drop(s->answer);
		dbl_free(s);
	}
	dbl_free(c);
}

/* One of several has its number in its URL. */
static struct server *server_of(struct world *w, const struct dbl_url *url)
{
	return &w->servers[w->n_servers > 1 ? atoi(url->path) - 1 : 0];
}

static int sim_open(struct dbl_conn **out, const struct dbl_url *url, const struct dbl_env *env,
		    int64_t deadline, struct dblock_error *err)
{
	struct sim_conn *c = dbl_alloc(sizeof(*c));
	struct letter *l = letter_new();
	int rc;

	c->base = (struct dbl_conn){.driver = &network_driver, .env = env, .deadline = deadline};
	c->process = env->ctx;
	c->to = server_of(c->process->world, url);
	c->cuts = network_way(c->process, c->to)->cuts;
	l->op = LETTER_CONNECT;
	l->reads = true;
	rc = talk(c, l, err);
	c->id = l->conn;
	c->start = l->start;
	letter_drop(l);
	*out = &c->base;
	if (rc) {
		sim_close(&c->base);
		*out = NULL;
	}
	return rc;
}

/* Returns the operation with this text, or LETTER_SCRIPT if there is none. */
static int op_of(const char *sql)
{
	size_t len;

	if (strncmp(sql, "-- ", 3) != 0)
		return LETTER_SCRIPT;
	len = strcspn(sql + 3, ":\n");
	for (int op = 0; op < DBL_OP_COUNT; op++) {
		const char *name = dbl_ops[op].name;

		if (name[0] == sql[3] && strlen(name) == len && sql[3 + len] == ':' &&
		    memcmp(sql + 3, name, len) == 0)
			return op;
	}
	return LETTER_SCRIPT;
}

/* Returns the part: any but an operation's first statement has it in its first line: "-- grant: and
 * ...". */
static enum letter_part part_of(int op, const char *sql)
{
	static const char *const words[PARTS] = {
		[PART_AND] = ": and",   [PART_MET] = ": met",       [PART_ELSE] = ": else",
		[PART_THEN] = ": then", [PART_ANSWER] = ": answer", [PART_ALSO] = ": also"};
	enum letter_part part = PARTS;

	if (op >= DBL_OP_COUNT)
		return PART_FIRST;
	while (--part > PART_FIRST) {
		if (strncmp(sql + 3 + strlen(dbl_ops[op].name), words[part], strlen(words[part])) ==
		    0)
			break;
	}
	return part;
}

/* Returns what this text is to the server: all but these is a script, and settings do nothing
 * there. */
static int verb_of(const char *sql)
{
	int op = strncmp(sql, "SET ", 4) == 0 ? DBL_OP_setup : op_of(sql);

	return op == DBL_OP_setup || op == DBL_OP_tx_begin || op == DBL_OP_tx_commit ||
			       op == DBL_OP_tx_rollback
		       ? op
		       : LETTER_SCRIPT;
}

static int sim_exec(struct dbl_conn *base, const char *sql, struct dblock_error *err)
{
	struct sim_conn *c = (struct sim_conn *)base;
	struct letter *l = letter_new();
	int rc;

	l->op = verb_of(sql);
	letter_set_sql(l, sql);
	rc = talk(c, l, err);
	if (rc == 0 && l->op == DBL_OP_tx_begin)
		c->in_transaction = true;
	if (l->op == DBL_OP_tx_commit || l->op == DBL_OP_tx_rollback)
		c->in_transaction = false;
	base->in_tx = c->in_transaction;
	letter_drop(l);
	return rc;
}

static int sim_prepare(struct dbl_conn *base, const char *sql, struct dbl_stmt **out,
		       struct dblock_error *err)
{
	struct sim_conn *c = (struct sim_conn *)base;
	int op = op_of(sql);
	struct sim_stmt *s;
	enum letter_part part = part_of(op, sql);
	int rc = database_prepare(c->to, (enum dbl_op)op, part, sql);

	*out = NULL;
	if (rc)
		return dbl_fail(err, rc, "no such table");
	s = dbl_alloc(sizeof(*s));
	s->base.conn = base;
	s->op = (enum dbl_op)op;
	s->part = part;
	s->next = c->stmts;
	c->stmts = s;
	*out = &s->base;
	return 0;
}

static int sim_run(struct dbl_stmt *base, const struct dbl_value *args, unsigned n,
		   int64_t *changed, struct dblock_error *err)
{
	struct sim_stmt *s = (struct sim_stmt *)base;
	int rc;

	letter_drop(s->answer);
	s->answer = letter_new();
	s->answer->op = (int)s->op;
	s->answer->part = s->part;
	s->answer->second = s->part == PART_AND;
	s->answer->reads = base->reads;
	letter_set_args(s->answer, args, n);
	rc = talk((struct sim_conn *)base->conn, s->answer, err);
	*changed = s->answer->changed;
	base->columns = s->answer->columns;
	base->met = s->answer->met;
	return rc;
}

static int sim_next(struct dbl_stmt *base, struct dbl_value *row, unsigned n,
		    struct dblock_error *err)
{
	(void)err;
	return letter_next(((struct sim_stmt *)base)->answer, row, n);
}

const struct dbl_driver network_driver = {
	.name = "sqlite",
	.open = sim_open,
	.close = sim_close,
	.exec = sim_exec,
	.prepare = sim_prepare,
	.run = sim_run,
	.next = sim_next,
};
