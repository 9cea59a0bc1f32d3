/* SPDX-License-Identifier: MIT */
/* A lock in a tree is several locks: its own, and a shared one for all that is below each node above it. */
#include "api/group.h"

#include <string.h>

#include "api/client.h"
#include "lock/core/name.h"

static const char below[] = "**";

/* The locks of a path. */
struct path {
	struct dblock_lock_spec want[DBLOCK_TREE_DEPTH_MAX];
	size_t n;
	char text[DBLOCK_TREE_DEPTH_MAX][DBL_NAME_MAX + 1];
};

static int refuse(const char *path, const char *what, struct dblock_error *err)
{
	return dbl_fail(
		err, DBLOCK_E_INVALID,
		"'%s' %s: a path has 1 to %d names with '/' between them, of which the last may "
		"be '**'",
		path, what, DBLOCK_TREE_DEPTH_MAX);
}

/* Adds the intention for the node whose path ends at `end`. */
static void add_intention(struct path *to, const char *path, size_t end)
{
	char *text = to->text[to->n];

	memcpy(text, path, end + 1);
	memcpy(text + end + 1, below, sizeof(below));
	to->want[to->n++] = (struct dblock_lock_spec){.name = text, .mode = DBLOCK_SHARED};
}

static int check_part(const char *path, const char *part, size_t len, bool last,
		      struct dblock_error *err)
{
	if (len == 0)
		return refuse(path, "has an empty name", err);
	if (!last && len == 2 && memcmp(part, below, 2) == 0)
		return refuse(path, "has '**' in its middle", err);
	return 0;
}

/* Whether that is all below the last node: then the path's own lock is the one for that. */
static bool is_all_below(const char *rest)
{
	return strcmp(rest, below) == 0;
}

static int path_read(struct path *to, const char *path, enum dblock_mode mode,
		     struct dblock_error *err)
{
	const char *part = path;
	int rc = dbl_name_check(path, err);

	if (rc == 0 && strlen(path) + sizeof(below) > DBL_NAME_MAX)
		rc = refuse(path, "is too long for the names of what is above it", err);
	for (to->n = 0; rc == 0;) {
		size_t len = strcspn(part, "/");
		bool last = part[len] == '\0';

		rc = check_part(path, part, len, last, err);
		if (rc || last)
			break;
		if (to->n == DBLOCK_TREE_DEPTH_MAX - 1)
			return refuse(path, "has too many names", err);
		if (!is_all_below(part + len + 1))
			add_intention(to, path, (size_t)(part + len - path));
		part += len + 1;
	}
	if (rc == 0 && is_all_below(part) && mode == DBLOCK_SHARED)
		return dbl_fail(
			err, DBLOCK_E_INVALID,
			"'%s' cannot be shared: it would go together with the intentions of those "
			"who write below it; take it exclusive, or share what is below, path by "
			"path",
			path);
	to->want[to->n++] = (struct dblock_lock_spec){.name = path, .mode = mode};
	return rc;
}

static int acquire(struct dblock_client *client, const char *text,
		   const struct dblock_acquire_options *given, bool tries,
		   struct dblock_lock **lock, struct dblock_error *err)
{
	struct dbl_group_call call = {.client = client, .tries = tries, .tree = true};
	struct dblock_acquire_options o;
	struct path path;
	int rc = lock ? 0 : dbl_fail(err, DBLOCK_E_INVALID, "lock is NULL");

	if (rc == 0) {
		*lock = NULL;
		rc = dbl_options_read(&o, sizeof(o), given, "DBLOCK_ACQUIRE_OPTIONS", err);
	}
	if (rc == 0 && o.mode != DBLOCK_EXCLUSIVE && o.mode != DBLOCK_SHARED)
		rc = dbl_fail(err, DBLOCK_E_INVALID,
			      "a path is taken exclusive or shared, not in mode %d", (int)o.mode);
	if (rc == 0)
		rc = path_read(&path, text, o.mode, err);
	if (rc)
		return rc;
	o.size = sizeof(o);
	o.mode = DBLOCK_EXCLUSIVE; /* the common mode; each name has its own */
	call.wants = path.want;
	call.n = path.n;
	return dbl_group_acquire(&call, &o, lock, err);
}

int dblock_acquire_tree(struct dblock_client *client, const char *path,
			const struct dblock_acquire_options *options, struct dblock_lock **lock,
			struct dblock_error *err)
{
	DBL_ENTRY(heard);

	return dbl_tell(err, &heard, acquire(client, path, options, false, lock, &heard));
}

int dblock_try_tree(struct dblock_client *client, const char *path,
		    const struct dblock_acquire_options *options, struct dblock_lock **lock,
		    struct dblock_error *err)
{
	DBL_ENTRY(heard);

	return dbl_tell(err, &heard, acquire(client, path, options, true, lock, &heard));
}
