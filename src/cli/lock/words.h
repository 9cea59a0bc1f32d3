/* SPDX-License-Identifier: MIT */
/* Locks and waiters, as the library reports them, in words. */
#ifndef DBL_CLI_LOCK_WORDS_H
#define DBL_CLI_LOCK_WORDS_H

#include <dblock/admin.h>
#include <dblock/events.h>
#include <dblock/request.h>

#include "cli/ui/print.h"

/* ---- the mode of a grant or a wait: mode.c --------------------------------------------------- */

/* The head of the mode's column, which a table leaves out if all its cells are dbl_mode_usual. */
#define DBL_MODE_HEAD "MODE"
extern const char dbl_mode_usual[];

/* "shared"; of a semaphore "permits" */
const char *dbl_mode_name(enum dblock_mode);

/* "shared", "3 of 10" */
enum { DBL_MODE_TEXT = 48 };
void dbl_mode_text(enum dblock_mode, int64_t permits, int64_t capacity, char *text, size_t size);

/* Set mode, permits and capacity of an object; null if it is not held. */
void dbl_mode_json(json_t *object, bool held, enum dblock_mode, int64_t permits, int64_t capacity);

/* ---- states: state.c ------------------------------------------------------------------------- */

/* What `ls` says of a grant: session, lease, minimum, dead, missing, leaving, free; */
const char *dbl_holder_state(const struct dblock_holder *);
/* the same, but `leaving`; */
const char *dbl_holder_held(const struct dblock_holder *);
/* and of who waits: alive, late, dead, missing. */
const char *dbl_waiter_state(const struct dblock_waiter *);

/* The heads of their columns. */
#define DBL_HELD_HEAD    "HELD"
#define DBL_SESSION_HEAD "SESSION"

/* Begins the colour of such a word; "" if it is usual. */
const char *dbl_state_color(const char *state);

/* ---- holders: holder.c ----------------------------------------------------------------------- */

/* The columns that dbl_holder_row() fills. */
extern const char *const dbl_holder_heads[];

/* "host:pid", or as much of it as is known. */
enum { DBL_WHO_TEXT = 300 };
void dbl_holder_who(const struct dblock_holder *, char text[DBL_WHO_TEXT]);

/* For dblock_list(): add a row to a struct dbl_table. */
int dbl_holder_row(void *table, const struct dblock_holder *);

/* To be printed with dbl_json_line(), or freed. NULL: out of memory. */
json_t *dbl_holder_json(const struct dblock_holder *);

/* Print one `key: value` line for each known fact; not 0: there is no memory. */
int dbl_holder_lines(const struct dblock_holder *);

/* ---- a lock on several databases: show_members.c ---------------------------------------------- */

/* `show` with several URLs. */
struct dbl_cli;
int dbl_show_members(struct dbl_cli *);

/* ---- what happened: event.c ------------------------------------------------------------------- */

/* The columns that dbl_event_row() fills. */
extern const char *const dbl_event_heads[];

/* For dblock_events(): add a row to a struct dbl_table. */
int dbl_event_row(void *table, const struct dblock_event *);

/* To be printed with dbl_json_line(), or freed. NULL: out of memory. */
json_t *dbl_event_json(const struct dblock_event *);

/* A sentence without its end, as "it was broken by db1:42 (dblock)". */
enum { DBL_EVENT_TEXT = 2400 };
void dbl_event_text(const struct dblock_event *, char text[DBL_EVENT_TEXT]);

/* ---- waiters: waiter.c ----------------------------------------------------------------------- */

/* The columns that dbl_waiter_row() fills for the queues of many names, */
extern const char *const dbl_waiter_heads[];
/* and for one queue. */
extern const char *const dbl_waiter_heads_of_one[];

/* For dblock_waiters(): add a row to a struct dbl_table with one of these heads. */
int dbl_waiter_row(void *table, const struct dblock_waiter *);

/* To be printed with dbl_json_line(), or freed. NULL: out of memory. */
json_t *dbl_waiter_json(const struct dblock_waiter *);

#endif
