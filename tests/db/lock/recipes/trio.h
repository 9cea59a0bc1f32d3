/* SPDX-License-Identifier: MIT */
/* Three parties of a barrier, and what a test sees of them. */
#ifndef TESTS_DB_TRIO_H
#define TESTS_DB_TRIO_H

#include "db/lock/recipes/latch.h"

/* Three parties, each with a client of its own. */
struct trio {
	struct scene scene;
	struct party p[3];
};

static inline int set_up(void **state)
{
	struct trio *t = calloc(1, sizeof(*t));

	t->scene.client = client_new(0);
	t->scene.raw = raw_open(NULL);
	raw_exec(t->scene.raw, "DELETE FROM dblock_latch");
	for (int i = 0; i < 3; i++)
		t->p[i] = (struct party)PARTY(client_new(SLOWLY_MS(6000)), 3);
	*state = t;
	return 0;
}

/* Each has left by now. */
static inline int tear_down(void **state)
{
	struct trio *t = *state;

	for (int i = 0; i < 3; i++)
		dblock_close(t->p[i].client, NULL);
	dblock_close(t->scene.client, NULL);
	raw_close(t->scene.raw);
	free(t);
	return 0;
}

static inline void start(struct trio *t, int first, int n,
			 int (*what)(void *, struct dblock_error *))
{
	for (int i = first; i < first + n; i++)
		party_start(&t->p[i], what);
}

static inline void all_end(struct trio *t, int first, int n, int outcome)
{
	for (int i = first; i < first + n; i++)
		party_ends(&t->p[i], outcome);
}

static inline void all_enter(struct trio *t)
{
	start(t, 0, 3, party_enters);
	all_end(t, 0, 3, DBLOCK_OK);
}

static inline void all_leave(struct trio *t)
{
	start(t, 0, 3, party_leaves);
	all_end(t, 0, 3, DBLOCK_OK);
}

/* Nothing of it is left. */
static inline void nobody_is_there(struct trio *t)
{
	until_there_are(t->scene.raw, "barrier:x", 0, "%");
}

/* ---- in the middle ------------------------------------------------------------------------------ */

static struct trio *the_trio;
static struct spy *the_spy;

/* Clients whose statements a test sees before they are sent. */
static inline void spy_on(struct trio *t, int first, int n)
{
	the_trio = t;
	the_spy = spy_new();
	for (int i = first; i < first + n; i++) {
		dblock_close(t->p[i].client, NULL);
		t->p[i].client = spy_client(the_spy, 0);
	}
}

/* Before the spy is gone. */
static inline void spy_off(struct trio *t, int first, int n)
{
	the_spy->fate = NULL;
	for (int i = first; i < first + n; i++) {
		dblock_close(t->p[i].client, NULL);
		t->p[i].client = client_new(0);
	}
	spy_free(the_spy);
}

#define BARRIER_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

#endif
