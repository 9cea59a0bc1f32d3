/* SPDX-License-Identifier: MIT */
#include "csv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sql.h"

static const char head[] =
	"experiment,load,subject,round,status,processes,threads,names,held,seconds,grants,per_s,"
	"p50_us,p99_us,p999_us,max_us,fairness,switches,violations,cpu_us,server_cpu_us,bytes,"
	"when,machine,version,settings\n";

FILE *bench_csv_open(const char *out, const char *experiment)
{
	char path[1024];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s.csv", out, experiment);
	f = fopen(path, "w");
	if (!f) {
		perror(path);
		exit(1);
	}
	fputs(head, f);
	return f;
}

static void quoted(FILE *f, const char *text, char end)
{
	fputc('"', f);
	for (; text && *text; text++) {
		if (*text == '"')
			fputc('"', f);
		fputc(*text == '\n' ? ' ' : *text, f);
	}
	fputc('"', f);
	fputc(end, f);
}

/* MariaDB's client library speaks to MySQL, and MySQL's to MariaDB: returns which one this is. */
static const char *library(const char *url)
{
#ifdef BENCH_WITH_MYSQL
	if (strncmp(url, "mysql:", 6) == 0)
		return "; by " BENCH_MY_LIBRARY;
#endif
	(void)url;
	return "";
}

static void now_text(char *text, size_t size)
{
	time_t t = time(NULL);
	struct tm tm;

	gmtime_r(&t, &tm);
	strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

static double us(int64_t ns)
{
	return (double)ns / 1000;
}

static void figures(FILE *f, const struct bench_result *r)
{
	double seconds = r->seconds > 0 ? r->seconds : 1, n = r->grants ? (double)r->grants : 1;

	fprintf(f, "%.3f,%" PRId64 ",%.1f,%.3f,%.3f,%.3f,%.3f,", r->seconds, r->grants,
		(double)r->grants / seconds, us(bench_histogram_at(&r->took, 0.5)),
		us(bench_histogram_at(&r->took, 0.99)), us(bench_histogram_at(&r->took, 0.999)),
		us(r->took.longest));
	fprintf(f, "%.4f,%.4f,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",", r->fairness,
		(double)r->switches / n, r->violations, r->cpu_us, r->server_cpu_us, r->bytes);
}

void bench_csv_row(FILE *f, const struct bench_run *run, const struct bench_result *r,
		   const char *machine)
{
	const struct bench_load *l = run->load;
	char *version = bench_read_state(run->place.server, "version");
	char *settings = bench_read_state(run->place.server, "settings");
	char when[40], said[600];

	snprintf(said, sizeof(said), "%s%s", settings ? settings : "", library(run->place.url));
	now_text(when, sizeof(when));
	fprintf(f, "%s,%s,%s,%d,", run->experiment->name, l->name, run->subject->name, run->round);
	quoted(f, r->error[0] ? r->error : r->violations ? "not exclusive" : "ok", ',');
	fprintf(f, "%d,%d,%" PRId64 ",%" PRId64 ",", l->processes, l->threads, l->names, r->held);
	figures(f, r);
	fprintf(f, "%s,", when);
	quoted(f, machine, ',');
	quoted(f, version, ',');
	quoted(f, said, '\n');
	fflush(f);
	free(version);
	free(settings);
}

void bench_csv_left_out(FILE *f, const struct bench_experiment *x, const struct bench_subject *s,
			const char *why)
{
	fprintf(f, "%s,,%s,0,", x->name, s->name);
	fprintf(f, "\"left out: ");
	for (; *why; why++)
		fputc(*why == '"' || *why == '\n' ? ' ' : *why, f);
	fprintf(f, "\",0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,,,,\n");
	fflush(f);
}
