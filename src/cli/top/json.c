/* SPDX-License-Identifier: MIT */
#include <time.h>

#include "cli/lock/words.h"
#include "cli/top/top.h"

static json_t *number(const struct dbl_top_look *look, enum dbl_top_number which)
{
	return look->told[which] ? json_integer(look->number[which]) : json_null();
}

/* An age of 0 means that there is none. */
static json_t *age_ms(const struct dbl_top_look *look, enum dbl_top_number which)
{
	int64_t us = look->number[which];

	return look->told[which] && us ? json_integer(us / 1000) : json_null();
}

static json_t *rows_json(const struct dbl_top_look *look)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < look->n_rows; i++) {
		json_t *object = dbl_holder_json(look->rows[i].holder);

		dbl_json_ms(object, "wait_ms", look->rows[i].wait_ms);
		json_array_append_new(rows, object);
	}
	return rows;
}

json_t *dbl_top_json(const struct dbl_top_look *look)
{
	static const struct {
		const char *key;
		enum dbl_top_number number;
	} numbers[] = {{"held", DBL_TOP_HELD},
		       {"held_by_dead", DBL_TOP_DEAD},
		       {"held_by_missing", DBL_TOP_MISSING},
		       {"waiting", DBL_TOP_WAITING},
		       {"sessions_alive", DBL_TOP_ALIVE},
		       {"sessions_late", DBL_TOP_LATE},
		       {"sessions_dead", DBL_TOP_BURIED}};
	json_t *object = json_object();
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	dbl_json_time(object, "time", now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		json_object_set_new(object, numbers[i].key, number(look, numbers[i].number));
	json_object_set_new(object, "oldest_wait_ms", age_ms(look, DBL_TOP_OLDEST_WAIT_US));
	json_object_set_new(object, "oldest_hold_ms", age_ms(look, DBL_TOP_OLDEST_HOLD_US));
	json_object_set_new(object, "new_per_s",
			    look->new_per_s < 0 ? json_null() : json_real(look->new_per_s));
	json_object_set_new(object, "cut", json_boolean(look->cut));
	json_object_set_new(object, "locks", rows_json(look));
	return object;
}
