/* SPDX-License-Identifier: MIT */
/* Red packets: 1000 gifts, 8 processes of 2 threads that give them away at once. Without a lock the
 * shop gives more than it has; in four other ways it gives each gift once. Two of them are locks of
 * dblock: what if their holder is killed, or stopped? */
#include "red_packet/red_packet.h"

#include <dirent.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <dblock/migrate.h>

enum { PROCESSES = 8, THREADS = 2, GIFTS = 1000, GIFTS_MIN = 10, GIFTS_MAX = 1000000, MISHAPS = 4 };

static const char help[] =
	"usage: red_packet [--url URL] [--ways WAY,...] [--processes N] [--threads N] [--gifts N]\n"
	"\n"
	"Gives away gifts from a table, by several processes at once, in five ways: without a "
	"lock,\n"
	"with dblock's lock table, a row lock, a version column, and a fence. Then a process that\n"
	"has a lock is killed, and stopped. Exit code 0: no way but `none` gave a gift twice or\n"
	"kept one, with the fence not even who was stopped; and `none` did.\n"
	"\n"
	"  --url URL      the database: sqlite:PATH, postgresql://..., mysql://...; the tables\n"
	"                 t_bonus, t_gift and dblock_* are made in it if they are missing, and\n"
	"                 stay. Default: a SQLite file in a temporary folder, removed afterwards\n"
	"  --ways WAY,... of none,table,row,optimistic,fence; default: all\n"
	"  --processes N  2 to 64; default 8\n"
	"  --threads N    of each process: 1 to 16; default 2\n"
	"  --gifts N      10 to 1000000; default 1000\n"
	"  --help         this text\n";

static int64_t number(const char *option, const char *text, int64_t least, int64_t most)
{
	char *end;
	long long n = strtoll(text, &end, 10);

	if (*text && !*end && n >= least && n <= most)
		return n;
	fprintf(stderr, "red_packet: --%s: '%s' is not a number from %lld to %lld\n", option, text,
		(long long)least, (long long)most);
	exit(EXIT_FAILURE);
}

static int way_named(const char *name)
{
	for (int i = 0; i < WAYS; i++)
		if (strcmp(name, ways[i].name) == 0)
			return i;
	fail(name, "is none of the ways; --help says which there are");
}

static void choose(struct plan *plan, char *names)
{
	char *name = strtok(names, ",");

	if (!name)
		fail("--ways", "names none; --help says which there are");
	memset(plan->chosen, 0, sizeof(plan->chosen));
	for (; name; name = strtok(NULL, ","))
		plan->chosen[way_named(name)] = true;
}

static struct plan read_options(int argc, char **argv)
{
	static const struct option options[] = {{"url", required_argument, NULL, 'u'},
						{"ways", required_argument, NULL, 'w'},
						{"processes", required_argument, NULL, 'p'},
						{"threads", required_argument, NULL, 't'},
						{"gifts", required_argument, NULL, 'g'},
						{"help", no_argument, NULL, 'h'},
						{0}};
	struct plan plan = {NULL, PROCESSES, THREADS, GIFTS, {true, true, true, true, true}};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1)
		if (c == 'u') {
			plan.url = optarg;
		} else if (c == 'w') {
			choose(&plan, optarg);
		} else if (c == 'p') {
			plan.processes = (int)number("processes", optarg, 2, PROCESSES_MAX);
		} else if (c == 't') {
			plan.threads = (int)number("threads", optarg, 1, THREADS_MAX);
		} else if (c == 'g') {
			plan.gifts = number("gifts", optarg, GIFTS_MIN, GIFTS_MAX);
		} else {
			fputs(help, c == 'h' ? stdout : stderr);
			exit(c == 'h' ? EXIT_SUCCESS : EXIT_FAILURE);
		}
	if (optind < argc)
		fail(argv[optind], "is not an option; --help says which there are");
	return plan;
}

/* A server's database gets tables only from who asks for it. */
static void make_lock_tables(const char *url)
{
	struct dblock_error err;

	if (dblock_migrate_up(url, NULL, NULL, NULL, NULL, &err))
		fail("migrate", err.message);
}

/* The ways that were chosen, one after the other. */
static bool compare(const struct plan *plan)
{
	struct tally tallies[WAYS];

	for (int i = 0; i < WAYS; i++) {
		const struct scene scene = {&ways[i], plan->gifts, NO_MISHAP};

		if (!plan->chosen[i])
			continue;
		if (!play(plan, &scene, NULL, &tallies[i]))
			return false;
		print_title(scene.way);
	}
	return report_ways(plan, tallies);
}

/* A holder of the locks that were chosen is killed, or stopped. */
static bool try_mishaps(const struct plan *plan)
{
	const int64_t gifts = plan->gifts / 10 < GIFTS_MIN ? GIFTS_MIN : plan->gifts / 10;
	const struct scene all[] = {{&ways[LOCK_TABLE], gifts, KILLED},
				    {&ways[LOCK_TABLE], gifts, STOPPED},
				    {&ways[FENCE], gifts, STOPPED},
				    {&ways[FENCE], gifts, STOPPED_BEHIND_FENCE}};
	struct scene scenes[MISHAPS];
	struct tally tallies[MISHAPS];
	FILE *listing = tmpfile();
	int n = 0;

	if (!listing)
		fail("temporary file", "cannot be made");
	for (int i = 0; i < MISHAPS; i++)
		if (plan->chosen[all[i].way - ways])
			scenes[n++] = all[i];
	if (n > 0)
		announce_mishaps(gifts);
	for (int i = 0; i < n; i++) {
		if (!play(plan, &scenes[i], listing, &tallies[i]))
			return false;
		print_title(scenes[i].way);
	}
	return n == 0 || report_mishaps(scenes, tallies, n, listing);
}

static bool run(const struct plan *plan, bool own_file)
{
	bool good;

	make_lock_tables(plan->url);
	announce(plan, own_file);
	good = compare(plan);
	return try_mishaps(plan) && good;
}

static void remove_folder(const char *path)
{
	struct dirent *entry;
	DIR *folder = opendir(path);

	while (folder && (entry = readdir(folder)))
		unlinkat(dirfd(folder), entry->d_name, 0);
	if (folder)
		closedir(folder);
	rmdir(path);
}

/* In a process of its own: whatever ends it, its folder is removed. */
static int run_in_own_file(struct plan *plan)
{
	const char *tmp = getenv("TMPDIR");
	char folder[PATH_MAX], url[PATH_MAX + 32];
	int status = 0;
	pid_t pid;

	snprintf(folder, sizeof(folder), "%s/red_packet.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(folder))
		fail(folder, "cannot be made");
	snprintf(url, sizeof(url), "sqlite:%s/shop.db", folder);
	plan->url = url;
	signal(SIGINT, SIG_IGN); /* Ctrl-C is for the child, which stops all this soon enough */
	pid = fork();
	if (pid == 0) {
		signal(SIGINT, SIG_DFL);
		exit(run(plan, true) ? EXIT_SUCCESS : EXIT_FAILURE);
	}
	waitpid(pid, &status, 0);
	remove_folder(folder);
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	struct plan plan = read_options(argc, argv);

	if (!plan.url)
		return run_in_own_file(&plan);
	return run(&plan, false) ? EXIT_SUCCESS : EXIT_FAILURE;
}
