/* SPDX-License-Identifier: MIT */
/* How many names a call takes: for bounds.c. */
#ifndef TESTS_API_BOUNDED_NAMES_H
#define TESTS_API_BOUNDED_NAMES_H

#include "api/bounded.h"

static inline int acquire_names(struct stage *s, int64_t v, struct dblock_error *err)
{
	struct dblock_lock_spec wants[DBLOCK_NAMES_MAX + 1] = {{.name = NULL}};
	char names[DBLOCK_NAMES_MAX + 1][12];
	struct dblock_lock *lock;
	int rc;

	for (int i = 0; i < v; i++) {
		snprintf(names[i], sizeof(names[i]), "n%d", i);
		wants[i].name = names[i];
	}
	rc = dblock_acquire_all(s->client, wants, (size_t)v, NULL, &lock, err);
	if (rc == 0)
		give(lock);
	return rc;
}

static inline int acquire_depth(struct stage *s, int64_t v, struct dblock_error *err)
{
	char path[2 * DBLOCK_TREE_DEPTH_MAX + 4] = "";
	struct dblock_lock *lock;
	int rc;

	for (int64_t i = 0; i < v; i++)
		strcat(path, i ? "/x" : "x");
	rc = dblock_acquire_tree(s->client, path, NULL, &lock, err);
	if (rc == 0)
		give(lock);
	return rc;
}

#endif
