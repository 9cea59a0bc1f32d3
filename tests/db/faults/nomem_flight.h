/* SPDX-License-Identifier: MIT */
/* The scene of nomem.c in which a result is made. */
#ifndef TESTS_DB_NOMEM_FLIGHT_H
#define TESTS_DB_NOMEM_FLIGHT_H

#include "db/faults/nomem_calls.h"

static inline int make_text(void *arg, struct dblock_result *result, struct dblock_error *err)
{
	return dblock_result_set(result, arg, strlen(arg), err);
}

/* One flight's result is stored as base64, the other's is read. */
static inline int call_single_flight(struct stage *s, struct dblock_error *err)
{
	struct dblock_flight_options options = DBLOCK_FLIGHT_OPTIONS_INIT;
	struct dblock_result *result;
	char bytes[] = "\xff";
	int rc = dblock_single_flight(s->client, "x", NULL, make_text, bytes, &result, err);

	if (rc)
		return rc;
	dblock_result_free(result);
	options.fresh_ms = DAY_MS;
	rc = dblock_single_flight(s->client, "x", &options, make_text, bytes, &result, err);
	assert_true(rc || strcmp(dblock_result_bytes(result), bytes) == 0);
	dblock_result_free(result);
	return rc;
}

/* Nothing is left held: the next caller makes the result, or takes it. */
static inline void check_flight(struct stage *s, int rc)
{
	(void)rc;
	is_free_soon(s->helper, "flight:x");
}

#endif
