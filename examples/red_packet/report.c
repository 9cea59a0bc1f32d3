/* SPDX-License-Identifier: MIT */
/* What is about to be done, what came of it, and what to make of it. */
#include <string.h>

#include "red_packet.h"

enum { LABEL = 18, COLUMN = 12 };

void announce(const struct plan *plan, bool own_file)
{
	printf("%lld gifts, %lld customers; %d processes of %d threads, on %.*s%s.\n",
	       (long long)plan->gifts, (long long)(plan->gifts + plan->gifts / 10), plan->processes,
	       plan->threads, (int)strcspn(plan->url, ":"), plan->url,
	       own_file ? " (a file that is synced with each commit)" : "");
	puts("To draw is to look at left_count, think for 1 ms, and write down left_count - 1 and "
	     "who\n"
	     "got the gift. The thinking only widens a race that is there anyway.\n");
	fflush(stdout);
}

static int64_t over(int64_t given, int64_t gifts)
{
	return given > gifts ? given - gifts : 0;
}

static void label(const char *text)
{
	printf("%-*s", LABEL, text);
}

static void cell(int64_t n)
{
	printf("%*lld", COLUMN, (long long)n);
}

/* --- five ways ---------------------------------------------------------------------------------*/

enum figure { DRAWS_PER_SECOND, RETRIES, GIVEN, TWICE, OVERSOLD, FIGURES };

static const char *const labels[FIGURES] = {"draws per second", "retries", "given", "given twice",
					    "oversold"};

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
	label("");
	for (int i = 0; i < WAYS; i++)
		if (plan->chosen[i])
			printf("%*s", COLUMN, ways[i].title);
	puts("");
	for (enum figure figure = 0; figure < FIGURES; figure++) {
		label(labels[figure]);
		for (int i = 0; i < WAYS; i++)
			if (plan->chosen[i])
				cell(figure_of(plan, &tallies[i], figure));
		puts("");
	}
}

static void explain_ways(const struct plan *plan)
{
	puts("\ndraws per second  customers served, by all together\n"
	     "retries           draws begun again: another version (stale), a deadlock, a busy "
	     "file\n"
	     "given twice       gifts in the books that somebody else had got before\n"
	     "oversold          gifts in the books that never were\n");
	for (int i = 0; i < WAYS; i++)
		if (plan->chosen[i])
			printf("%-10s  %s\n", ways[i].title, ways[i].text);
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

static void print_mishaps(const struct scene *scenes, const struct tally *tallies, int n)
{
	label("");
	for (int i = 0; i < n; i++)
		printf("%*s", COLUMN, scenes[i].way->title);
	puts("");
	label("its holder is");
	for (int i = 0; i < n; i++)
		printf("%*s", COLUMN, scenes[i].mishap == KILLED ? "killed" : "stopped");
	puts("");
	label("next draw after");
	for (int i = 0; i < n; i++)
		printf("%*.1f s", COLUMN - 2, tallies[i].paused);
	puts("");
	label("retries");
	for (int i = 0; i < n; i++)
		cell(tallies[i].retries);
	puts("");
	label("given");
	for (int i = 0; i < n; i++)
		cell(tallies[i].given);
	puts("");
	label("given twice");
	for (int i = 0; i < n; i++)
		cell(tallies[i].twice);
	puts("\n");
}

static void explain_mishap(const struct scene *scene, FILE *listing)
{
	char line[1024];

	if (scene->mishap == KILLED) {
		puts("Right after the kill `dblock ls` said:\n");
		rewind(listing);
		while (fgets(line, sizeof(line), listing))
			fputs(line, stdout);
		puts("");
	} else if (scene->way == &ways[LOCK_TABLE]) {
		puts("Who was stopped in mid-draw had lost the lock when it went on, and still "
		     "wrote\n"
		     "what it had seen before: a lock beside the data cannot keep it from that.\n");
	} else {
		puts("With the fence it could not: the transaction found the lock lost "
		     "(DBLOCK_STALE),\n"
		     "gave nothing away, and the draw was begun again. A row lock and a version "
		     "need\n"
		     "no fence; but they guard a row, and a lock whatever it is named after.");
	}
}

bool report_mishaps(const struct scene *scenes, const struct tally *tallies, int n, FILE *listing)
{
	bool good = true;

	if (n == 0)
		return true;
	printf("\nAnd if the holder of a lock is killed (kill -9) or stopped (SIGSTOP) in "
	       "mid-draw?\n"
	       "%lld gifts; a lock lives on for %.1f s from its holder's last heartbeat.\n\n",
	       (long long)scenes[0].gifts, TTL_MS / 1000.0);
	print_mishaps(scenes, tallies, n);
	for (int i = 0; i < n; i++) {
		const bool is_bare = scenes[i].mishap == STOPPED && scenes[i].way != &ways[FENCE];

		explain_mishap(&scenes[i], listing);
		good &= is_as_promised(&tallies[i], scenes[i].gifts) != is_bare;
	}
	if (!good)
		puts("\nTHIS RUN DID NOT SHOW THAT.");
	return good;
}
