/* SPDX-License-Identifier: MIT */
/* What the strings of a set lie in. */
#include "base/mem.h"
#include "migrate/set/set_own.h"

struct dbl_kept {
	struct dbl_kept *next;
	void *p;
};

void *dbl_set_keep(struct dbl_set *set, void *p)
{
	struct dbl_kept *kept = p ? dbl_alloc(sizeof(*kept)) : NULL;

	if (!kept) {
		dbl_free(p);
		return NULL;
	}
	*kept = (struct dbl_kept){set->memory, p};
	set->memory = kept;
	return p;
}

int dbl_set_no_memory(struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_E_NOMEM, "no memory for the migrations");
}

void dbl_set_free(struct dbl_set *set)
{
	struct dbl_kept *kept = set->memory;

	while (kept) {
		struct dbl_kept *next = kept->next;

		dbl_free(kept->p);
		dbl_free(kept);
		kept = next;
	}
	dbl_free(set->files);
	*set = (struct dbl_set){0};
}
