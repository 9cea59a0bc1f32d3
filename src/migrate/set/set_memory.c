/* SPDX-License-Identifier: MIT */
/* Where the strings and texts of a set lie. */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "migrate/set/set_own.h"

struct dbl_arena {
	struct dbl_arena *next;
	struct dbl_text text;
};

char *dbl_set_keep_text(struct dbl_set *set, const struct dbl_text *text)
{
	struct dbl_arena *kept = text->text ? dbl_alloc(sizeof(*kept)) : NULL;

	if (!kept) {
		dbl_text_free(text);
		return NULL;
	}
	*kept = (struct dbl_arena){set->memory, *text};
	set->memory = kept;
	return text->text;
}

void *dbl_set_keep(struct dbl_set *set, void *p)
{
	return dbl_set_keep_text(set, &(struct dbl_text){.text = p});
}

int dbl_set_no_memory(struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_E_NOMEM, "no memory for the migrations");
}

void dbl_set_free(struct dbl_set *set)
{
	struct dbl_arena *kept = set->memory;

	while (kept) {
		struct dbl_arena *next = kept->next;

		dbl_text_free(&kept->text);
		dbl_free(kept);
		kept = next;
	}
	dbl_free(set->files);
	*set = (struct dbl_set){0};
}

void dbl_set_spool(const struct dbl_set *set, struct dbl_spool *spool)
{
	size_t left = set->in_memory < DBL_SET_MEMORY ? DBL_SET_MEMORY - set->in_memory : 0;

	dbl_spool_begin(spool, left < DBL_SET_MEMORY_ONE ? left : DBL_SET_MEMORY_ONE);
}

static int no_room(const struct dbl_script *script, int error, struct dblock_error *err)
{
	if (error == ENOMEM)
		return dbl_set_no_memory(err);
	return dbl_fail_native(
		err, DBLOCK_E_INVALID, error, NULL,
		"%s: it is too large for memory, and cannot be copied to %s: %s; let "
		"TMPDIR name a folder with room for it",
		script->path, dbl_spool_folder(), strerror(error));
}

int dbl_set_spooled(struct dbl_set *set, const struct dbl_script *script, struct dbl_spool *spool,
		    struct dbl_text *text, struct dblock_error *err)
{
	int rc = dbl_spool_end(spool, text);

	if (rc)
		return no_room(script, rc, err);
	if (!dbl_set_keep_text(set, text)) {
		text->text = NULL;
		return dbl_set_no_memory(err);
	}
	set->in_memory += text->mapped ? 0 : text->len;
	return 0;
}
