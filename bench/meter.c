/* SPDX-License-Identifier: MIT */
#include "meter.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <mysql.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bare.h"
#include "calls.h"
#include "sql/db.h"

enum { TASKS_MAX = 512, DIGITS = 24 };

static struct {
	int fd[TASKS_MAX]; /* schedstat of each task; none: this process is the database */
	int n;
} meter;

static void add_tasks(const char *pid)
{
	char path[600];
	struct dirent *entry;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%s/task", pid);
	tasks = opendir(path);
	while (tasks && (entry = readdir(tasks)) && meter.n < TASKS_MAX) {
		snprintf(path, sizeof(path), "/proc/%s/task/%s/schedstat", pid, entry->d_name);
		if (entry->d_name[0] != '.' && (meter.fd[meter.n] = open(path, O_RDONLY)) >= 0)
			meter.n++;
	}
	if (tasks)
		closedir(tasks);
}

void meter_open(const char *server)
{
	char path[600], pid[DIGITS] = "";
	FILE *f;

	while (meter.n > 0)
		close(meter.fd[--meter.n]);
	snprintf(path, sizeof(path), "%s/pid", server);
	f = fopen(path, "r");
	if (!f)
		return;
	if (fscanf(f, "%23s", pid) == 1)
		add_tasks(pid);
	fclose(f);
	snprintf(path, sizeof(path), "/proc/%s/task/%s/children", pid, pid);
	f = fopen(path, "r");
	while (f && fscanf(f, "%23s", pid) == 1)
		add_tasks(pid);
	if (f)
		fclose(f);
}

double meter_clock_us(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

double meter_us(void)
{
	char text[100];
	double ns = 0;

	if (meter.n == 0)
		return meter_clock_us(CLOCK_PROCESS_CPUTIME_ID);
	for (int i = 0; i < meter.n; i++) {
		ssize_t n = pread(meter.fd[i], text, sizeof(text) - 1, 0);

		text[n > 0 ? n : 0] = '\0';
		ns += strtod(text, NULL);
	}
	return ns / 1e3;
}

void meter_sync(const struct dbl_target *target, bool on)
{
	static const char *const postgresql[] = {"ALTER SYSTEM SET fsync = off",
						 "ALTER SYSTEM RESET fsync"};
	static const char *const mysql[] = {"SET GLOBAL innodb_flush_log_at_trx_commit = 2",
					    "SET GLOBAL innodb_flush_log_at_trx_commit = 1"};
	static const char *const binlog[] = {"SET GLOBAL sync_binlog = 0",
					     "SET GLOBAL sync_binlog = 1"};
	int64_t until = dbl_now(target->env) + 10000000;
	bool is_postgresql = strcmp(target->dialect->name, "postgresql") == 0;
	struct dblock_error err;
	struct dbl_db *db;

	if (target->dialect->is_file)
		return;
	if (dbl_db_open(&db, target, until, &err) ||
	    dbl_db_send(db, (is_postgresql ? postgresql : mysql)[on], until, &err) ||
	    dbl_db_send(db, is_postgresql ? "SELECT pg_reload_conf()" : binlog[on], until, &err))
		bare_die("sync", err.message);
	dbl_db_close(db);
}

static const char *const names[] = {
	"Com_stmt_execute",      "Handler_read_key",     "Handler_read_next",
	"Handler_read_rnd_next", "Handler_tmp_write",    "Innodb_rows_inserted",
	"Innodb_rows_updated",   "Innodb_os_log_fsyncs", "Innodb_data_fsyncs"};

enum { COUNTERS = sizeof(names) / sizeof(*names) };

struct counters {
	pid_t strace; /* SQLite */
	MYSQL *my;    /* MySQL, MariaDB */
	int64_t counts[COUNTERS];
};

static void read_counters(MYSQL *my, int64_t counts[COUNTERS])
{
	MYSQL_RES *result = NULL;
	MYSQL_ROW row;

	if (mysql_query(my, "SHOW GLOBAL STATUS") || !(result = mysql_store_result(my)))
		bare_die("status", mysql_error(my));
	while ((row = mysql_fetch_row(result)))
		for (int i = 0; i < COUNTERS; i++)
			if (strcmp(row[0], names[i]) == 0)
				counts[i] = strtoll(row[1], NULL, 10);
	mysql_free_result(result);
}

static MYSQL *connect_to(const struct dbl_url *url)
{
	MYSQL *my = mysql_init(NULL);

	if (!mysql_real_connect(my, url->host, url->user, url->password, url->path, 0,
				dbl_url_param(url, "socket"), 0))
		bare_die(url->shown, mysql_error(my));
	return my;
}

struct counters *counters_begin(const struct dbl_target *target)
{
	struct counters *c = calloc(1, sizeof(*c));

	if (target->dialect->is_file) {
		c->strace = calls_begin();
	} else if (strcmp(target->dialect->name, "mysql") == 0) {
		c->my = connect_to(&target->url);
		read_counters(c->my, c->counts);
	}
	return c;
}

void counters_end(struct counters *c, int n)
{
	int64_t now[COUNTERS] = {0};

	if (c->strace) {
		printf("\nsystem calls of %d grants, a statement that does nothing among them:\n",
		       n);
		fflush(stdout);
		calls_end(c->strace);
	}
	if (c->my) {
		printf("\nthe server's counters, per grant (with a bare statement):\n");
		read_counters(c->my, now);
		mysql_close(c->my);
	}
	for (int i = 0; i < COUNTERS; i++)
		if (now[i] > c->counts[i]) /* MariaDB does not have all of them */
			printf("%-22s %8.2f\n", names[i], (double)(now[i] - c->counts[i]) / n);
	free(c);
}
