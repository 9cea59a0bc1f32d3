/* SPDX-License-Identifier: MIT */
/* The public client, and what every entry point checks. Inside src/api. */
#ifndef DBL_API_CLIENT_H
#define DBL_API_CLIENT_H

#include <dblock/admin.h>
#include <dblock/doctor.h>
#include <dblock/lock.h>

#include "link/pool.h"
#include "lock/handle/lock.h"
#include "migrate/command/migrate.h"
#include "sql/target.h"

/* What a client can do. */
enum dbl_limits {
	DBL_DOES_ALL,
	DBL_LOCKS_ONLY, /* it is one of several databases: see quorum.h */
	DBL_LOOKS_ONLY  /* it observes */
};

struct dblock_client {
	struct dbl_target target;
	struct dbl_locks *locks;
	struct dbl_pool pool;   /* for the caller's transactions */
	struct dbl_tally tally; /* what dblock_stats_of() tells: of its calls, */
	struct dbl_tally
		*connections; /* and of its connections and sessions: the same, or its members' */
	int64_t pid;          /* of the process that opened it */
	enum dbl_limits limits;
	struct dbl_tables_version tables; /* their version at the time it was opened */
};

/* Options, checked and with defaults in place. The strings are the caller's. */
struct dbl_client_config {
	int64_t ttl, timeout; /* us */
	const char *app, *prefix, *schema;
	enum dbl_bring_up bring_up;
	unsigned wake_off;
	bool post_releases;
	void (*release_failed)(void *arg, const char *name, int64_t token,
			       const struct dblock_error *);
	void *release_failed_arg;
	enum dblock_durability durability;
	unsigned local_turns;
	bool observes;
	int alive_fd;         /* 0: none is given */
	unsigned connections; /* 0: no limit */
	bool parks;
	struct dbl_trace trace;
	struct dbl_listener listener;
};

int dbl_config_read(struct dbl_client_config *, const struct dblock_client_options *,
		    struct dblock_error *err);

/* As dblock_open(), with an environment of the caller's: tests bring their own clock or driver. */
int dbl_client_open(const char *url, const struct dblock_client_options *, const struct dbl_env *,
		    struct dblock_client **, struct dblock_error *err);

/* The same, of a cluster's member: all that it does is counted there, and nobody is told of it. */
int dbl_client_open_member(const char *url, const struct dblock_client_options *,
			   const struct dbl_env *, struct dbl_tally *, struct dblock_client **,
			   struct dblock_error *err);

/* As dblock_show(), of a client and a name that need not be checked. */
int dbl_client_show(struct dblock_client *, const char *name, dblock_holder_cb *found, void *arg,
		    struct dblock_error *err);

/* To be freed with dblock_holder_free(). NULL: no memory. */
struct dblock_holder *dbl_holder_copy(const struct dblock_holder *);

/* As dblock_doctor(), with an environment of the caller's. */
int dbl_client_doctor(const char *url, const struct dblock_client_options *, const struct dbl_env *,
		      dblock_finding_cb *found, void *arg, struct dblock_error *err);

/* The beginning of an entry point that may block: no cancelling until it returns, and `heard` is
 * the error that lower floors fill. */
#define DBL_ENTRY(heard)                                                                           \
	DBL_UNCANCELED;                                                                            \
	struct dblock_error heard = {0}

/* The end of an entry point. A lower floor also fills the error for a failure that it retried with
 * success; the caller gets the error only if it is that of the final result. */
static inline int dbl_tell(struct dblock_error *to, const struct dblock_error *heard, int rc)
{
	if (rc && to && heard->code == rc)
		*to = *heard;
	return rc;
}

/* Fail, and say why a call cannot use the client; if nothing else is wrong, it can only look, or is one
 * of several databases. */
int dbl_client_refuse(const struct dblock_client *, struct dblock_error *err);

/* Is there a client of this process? That is all that a call which only looks needs. */
int dbl_client_check_look(const struct dblock_client *, struct dblock_error *err);

/* The same, and there must be a callback for what is found. */
int dbl_client_check_found(const struct dblock_client *, bool found, struct dblock_error *err);

/* The same, and the client must be open for more than looking. */
static inline int dbl_client_check(const struct dblock_client *client, struct dblock_error *err)
{
	bool is_ours = client && client->pid == dbl_host_pid() && client->limits == DBL_DOES_ALL;

	return is_ours ? 0 : dbl_client_refuse(client, err);
}

/* The same for an acquire of one lock, which a client of several databases can do. */
static inline int dbl_client_check_locks(const struct dblock_client *client,
					 struct dblock_error *err)
{
	bool is_ours = client && client->pid == dbl_host_pid() && client->limits <= DBL_LOCKS_ONLY;

	return is_ours ? 0 : dbl_client_refuse(client, err);
}

/* Copy the bytes of an option struct that the caller has (its first member is its size) over
 * defaults of our size. `given` may be NULL. DBLOCK_E_INVALID: no version has that size, or a
 * member is set that only a newer library knows. */
int dbl_options_read(void *ours, size_t our_size, const void *given, const char *what,
		     struct dblock_error *err);

/* The other way round: fill in a struct of the caller's, that begins with its size, as far as it goes. */
int dbl_out_check(const void *out, const char *what, struct dblock_error *err);
void dbl_out_write(void *out, const void *ours, size_t our_size);

/* A longer wait than this, a century, is for ever. */
#define DBL_FOREVER_MS (100LL * 366 * 24 * 3600 * 1000)

/* wait_ms: how long to wait, from now; 0: for ever; DBLOCK_NO_WAIT: until 0, which is over. */
int dbl_wait_read(struct dbl_acquire_spec *, int64_t wait_ms, const struct dbl_env *,
		  struct dblock_error *err);

/* The outcome of a call that wants a lock: who did not wait was not too late, but it is busy. */
int dbl_wait_told(const struct dbl_acquire_spec *, int rc, struct dblock_error *err);

/* dbl_wait_read(), in place, for calls whose default is a time: for ever becomes a century, and not at all -1. */
int dbl_wait_ms_read(int64_t *wait_ms, struct dblock_error *err);

/* deadlock_ms: when to suspect a deadlock; 0: the default; negative: never. */
int dbl_deadlock_read(struct dbl_acquire_spec *, int64_t deadlock_ms, struct dblock_error *err);

/* Is it a handle of this process? */
int dbl_lock_check(const struct dblock_lock *, struct dblock_error *err);

/* The same, and the lock is in one database. */
int dbl_lock_check_single(const struct dblock_lock *, struct dblock_error *err);

/* Read and check what an acquire is asked for. Strings are borrowed. */
int dbl_spec_read(struct dbl_acquire_spec *, const struct dblock_client *, const char *name,
		  const struct dblock_acquire_options *, struct dblock_error *err);

/* The lease_ms of an extension. */
int dbl_lease_read(int64_t *lease, int64_t lease_ms, struct dblock_error *err);

/* Read a time in ms between least and most, or 0 for `zero_ms`, as us. */
int dbl_time_read(int64_t *us, const char *what, int64_t ms, int64_t least, int64_t most,
		  int64_t zero_ms, struct dblock_error *err);

#endif
