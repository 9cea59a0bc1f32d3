/* SPDX-License-Identifier: MIT */
/* What is about to be done, what came of it, and what to make of it. */
#include <string.h>

#include "red_packet.h"

enum { LABEL = 18, COLUMN = 12 };

/* It may begin with the end of the line before. */
static void label(const char *text)
{
	printf("%-*s", LABEL + (*text == '\n'), text);
	fflush(stdout);
}

void print_title(const struct way *way)
{
	printf("%*s", COLUMN, way->title);
	fflush(stdout);
}

void announce(const struct plan *plan, bool own_file)
{
	printf("%lld gifts, %lld customers; %d processes of %d threads.\n", (long long)plan->gifts,
	       (long long)(plan->gifts + plan->gifts / 10), plan->processes, plan->threads);
	printf("Database: %.*s%s. A draw looks at left_count,\n", (int)strcspn(plan->url, ":"),
	       plan->url, own_file ? " (a file, synced with each commit)" : "");
	puts("thinks for 1 ms, and writes left_count - 1 and who got the gift. The thinking only\n"
	     "widens a race that is there anyway.\n");
	label("");
}

static int64_t over(int64_t given, int64_t gifts)
{
	return given > gifts ? given - gifts : 0;
}

static void cell(int64_t n)
{
	printf("%*lld", COLUMN, (long long)n);
}

/* --- five ways ---------------------------------------------------------------------------------*/

enum figure { DRAWS_PER_SECOND, RETRIES, GIVEN, TWICE, OVERSOLD, FIGURES };

static const char *const labels[FIGURES] = {"\ndraws per second", "\nretries", "\ngiven",
					    "\ngiven twice", "\noversold"};

static int64_t figure_of(const struct plan *plan, const struct tally *tally, enum figure figure)
{
	switch (figure) {
	case DRAWS_PER_SECOND:
		return (int64_t)((double)tally->draws / tally->seconds);
	case RETRIES:
		return tally->retries;
	case GIVEN:
		return tally->given;
	case TWICE:
		return tally->twice;
	default:
		return over(tally->given, plan->gifts);
	}
}

static void print_ways(const struct plan *plan, const struct tally *tallies)
{
	for (enum figure figure = 0; figure < FIGURES; figure++) {
		label(labels[figure]);
		for (int i = 0; i < WAYS; i++)
			if (plan->chosen[i])
				cell(figure_of(plan, &tallies[i], figure));
	}
	puts("\n");
}

static void explain_ways(const struct plan *plan)
{
	puts("draws per second  customers served by all together, also those who came too late\n"
	     "retries           draws begun again: stale version or lock, deadlock, busy\n"
	     "given             gifts in the books\n"
	     "given twice       of these, gifts that somebody else had got before\n"
	     "oversold          more than there were\n");
	for (int i = 0; i < WAYS; i++)
		if (plan->chosen[i])
			printf("%-*s%s\n", COLUMN, ways[i].title, ways[i].text);
	fflush(stdout);
}

static bool is_as_promised(const struct tally *tally, int64_t gifts)
{
	return tally->given == gifts && tally->twice == 0;
}

bool report_ways(const struct plan *plan, const struct tally *tallies)
{
	bool good = true;

	print_ways(plan, tallies);
	for (int i = NO_LOCK + 1; i < WAYS; i++)
		if (plan->chosen[i] && !is_as_promised(&tallies[i], plan->gifts)) {
			printf("NOT EACH GIFT WAS GIVEN EXACTLY ONCE: %s.\n", ways[i].title);
			good = false;
		}
	if (plan->chosen[NO_LOCK] && tallies[NO_LOCK].twice == 0) {
		puts("Without a lock nothing went wrong either: so this run shows nothing.");
		good = false;
	}
	explain_ways(plan);
	return good;
}

/* --- mishaps -----------------------------------------------------------------------------------*/

void announce_mishaps(int64_t gifts)
{
	printf("\nAnd if the holder of the lock is killed (kill -9), or stopped (SIGSTOP) for "
	       "longer\n"
	       "than it lives on alone, %.1f s from the last heartbeat? %lld gifts each:\n\n",
	       TTL_MS / 1000.0, (long long)gifts);
	label("");
}

/* It has the lock, and no fence yet, and has looked at nothing. */
static bool is_unfenced(const struct scene *scene)
{
	return scene->way == &ways[FENCE] && scene->mishap == STOPPED;
}

static void print_mishaps(const struct scene *scenes, const struct tally *tallies, int n)
{
	label("\nits holder is");
	for (int i = 0; i < n; i++)
		printf("%*s", COLUMN, scenes[i].mishap == KILLED ? "killed" : "stopped");
	label("\nright after its");
	for (int i = 0; i < n; i++)
		printf("%*s", COLUMN, is_unfenced(&scenes[i]) ? "acquire" : "look");
	label("\nnext draw after");
	for (int i = 0; i < n; i++)
		printf("%*.1f s", COLUMN - 2, tallies[i].paused);
	label("\nretries");
	for (int i = 0; i < n; i++)
		cell(tallies[i].retries);
	label("\ngiven");
	for (int i = 0; i < n; i++)
		cell(tallies[i].given);
	label("\ngiven twice");
	for (int i = 0; i < n; i++)
		cell(tallies[i].twice);
	puts("\n");
}

static void copy(FILE *from, FILE *to)
{
	char line[1024];

	rewind(from);
	while (fgets(line, sizeof(line), from))
		fputs(line, to);
}

static void explain_mishap(const struct scene *scene, FILE *listing)
{
	if (scene->mishap == KILLED) {
		puts("killed: right after that, `dblock ls` said\n");
		copy(listing, stdout);
	} else if (scene->way != &ways[FENCE]) {
		puts("\nlock table, stopped: when it went on, another had the lock, and still it "
		     "gave away\n"
		     "what it had looked at before. A lock beside the data cannot keep it from "
		     "that.");
	} else if (is_unfenced(scene)) {
		puts("\nfence, stopped before it: the transaction found that the lock was "
		     "another's\n"
		     "(DBLOCK_STALE), and gave nothing away; then it drew anew. Behind it: until "
		     "its\n"
		     "commit nobody else got the lock, however dead it looked.");
	} else {
		puts("\nRow locks and versions need no fence, but guard rows only. A lock guards "
		     "whatever\n"
		     "it is named after.");
	}
}

bool report_mishaps(const struct scene *scenes, const struct tally *tallies, int n, FILE *listing)
{
	bool good = true;

	print_mishaps(scenes, tallies, n);
	for (int i = 0; i < n; i++) {
		const bool goes_wrong =
			scenes[i].mishap == STOPPED && scenes[i].way != &ways[FENCE];

		explain_mishap(&scenes[i], listing);
		good &= is_as_promised(&tallies[i], scenes[i].gifts) != goes_wrong;
	}
	if (!good)
		puts("\nTHIS RUN DID NOT SHOW THAT.");
	return good;
}
