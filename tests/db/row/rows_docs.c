/* SPDX-License-Identifier: MIT */
/*
 * What docs/user/row-locks.md shows is true: its blocks for this database are run, by two
 * connections, and must print what is written there.
 *   A> STATEMENT   is run by connection A; what it prints follows, each line behind two blanks
 *   (waits)        stands under it if it does; then
 *   A>             stands where it has ended, with what it printed
 * A statement that follows one that waits is tried again until it prints what is expected; so is
 * InnoDB's monitor, which leaves out what others are at.
 */
#include "support/tx.h"

enum { ROOM = 4000 };

struct session {
	struct dblock_tx *tx;
	char sql[600];
	char out[ROOM];
	pthread_t thread;
	bool waits, ends; /* its statement goes on; it must end now */
	_Atomic bool over;
};

static struct dblock_client *client;
static struct session sessions[2];
static char database[80]; /* the part before a table's name, in the monitor's text */

/* ---- running --------------------------------------------------------------------------------- */

static void add(struct session *s, const char *text, size_t len)
{
	size_t at = strlen(s->out);

	if (at + len < ROOM) {
		memcpy(s->out + at, text, len);
		s->out[at + len] = '\0';
	}
}

/* Adds what InnoDB's monitor says of row locks: index and kind. */
static void add_monitor(struct session *s, const struct dblock_value *value)
{
	char *text = strndup(value->text, value->len), *line, *rest = text;

	while ((line = strsep(&rest, "\n"))) {
		char *index = strstr(line, " index "), *kind = strstr(line, " lock_mode ");

		if (strncmp(line, "RECORD LOCKS", 12) != 0 || !index || !kind ||
		    !strstr(line, database))
			continue;
		add(s, " ", 1);
		add(s, index, strcspn(index + 7, " ") + 7);
		add(s, kind, strlen(kind));
		add(s, "\n", 1);
	}
	free(text);
}

static bool is_monitor(const struct session *s)
{
	return strncmp(s->sql, "SHOW ENGINE", 11) == 0;
}

static int print_row(void *arg, const struct dblock_value *row, size_t n)
{
	struct session *s = arg;
	char number[32];

	if (is_monitor(s)) {
		add_monitor(s, &row[n - 1]);
		return 0;
	}
	for (unsigned i = 0; i < n; i++) {
		add(s, i ? " | " : "  ", i ? 3 : 2);
		snprintf(number, sizeof(number), "%lld", (long long)row[i].i);
		if (row[i].type == DBLOCK_TEXT)
			add(s, row[i].text, row[i].len);
		else
			add(s, row[i].type == DBLOCK_INT ? number : "NULL",
			    row[i].type == DBLOCK_INT ? strlen(number) : 4);
	}
	add(s, "\n", 1);
	return 0;
}

static void *run_sql(void *arg)
{
	struct session *s = arg;
	struct dblock_error err = {0};
	char text[64];

	s->out[0] = '\0';
	if (dblock_tx_query(s->tx, s->sql, NULL, 0, NULL, print_row, s, &err)) {
		if (on_backend("postgresql"))
			snprintf(text, sizeof(text), "  ERROR %s\n", err.sqlstate);
		else
			snprintf(text, sizeof(text), "  ERROR %d\n", err.native);
		add(s, text, strlen(text));
	}
	s->over = true;
	return NULL;
}

static bool may_change(const struct session *s)
{
	return sessions[0].waits || sessions[1].waits || is_monitor(s);
}

static void start(struct session *s)
{
	s->waits = true;
	s->over = false;
	assert_int_equal(pthread_create(&s->thread, NULL, run_sql, s), 0);
	sleep_ms(50);
	assert_false(s->over);
}

static void finish(struct session *s)
{
	assert_true(s->waits);
	pthread_join(s->thread, NULL);
	s->waits = false;
}

static void check(struct session *s, const char *wanted)
{
	int64_t end = clock_ms() + PLENTY_MS / 6;

	if (strcmp(wanted, "  (waits)\n") == 0) {
		start(s);
		return;
	}
	if (s->ends)
		finish(s);
	else
		run_sql(s);
	while (may_change(s) && strcmp(s->out, wanted) != 0 && clock_ms() < end) {
		sleep_ms(10);
		run_sql(s);
	}
	if (strcmp(s->out, wanted) != 0) {
		print_error("%s\nprints\n%sand not\n%s", s->sql, s->out, wanted);
		/* not fail(): the other one may wait for this one's end */
		exit(1);
	}
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Plays a block's text to its end: statement, what it prints, and so on. */
static int play(char *text)
{
	struct session *s = NULL;
	char wanted[ROOM] = "", *line, *rest = text;
	int statements = 0;

	while ((line = strsep(&rest, "\n"))) {
		if (strncmp(line, "  ", 2) == 0) {
			strcat(wanted, line);
			strcat(wanted, "\n");
			continue;
		}
		if (s)
			check(s, wanted);
		wanted[0] = '\0';
		if (!*line)
			break;
		assert_true((*line == 'A' || *line == 'B') && line[1] == '>');
		s = &sessions[*line - 'A'];
		s->ends = s->waits;
		if (!s->ends)
			snprintf(s->sql, sizeof(s->sql), "%s", line[2] ? line + 3 : "");
		statements++;
	}
	return statements;
}

static char *read_page(void)
{
	char path[4096], *text = calloc(1, 1 << 18);
	FILE *file;

	snprintf(path, sizeof(path), "%s/docs/user/row-locks.md", test_env("DBLOCK_SOURCE_DIR"));
	file = fopen(path, "r");
	assert_non_null(file);
	assert_true(fread(text, 1, (1 << 18) - 1, file) > 0);
	fclose(file);
	return text;
}

/* A block's language is a driver's name, or the name of one server if others have the same driver.
 */
static bool is_for_us(const char *language, size_t len)
{
	const char *database_name = test_env("DBLOCK_TEST_DATABASE");
	const char *alone = strcmp(database_name, "mysql") == 0 ? "mysql-only" : database_name;
	const char *names[] = {test_env("DBLOCK_TEST_BACKEND"), alone};

	for (int i = 0; i < 2; i++) {
		if (strlen(names[i]) == len && memcmp(names[i], language, len) == 0)
			return true;
	}
	return false;
}

static void the_page_is_true(void **state)
{
	char *page = read_page(), *at = page;
	int statements = 0;

	(void)state;
	while ((at = strstr(at, "\n```"))) {
		char *begin = strchr(at + 1, '\n') + 1, *end = strstr(begin - 1, "\n```");

		assert_non_null(end);
		end[1] = '\0';
		if (is_for_us(at + 4, (size_t)(begin - 1 - (at + 4))))
			statements += play(begin);
		at = end + 2;
	}
	assert_true(statements > 10);
	free(page);
}

static int set_up(void **state)
{
	(void)state;
	client = client_new(0);
	sessions[0].tx = tx_open(client);
	sessions[1].tx = tx_open(client);
	/* The page is about servers with their default settings. */
	for (int i = 0; i < 2 && on_backend("postgresql"); i++)
		tx_exec(sessions[i].tx, "SET default_transaction_isolation = 'read committed'");
	if (on_backend("mysql"))
		snprintf(database, sizeof(database), " of table `%.64s`.",
			 tx_text(sessions[0].tx, "SELECT DATABASE()"));
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	dblock_tx_close(sessions[0].tx);
	dblock_tx_close(sessions[1].tx);
	dblock_close(client, NULL);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(the_page_is_true)};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
