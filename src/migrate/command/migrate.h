/* SPDX-License-Identifier: MIT */
/*
 * Migrations: one engine for the library's own set and for users' sets. It works before any of our
 * tables exists. All waiting is on env->now().
 */
#ifndef DBL_MIGRATE_MIGRATE_H
#define DBL_MIGRATE_MIGRATE_H

#include <dblock/adopt.h>
#include <dblock/dump.h>

#include "link/link.h"
#include "migrate/engine/ask.h"

int dbl_migrate_up(const struct dbl_migrate *, struct dblock_error *err);
int dbl_migrate_down(const struct dbl_migrate *, struct dblock_error *err);
int dbl_migrate_status(const struct dbl_migrate *, struct dblock_error *err);
int dbl_migrate_plan(const struct dbl_migrate *, dblock_migrate_planned_cb *, void *arg,
		     struct dblock_error *err);
int dbl_migrate_verify(const struct dbl_migrate *, dblock_migrate_problem_cb *, void *arg,
		       struct dblock_error *err);
int dbl_migrate_baseline(const struct dbl_migrate *, int64_t version, struct dblock_error *err);
int dbl_migrate_adopt(const struct dbl_migrate *, const char *from, dblock_migrate_adopt_cb *,
		      void *arg, struct dblock_error *err);
int dbl_migrate_dump(const struct dbl_migrate *, dblock_dump_cb *, void *arg,
		     struct dblock_error *err);
int dbl_migrate_repair(const struct dbl_migrate *, int64_t version, enum dblock_migrate_verdict,
		       struct dblock_error *err);

/* The number of the newest migration. */
struct dbl_tables_version {
	int64_t applied; /* the newest that was applied to the tables */
	int64_t known;   /* the newest that this library knows */
};

/* What becomes of migrations that are missing. */
enum dbl_bring_up {
	DBL_BRING_UP_NEW, /* they are applied if the database is a file with nothing in it */
	DBL_BRING_UP,     /* they are applied */
	DBL_BRING_UP_NEVER
};

/* Checks that all migrations that this library needs are applied, or applies them. DBLOCK_E_SCHEMA says
 * which one is not, and what to do. A newer schema is fine. */
int dbl_migrate_check(struct dbl_link *, enum dbl_bring_up, int64_t deadline,
		      struct dbl_tables_version *, struct dblock_error *err);

#endif
