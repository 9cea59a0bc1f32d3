/* SPDX-License-Identifier: MIT */
/* What `dblock explain` says of a lock: sentences, from what is known of it as JSON objects. */
#ifndef DBL_CLI_LOCK_EXPLAIN_H
#define DBL_CLI_LOCK_EXPLAIN_H

#include <jansson.h>

/* All that is known: objects as of dbl_holder_json(), dbl_waiter_json() and dbl_event_json(), each
 * array in the order of the library. */
struct dbl_explained {
	json_t *object;    /* the name's first holder, or who was it last */
	json_t *holders;   /* those that have it */
	json_t *queue;     /* those that wait */
	json_t *events;    /* what happened, the newest last */
	json_t *sentences; /* to be filled */
};

/* Who has it, until when, why it has not moved, who waits. */
void dbl_explain_now(struct dbl_explained *);

/* Whether it may have run twice, by its events. */
void dbl_explain_twice(struct dbl_explained *);

/* Adds a sentence. */
void dbl_explain_say(struct dbl_explained *, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Members of such an object; "" or 0 where there is none. */
const char *dbl_explain_text(const json_t *object, const char *key);
json_int_t dbl_explain_number(const json_t *object, const char *key);

/* "db1:42 (app)" */
enum { DBL_EXPLAIN_WHO = 700 };
void dbl_explain_who(const json_t *object, char text[DBL_EXPLAIN_WHO]);

/* "at 2024-05-01T12:00:00+02:00", or "at a time that is not known" */
enum { DBL_EXPLAIN_TIME = 96 };
void dbl_explain_at(const json_t *object, const char *key, char text[DBL_EXPLAIN_TIME]);

#endif
