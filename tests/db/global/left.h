/* SPDX-License-Identifier: MIT */
/* A transaction over two databases that is left: prepared, and nobody finishes it. */
#ifndef TESTS_DB_GLOBAL_LEFT_H
#define TESTS_DB_GLOBAL_LEFT_H

#include "db/global/two.h"
#include "global/global.h"

static inline int set_up(void **state)
{
	struct two *t = calloc(1, sizeof(*t));

	*state = t;
	two_make(t);
	t->home = t->homes;
	t->other = t->others;
	return 0;
}

static inline int tear_down(void **state)
{
	struct two *t = *state;

	two_end(t);
	two_free(t);
	free(t);
	return 0;
}

static inline void begin(struct two *t)
{
	struct dblock_error err = {0};

	expect(OK, two_begin(t, &err));
}

static inline void prepare(struct two *t)
{
	struct dblock_error err = {0};

	expect(OK, dbl_branch_prepare(&t->global->branches[0], &err));
}

/* As if its process had ended: the connections are gone, and nobody has said anything. */
static inline void die(struct two *t)
{
	dbl_db_give_up(t->at_home->db);
	dbl_db_give_up(t->there->db);
	two_end(t);
}

static inline bool is_recovered(struct two *t)
{
	struct dblock_error err = {0};

	expect(OK, two_recover(t, &err));
	return t->told == 0 || t->outcome < DBLOCK_RECOVERED_NOT_YET;
}

#endif
