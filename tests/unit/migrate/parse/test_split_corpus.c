/* SPDX-License-Identifier: MIT */
/*
 * The splitter on whole files. The expected results were written by hand, in lines of NAME.expect:
 *   LINE:COL-LINE:COL KIND FIRST LINE   a statement: its first and its last character
 *   error LINE:COL MESSAGE              and then nothing more
 *   ... differs: WHY, not run: WHY, ... on mysql: WHY, ... before 14: WHY   for db/migrate/split_clients.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "split_files.h"
#include "support/split_token_laws.h"

enum { ENOUGH = 25 };

static const char *const kinds[] = {"ordinary", "transaction", "alone", "commits", "use"};

static struct dbl_position last_character(const struct sql_text *t, const struct dbl_statement *st)
{
	size_t at = st->offset + st->len - 1;

	while ((t->text[at] & 0xC0) == 0x80)
		at--;
	return dbl_position(t->text, t->len, at);
}

/* Returns the length of the first line, at most 60 characters, without blanks at the end. */
static int first_line(const struct dbl_statement *st)
{
	size_t n = 0;

	for (int characters = 0; n < st->len && !strchr("\r\n", st->text[n]); n++) {
		if ((st->text[n] & 0xC0) != 0x80 && ++characters > 60)
			break;
	}
	while (n > 0 && st->text[n - 1] == ' ')
		n--;
	return (int)n;
}

static void describe(FILE *out, const struct sql_text *t, const struct dbl_statement *st)
{
	struct dbl_position last = last_character(t, st);

	fprintf(out, "%zu:%zu-%zu:%zu %s %.*s\n", st->line, st->col, last.line, last.col,
		kinds[st->kind], first_line(st), st->text);
}

/* Writes the result as in a .expect; of an error's message only the beginning is compared. */
static char *split_to_text(const struct sql_text *t)
{
	struct dbl_statement st = {0};
	struct dblock_error err;
	struct dbl_split s;
	size_t len;
	char *text;
	FILE *out = open_memstream(&text, &len);
	int rc = begin_split(&s, t, &err);

	while (rc == 0 && (rc = dbl_split_next(&s, &st, &err)) == 0 && st.text)
		describe(out, t, &st);
	if (rc)
		fprintf(out, "error %s\n", err.message + strlen("f.sql:"));
	fclose(out);
	return text;
}

static bool is_line(const char *want, size_t len, const char *got)
{
	bool same = strncmp(want, got, len) == 0;

	if (strncmp(want, "error ", 6) != 0)
		return same && got[len] == '\n';
	/* "L:C message" against "L:C: message" */
	len -= 6;
	want += 6;
	got += 6;
	same = strncmp(want, got, strcspn(want, " ")) == 0;
	got += strcspn(got, " ");
	len -= strcspn(want, " ");
	want += strcspn(want, " ");
	return same && strncmp(want, got, len) == 0;
}

/* Tells whether both are alike. */
static bool compare(const char *path, const char *want, const char *got)
{
	const char *at = got;

	for (size_t len; *want; want += len + 1) {
		len = strcspn(want, "\n");
		if (!(*want >= '0' && *want <= '9') && strncmp(want, "error ", 6) != 0)
			continue;
		if (!is_line(want, len, at)) {
			print_error("%s:\nexpected %.*s\nof\n%s\n", path, (int)len, want, got);
			return false;
		}
		at += strcspn(at, "\n") + 1;
	}
	if (*at)
		print_error("%s: not expected:\n%s\n", path, at);
	return !*at;
}

static int wrong; /* the number of files */

static void as_expected(const struct sql_text *t, const char *path)
{
	char expect_path[3000];
	size_t len;
	char *want, *got;

	snprintf(expect_path, sizeof(expect_path), "%.*s.expect", (int)strlen(path) - 4, path);
	want = read_corpus(expect_path, &len);
	want[len] = '\0';
	got = split_to_text(t);
	wrong += !compare(path, want, got);
	free(want);
	free(got);
}

static void lawful(const struct sql_text *t, const char *path)
{
	law broken = check_laws(t);

	if (!broken)
		broken = check_tokens(t);
	if (broken)
		fail_msg("%s: %s", path, broken);
}

static void lawful_cut(const struct sql_text *t, const char *path)
{
	for (size_t at = 0; at < t->len; at++) {
		char *part = malloc(at + 1);
		struct sql_text cut = {t->dialect, part, at};
		law broken;

		memcpy(part, t->text, at);
		broken = check_walk(&cut);
		if (!broken)
			broken = check_cut(t, at);
		free(part);
		if (broken)
			fail_msg("%s, its first %zu bytes: %s", path, at, broken);
	}
}

static void all(void (*check)(const struct sql_text *, const char *))
{
	assert_true(each_corpus_file("postgresql", check) >= ENOUGH);
	assert_true(each_corpus_file("mysql", check) >= ENOUGH);
	assert_true(each_corpus_file("sqlite", check) >= ENOUGH);
}

static void each_file_gives_what_was_expected(void **state)
{
	(void)state;
	all(as_expected);
	assert_int_equal(wrong, 0);
}

static void the_laws_hold(void **state)
{
	(void)state;
	all(lawful);
}

static void the_laws_hold_wherever_a_file_is_cut_off(void **state)
{
	(void)state;
	all(lawful_cut);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_file_gives_what_was_expected),
		cmocka_unit_test(the_laws_hold),
		cmocka_unit_test(the_laws_hold_wherever_a_file_is_cut_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
