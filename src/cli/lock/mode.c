/* SPDX-License-Identifier: MIT */
#include "cli/lock/words.h"

#include <inttypes.h>
#include <stdio.h>

const char dbl_mode_usual[] = "exclusive";

const char *dbl_mode_name(enum dblock_mode mode)
{
	static const char *const names[] = {dbl_mode_usual, "shared", "update", "permits"};

	return (size_t)mode < sizeof(names) / sizeof(names[0]) ? names[mode] : "?";
}

void dbl_mode_text(enum dblock_mode mode, int64_t permits, int64_t capacity, char *text,
		   size_t size)
{
	if (mode == DBLOCK_PERMITS)
		snprintf(text, size, "%" PRId64 " of %" PRId64, permits, capacity);
	else
		snprintf(text, size, "%s", dbl_mode_name(mode));
}

void dbl_mode_json(json_t *object, bool held, enum dblock_mode mode, int64_t permits,
		   int64_t capacity)
{
	bool counts = held && mode == DBLOCK_PERMITS;

	dbl_json_text(object, "mode", held ? dbl_mode_name(mode) : NULL);
	json_object_set_new(object, "permits", counts ? json_integer(permits) : json_null());
	json_object_set_new(object, "capacity", counts ? json_integer(capacity) : json_null());
}
