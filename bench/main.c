/* SPDX-License-Identifier: MIT */
/* The table of subjects by the table of experiments; bench/run calls it. */
#include <fnmatch.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "csv.h"
#include "measure.h"

#define MOST 128

struct settings {
	const char *servers, *out, *machine, *subjects;
	bool quick;
	int rounds;
	double seconds;
	char **experiments; /* the experiments asked for, NULL-terminated; none: all */
};

static const struct bench_subject *subjects[MOST];
static const struct bench_experiment *experiments[MOST];
static int n_subjects, n_experiments, serial;

void bench_enter_subjects(const struct bench_subject *table, size_t n)
{
	for (size_t i = 0; i < n && n_subjects < MOST; i++)
		subjects[n_subjects++] = &table[i];
}

void bench_enter_experiment(const struct bench_experiment *experiment)
{
	if (n_experiments < MOST)
		experiments[n_experiments++] = experiment;
}

static int by_order(const void *a, const void *b)
{
	return (*(const struct bench_experiment *const *)a)->order -
	       (*(const struct bench_experiment *const *)b)->order;
}

/* Tells whether the word is in the list, whose words have blanks between them. */
static bool listed(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += n) {
		if ((at == list || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
			return true;
	}
	return false;
}

static bool asked_for(const struct settings *set, const struct bench_experiment *e)
{
	if (!set->experiments[0])
		return true;
	for (char **name = set->experiments; *name; name++) {
		if (strcmp(*name, e->name) == 0)
			return true;
	}
	return false;
}

static bool takes_part(const struct settings *set, const struct bench_subject *s,
		       const struct bench_experiment *e)
{
	return listed(s->in, e->name) && (s->quick || !set->quick) &&
	       fnmatch(set->subjects, s->name, 0) == 0;
}

static bool fits(const struct bench_subject *s, const struct bench_load *load)
{
	int workers = load->processes * load->threads;

	return (workers == 1 || !s->lone) && (load->quick || !s->brief) &&
	       (!s->most || workers <= s->most) && (!s->rows_only || load->names_are != BENCH_NEW);
}

/* --- what is ready for an experiment --- */

struct entry {
	struct bench_place place;
	char server[512];
	bool ready;
};

/* Returns NULL if it can run, else why it cannot. */
static const char *why_not(const struct settings *set, struct entry *e, char *why, size_t size)
{
	const struct bench_subject *s = e->place.subject;
	char *said;

	if (s->absent)
		return s->absent;
	snprintf(e->server, sizeof(e->server), "%s/%s", set->servers, s->server);
	e->place.server = e->server;
	e->place.url = bench_read_state(e->server, "url");
	if (e->place.url)
		return NULL;
	said = bench_read_state(e->server, "why");
	snprintf(why, size, "no server %s: %s", s->server, said ? said : "it was not started");
	free(said);
	return why;
}

static void make_ready(const struct settings *set, const struct bench_experiment *x,
		       struct entry *e, FILE *csv)
{
	char why[600] = "";
	const char *reason = why_not(set, e, why, sizeof(why));
	bool well = !reason;

	if (well && e->place.subject->prepare)
		well = bench_prepare(&e->place, 0, why, sizeof(why));
	if (well && x->rows && e->place.subject->fill)
		well = bench_prepare(&e->place, x->rows, why, sizeof(why));
	e->ready = well;
	if (!well) {
		fprintf(stderr, "bench: %s: left out: %s\n", e->place.subject->name,
			reason ? reason : why);
		bench_csv_left_out(csv, x, e->place.subject, reason ? reason : why);
	}
}

/* --- the measurements --- */

static void one(const struct settings *set, const struct bench_experiment *x,
		const struct bench_load *load, const struct entry *e, int round, FILE *csv)
{
	static struct bench_result result;
	struct bench_run run = {e->place.subject, x, load, e->place, round, ++serial, set->seconds};

	if (load->seconds > 0 && !set->quick)
		run.seconds = load->seconds;
	bench_measure(&run, &result);
	bench_csv_row(csv, &run, &result, set->machine);
	fprintf(stderr, "%-12s %-12s %d %-36s ", x->name, load->name, round,
		e->place.subject->name);
	if (result.error[0])
		fprintf(stderr, "failed: %s\n", result.error);
	else
		fprintf(stderr, "%10.0f/s  p50 %8.1f us  p99 %9.1f us%s\n",
			(double)result.grants / result.seconds,
			(double)bench_histogram_at(&result.took, 0.5) / 1000,
			(double)bench_histogram_at(&result.took, 0.99) / 1000,
			result.violations ? "  NOT EXCLUSIVE" : "");
}

/* Measures all subjects in turn. */
static void one_load(const struct settings *set, const struct bench_experiment *x,
		     const struct bench_load *load, int round, const struct entry *entries,
		     FILE *csv)
{
	if ((set->quick && !load->quick) || (load->rounds && round > load->rounds))
		return;
	for (int i = 0; i < n_subjects; i++) {
		if (entries[i].ready && fits(entries[i].place.subject, load))
			one(set, x, load, &entries[i], round, csv);
	}
}

static void one_experiment(const struct settings *set, const struct bench_experiment *x)
{
	static struct entry entries[MOST];
	FILE *csv = bench_csv_open(set->out, x->name);

	memset(entries, 0, sizeof(entries));
	for (int i = 0; i < n_subjects; i++) {
		entries[i].place.subject = subjects[i];
		if (takes_part(set, subjects[i], x))
			make_ready(set, x, &entries[i], csv);
	}
	/* The order is A B A B: subjects are compared, and loads as well. */
	for (int round = 1; round <= set->rounds; round++) {
		for (size_t i = 0; i < x->n_loads; i++)
			one_load(set, x, &x->loads[i], round, entries, csv);
	}
	fclose(csv);
}

static void list(void)
{
	for (int i = 0; i < n_experiments; i++)
		printf("experiment %-14s %s\n", experiments[i]->name, experiments[i]->what);
	for (int i = 0; i < n_subjects; i++)
		printf("subject    %-36s %s%s%s\n", subjects[i]->name, subjects[i]->in,
		       subjects[i]->absent ? "; left out: " : "",
		       subjects[i]->absent ? subjects[i]->absent : "");
}

/* Reads times in ns, one a line, and prints p50, p99, p99.9 and the longest in us. For the tests.
 */
static void percentiles(void)
{
	static struct bench_histogram h;
	long long ns;

	while (scanf("%lld", &ns) == 1)
		bench_histogram_add(&h, ns);
	printf("%.3f %.3f %.3f %.3f\n", (double)bench_histogram_at(&h, 0.5) / 1000,
	       (double)bench_histogram_at(&h, 0.99) / 1000,
	       (double)bench_histogram_at(&h, 0.999) / 1000, (double)h.longest / 1000);
}

static int known(char **names)
{
	for (; *names; names++) {
		int i = 0;

		while (i < n_experiments && strcmp(experiments[i]->name, *names) != 0)
			i++;
		if (i == n_experiments) {
			fprintf(stderr, "bench: there is no experiment '%s'; see --list\n", *names);
			return 0;
		}
	}
	return 1;
}

/* A thousand waiters have a connection each, so more files are allowed. */
static void allow_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static const char usage[] =
	"usage: bench [--quick] [--rounds N] [--seconds S] [--servers DIR] [--out DIR]\n"
	"             [--machine TEXT] [--subjects GLOB] [--list] [--percentiles] "
	"[EXPERIMENT...]\n";

static const struct option options[] = {
	{"quick", no_argument, NULL, 'q'},          {"rounds", required_argument, NULL, 'r'},
	{"seconds", required_argument, NULL, 's'},  {"servers", required_argument, NULL, 'd'},
	{"out", required_argument, NULL, 'o'},      {"machine", required_argument, NULL, 'm'},
	{"subjects", required_argument, NULL, 'u'}, {"list", no_argument, NULL, 'l'},
	{"percentiles", no_argument, NULL, 'p'},    {NULL, 0, NULL, 0},
};

/* Returns the exit code, or -1 to go on. */
static int read_options(int argc, char **argv, struct settings *set)
{
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'q':
			set->quick = true;
			break;
		case 'r':
			set->rounds = atoi(optarg);
			break;
		case 's':
			set->seconds = atof(optarg);
			break;
		case 'd':
			set->servers = optarg;
			break;
		case 'o':
			set->out = optarg;
			break;
		case 'm':
			set->machine = optarg;
			break;
		case 'u':
			set->subjects = optarg;
			break;
		case 'l':
			list();
			return 0;
		case 'p':
			percentiles();
			return 0;
		default:
			fputs(usage, stderr);
			return 64;
		}
	}
	set->experiments = argv + optind;
	return known(set->experiments) ? -1 : 64;
}

int main(int argc, char **argv)
{
	struct settings set = {.servers = "servers",
			       .out = ".",
			       .machine = "",
			       .subjects = "*",
			       .rounds = 3,
			       .seconds = 0.5};
	int code;

	qsort(experiments, (size_t)n_experiments, sizeof(*experiments), by_order);
	code = read_options(argc, argv, &set);
	if (code >= 0)
		return code;
	allow_files();
	for (int i = 0; i < n_experiments; i++) {
		if (asked_for(&set, experiments[i]))
			one_experiment(&set, experiments[i]);
	}
	return 0;
}
