/* SPDX-License-Identifier: MIT */
#include <dblock/single_flight.h>

#include <string.h>

#include "api/client.h"
#include "lock/core/name.h"
#include "lock/recipes/flight.h"

/* The name of its lock cannot be any other lock's, unless a caller chooses such a name. */
#define PREFIX     "flight:"
#define PREFIX_LEN (sizeof(PREFIX) - 1)

_Static_assert(PREFIX_LEN + DBLOCK_FLIGHT_KEY_MAX == DBL_NAME_MAX, "a key makes a name");

static int read_name(char name[DBL_NAME_MAX + 1], const char *key, struct dblock_error *err)
{
	int rc;

	if (!key || !*key)
		return dbl_fail(err, DBLOCK_E_INVALID, "the key is empty; it has 1 to %d bytes",
				DBLOCK_FLIGHT_KEY_MAX);
	rc = dbl_name_check(key, err);
	if (rc == 0 && strlen(key) > DBLOCK_FLIGHT_KEY_MAX)
		rc = dbl_fail(err, DBLOCK_E_INVALID,
			      "the key has %zu bytes; at most %d are allowed", strlen(key),
			      DBLOCK_FLIGHT_KEY_MAX);
	if (rc)
		return rc;
	memcpy(name, PREFIX, PREFIX_LEN);
	memcpy(name + PREFIX_LEN, key, strlen(key) + 1);
	return 0;
}

static int read_plan(struct dbl_flight_call *call, const struct dblock_client *client,
		     const char *name, const struct dblock_flight_options *given,
		     struct dblock_error *err)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_flight_options o;
	int rc = dbl_options_read(&o, sizeof(o), given, "DBLOCK_FLIGHT_OPTIONS", err);

	if (rc == 0)
		rc = dbl_time_read(&call->fresh, "fresh_ms", o.fresh_ms, 1, DBLOCK_FRESH_MAX_MS, 0,
				   err);
	if (rc)
		return rc;
	how.wait_ms = o.wait_ms;
	how.deadlock_ms = o.deadlock_ms;
	how.canceled = o.canceled;
	how.canceled_arg = o.canceled_arg;
	return dbl_spec_read(&call->spec, client, name, &how, err);
}

int dblock_single_flight(struct dblock_client *client, const char *key,
			 const struct dblock_flight_options *options, dblock_make_fn *make,
			 void *arg, struct dblock_result **result, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	struct dbl_flight_call call = {.make = make, .arg = arg};
	char name[DBL_NAME_MAX + 1];
	int rc = dbl_client_check(client, &heard);

	if (!result)
		return dbl_fail(err, DBLOCK_E_INVALID, "result is NULL");
	*result = NULL;
	if (rc == 0 && !make)
		rc = dbl_fail(&heard, DBLOCK_E_INVALID, "make is NULL");
	if (rc == 0)
		rc = read_name(name, key, &heard);
	if (rc == 0)
		rc = read_plan(&call, client, name, options, &heard);
	if (rc == 0)
		rc = dbl_wait_told(&call.spec, dbl_flight(client->locks, &call, result, &heard),
				   &heard);
	return dbl_tell(err, &heard, rc);
}

int dblock_result_set(struct dblock_result *result, const void *bytes, size_t size,
		      struct dblock_error *err)
{
	if (!result)
		return dbl_fail(err, DBLOCK_E_INVALID, "result is NULL");
	if (!bytes && size > 0)
		return dbl_fail(err, DBLOCK_E_INVALID, "bytes is NULL");
	if (result->ready)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"the result is not being made any more: others may be reading it");
	return dbl_result_set(result, bytes, size, err);
}

const char *dblock_result_bytes(const struct dblock_result *result)
{
	return result && result->bytes ? result->bytes : "";
}

size_t dblock_result_size(const struct dblock_result *result)
{
	return result ? result->size : 0;
}

int64_t dblock_result_token(const struct dblock_result *result)
{
	return result ? result->token : 0;
}

void dblock_result_free(struct dblock_result *result)
{
	dbl_result_drop(result);
}
