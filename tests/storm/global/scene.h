/* SPDX-License-Identifier: MIT */
/* The databases of one transaction, of several kinds, and what is seen there by who recovers it. */
#ifndef TESTS_STORM_GLOBAL_SCENE_H
#define TESTS_STORM_GLOBAL_SCENE_H

#include <dblock/global.h>

#include "storm/global/part.h"
#include "support/kit.h"

/* Servers of the test's own, and a file. */
enum place { POSTGRESQL, MARIADB, THIRD, SQLITE, PLACES };

/* Starts the servers, and makes the tables: each has a database for a home, and one for a branch. */
void places_start(void);
void places_stop(void);
const char *place_name(enum place);

struct scene {
	int n; /* databases, of which the first is the home */
	enum place places[DATABASES_MAX];
	char urls[DATABASES_MAX][1200];
	struct dblock_client *clients[DATABASES_MAX];
	int told[DBLOCK_RECOVERED_IN_DOUBT + 1]; /* by the last recovery, of each outcome */
	char text[300];                          /* its last one */
};

/* Clients of home, and of branches elsewhere, with this time-out. The order: home first. */
void scene_open(struct scene *, const enum place *, int n, int64_t timeout_ms);
void scene_close(struct scene *);

/* Runs the statement there, again and again if need be; returns its one integer. */
int64_t scene_ask(const struct scene *, int database, const char *sql);

/* Once. Whatever is in doubt fails the test; false: a database could not be asked, or something is not yet finished. */
bool scene_recovers(struct scene *);

/* How many transactions are prepared there. */
int64_t scene_prepared(const struct scene *, int database);

/* Everything is as if nothing had ever been. */
void scene_wipe(const struct scene *);

/* After the recovery: NULL, or what is not as it should be, where a part has ended with this status. It is good until
 * the next call. */
const char *scene_wrong(const struct scene *, int status);

/* A part's command line for this. */
struct part scene_part(const struct scene *, const char *role, enum fate, const char *text, int k);

#endif
