/* SPDX-License-Identifier: MIT */
/* Reading options: sizes, bounds, defaults. */
#include <string.h>

#include <dblock/version.h>

#include "api/client.h"
#include "lock/core/name.h"

#define TTL_DEFAULT_MS      30000
#define TIMEOUT_DEFAULT_MS  10000
#define LOCAL_TURNS_DEFAULT 64
#define WAKE_ALL            (DBLOCK_WAKE_SOCKET | DBLOCK_WAKE_NOTIFY | DBLOCK_WAKE_DOORBELL)

/* No struct of options will ever be larger. */
#define SIZE_LAST 65536

/* So in every version the size is a multiple of its alignment. A new member begins where the struct
 * ended, never in its padding: what an older caller has there need not be zero. And it fills eight
 * bytes, or is one of some that do: what a newer caller has in padding would look like a member. */
#define ALIGNMENT _Alignof(struct dblock_client_options)

/* A caller built against a newer header has more members: all of those must be default. */
static bool is_zero(const char *from, const char *end)
{
	while (from < end && *from == 0)
		from++;
	return from == end;
}

static int check_size(size_t size, const char *what, struct dblock_error *err)
{
	if (size >= sizeof(size) && size <= SIZE_LAST && size % ALIGNMENT == 0)
		return 0;
	return dbl_fail(err, DBLOCK_E_INVALID,
			"%s: its size is %zu, which it has in no version; begin with the "
			"initialiser %s_INIT",
			what, size, what);
}

int dbl_options_read(void *ours, size_t our_size, const void *given, const char *what,
		     struct dblock_error *err)
{
	const char *bytes = given;
	size_t size;
	int rc;

	memset(ours, 0, our_size);
	if (!given)
		return 0;
	memcpy(&size, given, sizeof(size));
	rc = check_size(size, what, err);
	if (rc)
		return rc;
	if (size > our_size && !is_zero(bytes + our_size, bytes + size))
		return dbl_fail(err, DBLOCK_E_INVALID,
				"%s: it has %zu bytes, and more is set in it than the %zu that "
				"this library knows: the library (%s) is older than the header",
				what, size, our_size, dblock_version());
	/* A caller built against an older header has fewer members: the rest stay default. */
	memcpy(ours, given, size < our_size ? size : our_size);
	return 0;
}

int dbl_out_check(const void *out, const char *what, struct dblock_error *err)
{
	size_t size;

	if (!out)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"the struct is NULL; it is one that begins with %s_INIT", what);
	memcpy(&size, out, sizeof(size));
	return check_size(size, what, err);
}

void dbl_out_write(void *out, const void *ours, size_t our_size)
{
	size_t size;

	memcpy(&size, out, sizeof(size));
	if (size > sizeof(size))
		memcpy((char *)out + sizeof(size), (const char *)ours + sizeof(size),
		       (size < our_size ? size : our_size) - sizeof(size));
}

int dbl_wait_ms_read(int64_t *wait_ms, struct dblock_error *err)
{
	int64_t ms = *wait_ms;

	if (ms == DBLOCK_NO_WAIT)
		*wait_ms = -1;
	else if (ms == DBLOCK_FOREVER || ms > DBL_FOREVER_MS)
		*wait_ms = DBL_FOREVER_MS;
	else if (ms < 0)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"wait_ms is %lld; below 0 it is DBLOCK_FOREVER or DBLOCK_NO_WAIT",
				(long long)ms);
	return 0;
}

int dbl_time_read(int64_t *us, const char *what, int64_t ms, int64_t least, int64_t most,
		  int64_t zero_ms, struct dblock_error *err)
{
	if (ms == 0)
		ms = zero_ms;
	else if (ms < least || ms > most)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"%s is %lld ms; it must be between %lld and %lld ms", what,
				(long long)ms, (long long)least, (long long)most);
	*us = dbl_ms(ms);
	return 0;
}

static int check_durability(enum dblock_durability durability, struct dblock_error *err)
{
	if ((unsigned)durability <= DBLOCK_REMOTE)
		return 0;
	return dbl_fail(
		err, DBLOCK_E_INVALID,
		"durability is %d; it is DBLOCK_DURABLE, DBLOCK_RELAXED, DBLOCK_REMOTE, or 0",
		(int)durability);
}

