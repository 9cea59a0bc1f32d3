/* SPDX-License-Identifier: MIT */
/* Red packets: 1000 gifts, 8 processes that give them away at once. Without a lock the shop gives
 * more than it has; with dblock it gives each gift once, also when a holder is killed. */
#include "red_packet/red_packet.h"

#include <dirent.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <dblock/dblock.h>

#include "red_packet/shop.h"

enum { PROCESSES = 8, PROCESSES_MAX = 64, GIFTS = 1000, GIFTS_MAX = 1000000, KILL_TTL_MS = 2000 };
enum { UNLOCKED, LOCKED, KILLED, WAYS };

static const char help[] =
	"usage: red_packet [--url URL] [--processes N] [--gifts N]\n"
	"\n"
	"Gives away gifts from a table, by several processes at once: without a lock, with "
	"dblock,\n"
	"and with dblock while the holder is killed. Exit code 0: with the lock each gift was\n"
	"given exactly once.\n"
	"\n"
	"  --url URL      the database: sqlite:PATH, postgresql://..., mysql://...; the tables\n"
	"                 t_bonus, t_gift and dblock_* are made in it if they are missing, and\n"
	"                 stay. Default: a SQLite file in a temporary folder, removed afterwards\n"
	"  --processes N  2 to 64; default 8\n"
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

static struct plan read_options(int argc, char **argv)
{
	static const struct option options[] = {{"url", required_argument, NULL, 'u'},
						{"processes", required_argument, NULL, 'p'},
						{"gifts", required_argument, NULL, 'g'},
						{"help", no_argument, NULL, 'h'},
						{0}};
	struct plan plan = {.processes = PROCESSES, .gifts = GIFTS};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1)
		if (c == 'u') {
			plan.url = optarg;
		} else if (c == 'p') {
			plan.processes = (int)number("processes", optarg, 2, PROCESSES_MAX);
		} else if (c == 'g') {
			plan.gifts = number("gifts", optarg, 10, GIFTS_MAX);
		} else {
			fputs(help, c == 'h' ? stdout : stderr);
			exit(c == 'h' ? EXIT_SUCCESS : EXIT_FAILURE);
		}
	if (optind < argc)
		shop_fail(argv[optind], "is not an option; --help says which there are");
	return plan;
}

static void announce(const struct plan *plan, bool own_file)
{
	printf("%lld gifts, %d processes, on %.*s%s.\n", (long long)plan->gifts, plan->processes,
	       (int)strcspn(plan->url, ":"), plan->url,
	       own_file ? " (a file that is synced with each commit)" : "");
	puts("A draw reads left_count, thinks for 1 ms, and writes left_count - 1 in a second\n"
	     "transaction, as shops do. The thinking only widens a race that is there anyway.\n");
	printf("%-26s %6s %6s %9s %12s %8s\n", "", "draws", "given", "oversold", "given twice",
	       "seconds");
	fflush(stdout);
}

static void print_row(const struct way *way, const struct tally *tally)
{
	const int64_t over = tally->given - way->gifts;

	printf("%-26s %6lld %6lld %9lld %12lld %8.1f\n", way->title, (long long)tally->draws,
	       (long long)tally->given, (long long)(over > 0 ? over : 0), (long long)tally->twice,
	       tally->seconds);
	fflush(stdout);
}

static void copy(FILE *from, FILE *to)
{
	char line[1024];

	rewind(from);
	while (fgets(line, sizeof(line), from))
		fputs(line, to);
}

static bool promised(const struct way *way, const struct tally *tally)
{
	return tally->given == way->gifts && tally->twice == 0;
}

/* What was shown; false if it was not what we promised. */
static bool conclude(const struct way *ways, const struct tally *tallies, FILE *listing)
{
	bool good = promised(&ways[LOCKED], &tallies[LOCKED]) &&
		    promised(&ways[KILLED], &tallies[KILLED]);

	printf("\nWith the lock %s.\n",
	       good ? "each gift was given exactly once" : "NOT EACH GIFT WAS GIVEN EXACTLY ONCE");
	if (tallies[UNLOCKED].twice == 0) {
		puts("Without it nothing went wrong either: so this run shows nothing.");
		good = false;
	}
	puts("In the last run a process was killed (kill -9) in mid-draw. At once `dblock ls` "
	     "said:\n");
	copy(listing, stdout);
	printf("\nIts lock lives on for %.1f s from its last heartbeat: the next draw was done "
	       "%.1f s\n"
	       "after the kill, by another process.\n",
	       KILL_TTL_MS / 1000.0, tallies[KILLED].paused);
	return good;
}

/* A server's database gets tables only from who asks for it. */
static void make_lock_tables(const char *url)
{
	struct dblock_error err;

	if (dblock_migrate_up(url, NULL, NULL, NULL, NULL, &err))
		shop_fail("migrate", err.message);
}

static bool run(const struct plan *plan, bool own_file)
{
	const struct way ways[WAYS] = {
		{"without a lock", plan->gifts, false, false, 0},
		{"with dblock", plan->gifts, true, false, 0},
		{"dblock, a holder killed", plan->gifts / 10, true, true, KILL_TTL_MS},
	};
	struct tally tallies[WAYS];
	FILE *listing = tmpfile();

	if (!listing)
		shop_fail("temporary file", "cannot be made");
	make_lock_tables(plan->url);
	announce(plan, own_file);
	for (int i = 0; i < WAYS; i++) {
		if (!run_way(plan, &ways[i], listing, &tallies[i]))
			return false;
		print_row(&ways[i], &tallies[i]);
	}
	return conclude(ways, tallies, listing);
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
		shop_fail(folder, "cannot be made");
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
