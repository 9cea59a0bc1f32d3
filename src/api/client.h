/* SPDX-License-Identifier: MIT */
/* The public client, and what every entry point checks. Inside src/api. */
#ifndef DBL_API_CLIENT_H
#define DBL_API_CLIENT_H

#include <dblock/doctor.h>
#include <dblock/lock.h>

#include "link/pool.h"
#include "lock/handle/lock.h"
#include "migrate/command/migrate.h"
#include "sql/target.h"

struct dblock_client {
	struct dbl_target target;
	struct dbl_locks *locks;
	struct dbl_pool pool;             /* for transactions of the caller's */
	int64_t pid;                      /* of the process that opened it */
	bool observes;                    /* it may only look */
	struct dbl_tables_version tables; /* as they were when it was opened */
};

/* Options as checked and with defaults in place. Strings are borrowed. */
struct dbl_client_config {
	int64_t ttl, timeout; /* us */
	const char *app, *prefix, *schema;
	bool auto_migrate;
	unsigned wake_off;
	bool post_releases;
	void (*release_failed)(void *arg, const char *name, int64_t token,
			       const struct dblock_error *);
	void *release_failed_arg;
	enum dblock_durability durability;
	unsigned local_turns;
	bool observes;
};

int dbl_config_read(struct dbl_client_config *, const struct dblock_client_options *,
		    struct dblock_error *err);

/* As dblock_open(), in a world of the caller's: how tests bring their own clock or driver. */
int dbl_client_open(const char *url, const struct dblock_client_options *, const struct dbl_env *,
		    struct dblock_client **, struct dblock_error *err);

/* As dblock_doctor(), in a world of the caller's. */
int dbl_client_doctor(const char *url, const struct dblock_client_options *, const struct dbl_env *,
		      dblock_finding_cb *found, void *arg, struct dblock_error *err);

/* How an entry point begins that may block: it goes on until it is over, and `heard` is what it
 * hears below. */
#define DBL_ENTRY(heard)                                                                           \
	DBL_UNCANCELED;                                                                            \
	struct dblock_error heard = {0}

/* How it ends. Below, err also tells of what was tried again and then went well; the
 * caller hears of what it came to, and nothing if that is DBLOCK_OK. */
static inline int dbl_tell(struct dblock_error *to, const struct dblock_error *heard, int rc)
{
	if (rc && to && heard->code == rc)
		*to = *heard;
	return rc;
}

/* Why a call cannot use the client: it only looks, if nothing else. */
int dbl_client_refuse(const struct dblock_client *, struct dblock_error *err);

/* There is a client, and it belongs to this process; that is all that looking wants. */
int dbl_client_check_look(const struct dblock_client *, struct dblock_error *err);

/* Likewise, and there is a callback for what is found. */
int dbl_client_check_found(const struct dblock_client *, bool found, struct dblock_error *err);

/* And it may do more than look. */
static inline int dbl_client_check(const struct dblock_client *client, struct dblock_error *err)
{
	bool is_ours = client && client->pid == dbl_host_pid() && !client->observes;

	return is_ours ? 0 : dbl_client_refuse(client, err);
}

/* Copy the bytes of an option struct that the caller has (its first member is its size) over
 * defaults of our size. given may be NULL. DBLOCK_E_INVALID: the size is that of no version, or
 * there is something in it that only a newer library knows. */
int dbl_options_read(void *ours, size_t our_size, const void *given, const char *what,
		     struct dblock_error *err);

/* What an acquire is asked, checked, on a client of this process. Strings are borrowed. */
/* wait_ms: how long to wait, from now; 0: for ever. */
int dbl_wait_read(struct dbl_acquire_spec *, int64_t wait_ms, const struct dbl_env *,
		  struct dblock_error *err);

/* deadlock_ms: when to suspect a deadlock; 0: the default; negative: never. */
int dbl_deadlock_read(struct dbl_acquire_spec *, int64_t deadlock_ms, struct dblock_error *err);

/* It is a handle, and this process's. */
int dbl_lock_check(const struct dblock_lock *, struct dblock_error *err);

int dbl_spec_read(struct dbl_acquire_spec *, const struct dblock_client *, const char *name,
		  const struct dblock_acquire_options *, struct dblock_error *err);

/* A time in ms between least and most, 0 for `zero`; to us. */
int dbl_time_read(int64_t *us, const char *what, int64_t ms, int64_t least, int64_t most,
		  int64_t zero_ms, struct dblock_error *err);

#endif
