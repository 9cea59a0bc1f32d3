/* SPDX-License-Identifier: MIT */
/* SQL by hand, as an operator's or a stranger's connection would send it. */
#ifndef TESTS_SUPPORT_RAW_H
#define TESTS_SUPPORT_RAW_H

#include "driver/driver.h"
#include "support/kit.h"

struct raw;

/* Opens a connection. SQLite's times are by the clock of env; NULL: the system's. Any failure fails
 * the test. */
struct raw *raw_open(const struct dbl_env *env);
struct raw *raw_open_url(const char *url, const struct dbl_env *env);
void raw_close(struct raw *);

/*
 * Runs one statement. {now} becomes the wall clock that people and tokens use, {boot} the clock of
 * deadlines (the same on a server); tables go by their default names.
 */
void raw_exec(struct raw *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int raw_try_exec(struct raw *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Returns the one integer that it gives; -1 for NULL and for no row. */
int64_t raw_int(struct raw *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Returns the one text that it gives, good until the next call; NULL for NULL and for no row. */
const char *raw_text(struct raw *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Opens a transaction that has the row of a lock, so that nobody can write it: on SQLite the whole
 * file. raw_exec(raw, "COMMIT") ends it. */
void raw_lock_row(struct raw *, const char *name);

#endif
