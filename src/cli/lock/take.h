/* SPDX-License-Identifier: MIT */
/* Taking a lock with the options that `run` and `acquire` share. */
#ifndef DBL_CLI_TAKE_H
#define DBL_CLI_TAKE_H

#include "cli/ui/cli.h"
#include "cli/ui/signals.h"

/* The runs that we are inside of: see nested.c. */
enum { DBL_NESTED_MAX = 6, DBL_NESTED_TEXT = 64 };

struct dbl_nested {
	size_t n; /* their keepers, the nearest first */
	char app[DBL_NESTED_TEXT];
};

struct dbl_take {
	bool nonblock;
	bool unfair;
	bool verbose;
	int64_t priority;
	int64_t wait_ms;  /* -1: for ever */
	int64_t busy;     /* the exit code if it cannot be taken in time */
	const char *slot; /* of a job that is done once; or NULL */
	bool campaign;    /* for a leader, who goes on through outages */
	bool exclusive;   /* given, though it is the default */
	bool shared;
	bool update;
	const char *permits;             /* "3/10" */
	const char *capacity;            /* "10", "stored"; or NULL */
	struct dbl_texts also;           /* more names: all or none */
	bool tree;                       /* the name is a path in a tree */
	struct dbl_texts any;            /* lists of names, in place of one: any of them */
	int alive_fd;                    /* for the client: see client.h, */
	bool park;                       /* likewise */
	const struct dbl_nested *nested; /* the runs around us, which wait for us; or NULL */
	/* Options for the library that are used as they are; the members above make the others. */
	struct dblock_acquire_options how;
};

#define DBL_TAKE_INIT                                                                              \
	{                                                                                          \
		.wait_ms = -1, .busy = DBL_EXIT_BUSY, .how = DBLOCK_ACQUIRE_OPTIONS_INIT           \
	}

/* The rows of an option table, for a struct of options that begins with a struct dbl_take. */
extern const struct dbl_arg dbl_take_args[];

/* Do the options go together? DBL_EXIT_OK; else this says why not. */
int dbl_take_check(const struct dbl_cli *, const struct dbl_take *);

/* Take the lock; false: this has said why not, and *code is the exit code. With -E that may even be
 * 0, and it is 0 if the slot was done before. */
bool dbl_take(const struct dbl_cli *, struct dblock_client *, const char *name,
	      const struct dbl_take *, struct dbl_signals *, struct dblock_lock **, int *code);

/* Are they lists of names? DBL_EXIT_OK; else this says what is wrong. */
int dbl_any_check(const struct dbl_cli *, const struct dbl_texts *any);

/* Take any one of the locks that the lists name, in the options' mode. With `nested`, and if the runs
 * around us hold all of them, this is a deadlock. */
int dbl_any_take(struct dblock_client *, const struct dbl_texts *any,
		 const struct dblock_acquire_options *, bool at_once, bool nested,
		 struct dblock_lock **, struct dblock_error *);

/* Are permits wanted? If the options go together: as what they are asked for. */
bool dbl_permits_wanted(const struct dbl_take *);
int dbl_permits_check(const struct dbl_cli *, const struct dbl_take *);
void dbl_permits_read(const struct dbl_take *, struct dblock_acquire_options *);

/* Open a client. If the server has no connection left, this says so once, and retries for the time
 * that `take` may wait, which gets shorter by that. False: *code is the exit code, and the reason
 * has been said; a signal is in `signals`. */
bool dbl_enter(const struct dbl_cli *, int64_t ttl_ms, struct dbl_take *, struct dbl_signals *,
	       struct dblock_client **, int *code);

/* Find the runs that we are inside of, in /proc; if it cannot be read, there are none. */
void dbl_nested_look(struct dbl_nested *);

/* Do the runs around us hold that lock, so that to wait for it, `exclusive` or not, would be to wait for
 * ourselves? (Permits, and those who share, may come free by others.) By
 * $DBLOCK_TOKENS, and only if that names it by asking the database. */
bool dbl_nested_holds(struct dblock_client *, const char *name, bool exclusive);

/* As dblock_acquire(), for a client with that name. DBLOCK_DEADLOCK also if it would wait for ever
 * for a run that waits for us: the youngest of those on a cycle that can know of it gives up. */
int dbl_nested_acquire(const struct dbl_nested *, struct dblock_client *, const char *name,
		       const struct dblock_acquire_options *, struct dblock_lock **,
		       struct dblock_error *);

#endif