static int check_tuning(const struct dblock_tuning *t, struct dblock_error *err)
{
	if (t->local_turns < 0 || t->local_turns > DBLOCK_LOCAL_TURNS_MAX)
		return dbl_fail(err, DBLOCK_E_INVALID, "local_turns is %lld; it may be up to %d",
				(long long)t->local_turns, DBLOCK_LOCAL_TURNS_MAX);
	if (t->wake_off & ~WAKE_ALL)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"wake_off is %u; it may have the bits DBLOCK_WAKE_SOCKET, "
				"DBLOCK_WAKE_NOTIFY and DBLOCK_WAKE_DOORBELL",
				t->wake_off);
	if (t->park && t->connections != 1)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"park is for a client whose connections is 1, and it is %lld",
				(long long)t->connections);
	if (t->connections < 0 || t->connections > 2)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"connections is %lld; it may be 1, 2, or 0 for as many as are best",
				(long long)t->connections);
	return 0;
}

static int read_tuning(struct dbl_client_config *config, const struct dblock_tuning *given,
		       struct dblock_error *err)
{
	struct dblock_tuning t;
	int rc = dbl_options_read(&t, sizeof(t), given, "DBLOCK_TUNING", err);

	if (rc == 0)
		rc = check_tuning(&t, err);
	config->local_turns = t.local_turns ? (unsigned)t.local_turns : LOCAL_TURNS_DEFAULT;
	config->wake_off = t.wake_off;
	config->post_releases = t.post_releases;
	config->release_failed = t.release_failed;
	config->release_failed_arg = t.release_failed_arg;
	config->connections = (unsigned)t.connections;
	config->parks = t.park;
	return rc;
}

static int read_trace(struct dbl_trace *trace, const struct dblock_client_options *o,
		      struct dblock_error *err)
{
	int rc = dbl_time_read(&trace->slow_wait, "slow_wait_ms", o->slow_wait_ms, 1,
			       DBLOCK_LEASE_MAX_MS, 0, err);

	trace->tell = o->trace;
	trace->arg = o->trace_arg;
	return rc ? rc
		  : dbl_time_read(&trace->long_hold, "long_hold_ms", o->long_hold_ms, 1,
				  DBLOCK_LEASE_MAX_MS, 0, err);
}

int dbl_config_read(struct dbl_client_config *config, const struct dblock_client_options *given,
		    struct dblock_error *err)
{
	struct dblock_client_options o;
	int rc = dbl_options_read(&o, sizeof(o), given, "DBLOCK_CLIENT_OPTIONS", err);

	if (rc == 0)
		rc = dbl_time_read(&config->ttl, "ttl_ms", o.ttl_ms, DBLOCK_TTL_MIN_MS,
				   DBLOCK_TTL_MAX_MS, TTL_DEFAULT_MS, err);
	if (rc == 0)
		rc = dbl_time_read(&config->timeout, "timeout_ms", o.timeout_ms, 1,
				   DBLOCK_TIMEOUT_MAX_MS, TIMEOUT_DEFAULT_MS, err);
	if (rc == 0)
		rc = read_trace(&config->trace, &o, err);
	if (rc == 0)
		rc = dbl_label_check("app", o.app, DBLOCK_APP_MAX, err);
	config->app = o.app;
	config->prefix = o.prefix;
	config->schema = o.schema;
	config->bring_up = o.observe        ? DBL_BRING_UP_NEVER
			   : o.auto_migrate ? DBL_BRING_UP
					    : DBL_BRING_UP_NEW;
	config->durability = o.durability;
	config->observes = o.observe;
	config->alive_fd = o.alive_fd;
	config->listener = (struct dbl_listener){o.state_changed, o.state_changed_arg};
	if (rc == 0 && o.observe && o.auto_migrate)
		rc = dbl_fail(err, DBLOCK_E_INVALID,
			      "observe and auto_migrate: who only looks makes no tables");
	if (rc == 0 && o.alive_fd < -1)
		rc = dbl_fail(err, DBLOCK_E_INVALID,
			      "alive_fd is %d; it may be a descriptor, 0 or -1", o.alive_fd);
	if (rc == 0)
		rc = read_tuning(config, o.tuning, err);
	return rc ? rc : check_durability(o.durability, err);
}
