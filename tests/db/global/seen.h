/* SPDX-License-Identifier: MIT */
/* What a recovery tells of a transaction that was left, and of its branches. */
#ifndef TESTS_DB_GLOBAL_SEEN_H
#define TESTS_DB_GLOBAL_SEEN_H

#include "db/global/left.h"

enum { HOME, OTHER };

struct seen {
	enum dblock_recovered outcome;
	int told, branches;
	int64_t home, client[4];
	enum dblock_branch_state state[4]; /* from 1 */
	char text[200];
};

static inline int see_branch(void *arg, const struct dblock_branch *branch)
{
	struct seen *seen = arg;

	assert_int_equal(branch->size, sizeof(*branch));
	assert_int_equal(branch->number, ++seen->branches);
	seen->state[branch->number] = branch->state;
	seen->client[branch->number] = branch->client;
	return 0;
}

static inline int see(void *arg, const struct dblock_recovery *found)
{
	struct seen *seen = arg;

	*seen = (struct seen){
		.outcome = found->outcome, .told = seen->told + 1, .home = found->home};
	snprintf(seen->text, sizeof(seen->text), "%s", found->text);
	return 0;
}

static const struct dblock_recover_options plain = {.size = sizeof(plain), .grace_ms = 1};

static inline int recover(struct two *t, struct dblock_recover_options how, struct seen *seen,
			  struct dblock_error *err)
{
	struct dblock_client *const clients[] = {t->homes, t->others};

	*seen = (struct seen){.told = 0};
	how.branch = see_branch;
	return dblock_recover(clients, 2, &how, see, seen, err);
}

static inline struct seen look(struct two *t)
{
	struct dblock_recover_options how = plain;
	struct dblock_error err = {0};
	struct seen seen;

	how.look = true;
	expect(OK, recover(t, how, &seen, &err));
	return seen;
}

static inline struct dblock_recover_options verdict(enum dblock_verdict what, const char *id)
{
	struct dblock_recover_options how = plain;

	how.verdict = what;
	how.id = id;
	return how;
}

static inline void begin_and_prepare(struct two *t, char id[17])
{
	begin(t);
	prepare(t);
	snprintf(id, 17, "%s", dblock_global_id(t->global));
}

static inline void decide(const struct two *t, const char *id, int state, int parts)
{
	raw_exec(t->raw,
		 "INSERT INTO h_decision (id, state, parts, history, since) VALUES ('%s', %d, %d, "
		 "'x', 1)",
		 id, state, parts);
}

static inline void home_is_restored(const struct two *t)
{
	raw_exec(t->raw, "INSERT INTO h_history (n, id, facts, since) SELECT max(n) + 1, "
			 "'0123456789abcdef0123456789abcdef', max(facts), 1 FROM h_history");
}

static inline void home_is_as_it_was(const struct two *t)
{
	raw_exec(t->raw, "DELETE FROM h_history WHERE id = '0123456789abcdef0123456789abcdef'");
}

#endif
