/* SPDX-License-Identifier: MIT */
/* Counted is what is sent and carried out: a connection that is opened, or a statement that is prepared, changes
 * nothing anywhere. */
#include "storm/global/fate.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "driver/driver.h"
#include "sql/dialect.h"

enum { NOTED = 512, KINDS = 3 };

static struct {
	struct dbl_env env;
	struct dbl_driver drivers[KINDS];
	struct {
		const struct dbl_stmt *stmt;
		char text[80];
	} noted[NOTED];
	unsigned n_noted;
	pthread_mutex_t mutex; /* guards the above */
	enum fate fate;
	const char *text, *told;
	int k, counted;
	bool armed;
	pthread_t who; /* is counted */
} f = {.mutex = PTHREAD_MUTEX_INITIALIZER};

const char *fate_name(enum fate fate)
{
	static const char *const names[FATES] = {"killed before", "killed after", "stopped before",
						 "stopped after"};

	return names[fate];
}

void fate_arm(enum fate fate, const char *text, int k, const char *told)
{
	f.fate = fate;
	f.text = text;
	f.told = told;
	f.who = pthread_self();
	f.k = k;
	f.armed = true;
}

int fate_counted(void)
{
	return f.counted;
}

static bool is_meant(const char *sql)
{
	return f.armed && pthread_equal(f.who, pthread_self()) && strstr(sql, f.text) &&
	       ++f.counted == f.k;
}

static void meet(const char *sql, enum fate killed, enum fate stopped)
{
	FILE *file;

	if (f.fate != killed && f.fate != stopped)
		return;
	file = fopen(f.told, "a");
	if (file) {
		(void)fprintf(file, "%.60s\n", sql);
		(void)fclose(file);
	}
	(void)raise(f.fate == killed ? SIGKILL : SIGSTOP);
}

/* ---- the driver in front --------------------------------------------------------------------- */

/* Each connection has the real one. */
static int open_real(struct dbl_conn **conn, const struct dbl_url *url, const struct dbl_env *env,
		     int64_t deadline, struct dblock_error *err)
{
	const struct dbl_dialect *dialect;
	int rc = dbl_dialect_find(url->scheme, &dialect, err);

	*conn = NULL;
	return rc ? rc : dialect->driver->open(conn, url, env, deadline, err);
}

static int exec(struct dbl_conn *conn, const char *sql, struct dblock_error *err)
{
	bool meant = is_meant(sql);
	int rc;

	if (meant)
		meet(sql, FATE_KILLED_BEFORE, FATE_STOPPED_BEFORE);
	rc = conn->driver->exec(conn, sql, err);
	if (meant)
		meet(sql, FATE_KILLED_AFTER, FATE_STOPPED_AFTER);
	return rc;
}

static int prepare(struct dbl_conn *conn, const char *sql, struct dbl_stmt **stmt,
		   struct dblock_error *err)
{
	int rc = conn->driver->prepare(conn, sql, stmt, err);
	unsigned i;

	if (rc)
		return rc;
	pthread_mutex_lock(&f.mutex);
	i = f.n_noted++ % NOTED;
	f.noted[i].stmt = *stmt;
	(void)snprintf(f.noted[i].text, sizeof(f.noted[i].text), "%s", sql);
	pthread_mutex_unlock(&f.mutex);
	return 0;
}

/* The newest: an address may be in use again. */
static void text_of(const struct dbl_stmt *stmt, char text[80])
{
	text[0] = '\0';
	pthread_mutex_lock(&f.mutex);
	for (unsigned i = f.n_noted; !*text && i > 0 && f.n_noted - i < NOTED; i--)
		if (f.noted[(i - 1) % NOTED].stmt == stmt)
			memcpy(text, f.noted[(i - 1) % NOTED].text, 80);
	pthread_mutex_unlock(&f.mutex);
}

static int run(struct dbl_stmt *stmt, const struct dbl_value *args, unsigned n, int64_t *changed,
	       struct dblock_error *err)
{
	char text[80];
	bool meant;
	int rc;

	text_of(stmt, text);
	meant = is_meant(text);
	if (meant)
		meet(text, FATE_KILLED_BEFORE, FATE_STOPPED_BEFORE);
	rc = stmt->conn->driver->run(stmt, args, n, changed, err);
	if (meant)
		meet(text, FATE_KILLED_AFTER, FATE_STOPPED_AFTER);
	return rc;
}

static const struct dbl_driver *intercept(void *ctx, const struct dbl_driver *real)
{
	struct dbl_driver *driver;

	(void)ctx;
	pthread_mutex_lock(&f.mutex);
	driver = f.drivers;
	while (driver->name && driver->name != real->name)
		driver++;
	*driver = *real;
	driver->open = open_real;
	driver->exec = exec;
	driver->prepare = prepare;
	driver->run = run;
	pthread_mutex_unlock(&f.mutex);
	return driver;
}

const struct dbl_env *fate_env(void)
{
	f.env = *dbl_env_system();
	f.env.intercept = intercept;
	return &f.env;
}
