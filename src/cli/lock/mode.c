/* SPDX-License-Identifier: MIT */
#include "cli/lock/mode.h"

#include <inttypes.h>
#include <stdio.h>

const char dbl_mode_usual[] = "exclusive";

static const char *name(enum dblock_mode mode)
{
	switch (mode) {
	case DBLOCK_EXCLUSIVE:
		return dbl_mode_usual;
	case DBLOCK_SHARED:
		return "shared";
	case DBLOCK_UPDATE:
		return "update";
	case DBLOCK_PERMITS:
		return "permits";
	}
	return "?";
}

void dbl_mode_text(enum dblock_mode mode, int64_t permits, int64_t capacity, char *text,
		   size_t size)
{
	if (mode == DBLOCK_PERMITS)
		snprintf(text, size, "%" PRId64 " of %" PRId64, permits, capacity);
	else
		snprintf(text, size, "%s", name(mode));
}

void dbl_mode_json(json_t *object, enum dblock_mode mode, int64_t permits, int64_t capacity)
{
	bool counts = mode == DBLOCK_PERMITS;

	dbl_json_text(object, "mode", name(mode));
	json_object_set_new(object, "permits", counts ? json_integer(permits) : json_null());
	json_object_set_new(object, "capacity", counts ? json_integer(capacity) : json_null());
}

void dbl_mode_json_none(json_t *object)
{
	json_object_set_new(object, "mode", json_null());
	json_object_set_new(object, "permits", json_null());
	json_object_set_new(object, "capacity", json_null());
}
