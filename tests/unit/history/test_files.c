/* SPDX-License-Identifier: MIT */
/* All that is recorded is loaded, even if its writer was killed; and the guarded cell. */
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "history/recorder.h"
#include "history/resource.h"
#include "tape.h"

static const char *folder(void)
{
	return getenv("DBLOCK_TEST_TMP");
}

static const char *path_of(const char *name)
{
	static char path[1024];

	snprintf(path, sizeof(path), "%s/%s", folder(), name);
	return path;
}

static void remove_all(void)
{
	unlink(path_of("000001.events"));
	unlink(path_of("000002.events"));
}

static void write_raw(const char *text)
{
	int fd = open(path_of("000001.events"), O_WRONLY | O_APPEND | O_CREAT, 0666);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void every_field_comes_back(void **state)
{
	const struct event e = {.at = 1234567890123,
				.kind = EVENT_PRESENTED,
				.client = 1,
				.thread = 3,
				.wait = 1LL << 40,
				.name = "a-name",
				.token = INT64_MAX,
				.ticket = TICKET_NONE,
				.until = 5,
				.before = 6,
				.db_at = 7,
				.outcome = -4,
				.mode = 3,
				.weight = 8,
				.capacity = 9,
				.group = 10,
				.wrote = 11,
				.lease = 12,
				.priority = -3};
	struct history h = {.n = 0};
	struct recorder r;
	char problem[1200];

	(void)state;
	assert_true(recorder_open(&r, folder(), 1));
	record(&r, e);
	recorder_close(&r);
	assert_true(history_load(&h, folder(), problem));
	assert_int_equal(h.n, 1);
	assert_int_equal(h.events[0].at, e.at);
	assert_int_equal(h.events[0].kind, e.kind);
	assert_int_equal(h.events[0].client, e.client);
	assert_int_equal(h.events[0].thread, e.thread);
	assert_int_equal(h.events[0].wait, e.wait);
	assert_string_equal(h.events[0].name, e.name);
	assert_int_equal(h.events[0].token, e.token);
	assert_int_equal(h.events[0].ticket, e.ticket);
	assert_int_equal(h.events[0].until, e.until);
	assert_int_equal(h.events[0].mode, e.mode);
	assert_int_equal(h.events[0].weight, e.weight);
	assert_int_equal(h.events[0].capacity, e.capacity);
	assert_int_equal(h.events[0].priority, e.priority);
	assert_int_equal(h.events[0].group, e.group);
	assert_int_equal(h.events[0].wrote, e.wrote);
	assert_int_equal(h.events[0].lease, e.lease);
	assert_int_equal(h.events[0].before, e.before);
	assert_int_equal(h.events[0].db_at, e.db_at);
	assert_int_equal(h.events[0].outcome, e.outcome);
	history_free(&h);
	remove_all();
}

static void files_are_told_as_one(void **state)
{
	struct history h = {.n = 0};
	struct recorder r[2];
	char problem[1200];
	int of_second = 0;

	(void)state;
	assert_true(recorder_open(&r[0], folder(), 1));
	assert_true(recorder_open(&r[1], folder(), 2));
	for (int i = 0; i < 1000; i++)
		record(&r[i % 3 == 0], (struct event){.kind = EVENT_CALLED, .wait = i + 1});
	assert_true(history_load(&h, folder(), problem));
	assert_int_equal(h.n, 1000);
	for (size_t i = 1; i < h.n; i++)
		assert_true(h.events[i - 1].at <= h.events[i].at);
	for (size_t i = 0; i < h.n; i++)
		of_second += h.events[i].client == 2;
	assert_int_equal(of_second, 334);
	history_free(&h);
	recorder_close(&r[0]);
	recorder_close(&r[1]);
	remove_all();
}

static void equals_stay_in_order(void **state)
{
	struct history h = {.n = 0};

	(void)state;
	for (int i = 0; i < 100; i++)
		history_add(&h, &(struct event){.at = 100 - i / 10, .wait = i});
	history_sort(&h);
	for (int i = 0; i < 100; i++)
		assert_int_equal(h.events[i].wait, (9 - i / 10) * 10 + i % 10);
	history_free(&h);
}

static void nothing_is_lost_with_its_writer(void **state)
{
	struct history h = {.n = 0};
	char problem[1200];
	int status;
	pid_t pid;

	(void)state;
	pid = fork();
	if (pid == 0) {
		struct recorder r;

		if (!recorder_open(&r, folder(), 1))
			_exit(1);
		for (int i = 0; i < 100; i++)
			record(&r, (struct event){.kind = EVENT_CALLED, .wait = i + 1});
		kill(getpid(), SIGKILL);
	}
	waitpid(pid, &status, 0);
	assert_true(WIFSIGNALED(status));
	write_raw("1234567 GRAN");
	assert_true(history_load(&h, folder(), problem));
	assert_int_equal(h.n, 100);
	assert_int_equal(h.events[99].wait, 100);
	history_free(&h);
	remove_all();
}

static void is_no_history(const char *text)
{
	struct history h = {.n = 0};
	char problem[1200] = "";

	write_raw(text);
	assert_false(history_load(&h, folder(), problem));
	assert_non_null(strstr(problem, "000001.events:"));
	history_free(&h);
	remove_all();
}

static void what_is_no_event_is_no_history(void **state)
{
	(void)state;
	is_no_history("1234567 GRAN\n");
	is_no_history("\n");
	is_no_history("1 HAPPENED 1 1 1 x 0 0 0 0 0 0\n");
	is_no_history("1 CALLED 1 1 1 x 0 0 0 0 0 0 and more\n");
	is_no_history("1 CALLED 1 1 1 x 0 0 0 0 0\n1 CALLED 1 1 1 x 0 0 0 0 0 0\n");
}

static void no_folder_is_no_history(void **state)
{
	struct history h = {.n = 0};
	char problem[1200] = "";

	(void)state;
	assert_false(history_load(&h, path_of("nothing"), problem));
	assert_non_null(strstr(problem, "nothing"));
	history_free(&h);
}

/* Two processes that share the file share the cell. */
static void the_cell_refuses_older_tokens(void **state)
{
	struct resource a, b;
	int64_t before, wrote;

	(void)state;
	assert_true(resource_open(&a, path_of("cells"), 2));
	assert_true(resource_open(&b, path_of("cells"), 2));
	assert_true(resource_present(&a, 1, 100, true, &before, &wrote));
	assert_int_equal(before, 0);
	assert_true(resource_present(&b, 1, 100, true, &before, &wrote));
	assert_int_equal(before, 100);
	assert_true(resource_present(&b, 1, 200, true, &before, &wrote));
	assert_int_equal(before, 100);
	assert_false(resource_present(&a, 1, 199, true, &before, &wrote));
	assert_int_equal(before, 200);
	assert_true(resource_present(&a, 0, 1, true, &before, &wrote));
	assert_int_equal(before, 0);
	resource_close(&a);
	resource_close(&b);
}

static void the_cell_of_who_is_alone_takes_any_number(void **state)
{
	struct resource a;
	int64_t before;

	(void)state;
	assert_true(resource_open(&a, path_of("alone"), 2));
	assert_true(resource_present_alone(&a, 1, 1, &before));
	assert_int_equal(before, 0);
	assert_true(resource_present_alone(&a, 1, INT64_MAX, &before));
	assert_int_equal(before, 1);
	assert_true(resource_present_alone(&a, 1, INT64_MAX, &before));
	assert_false(resource_present_alone(&a, 1, INT64_MAX - 1, &before));
	assert_int_equal(before, INT64_MAX);
	resource_close(&a);
}

static void the_cell_lets_older_ones_read(void **state)
{
	struct resource cell;
	int64_t before, wrote;

	(void)state;
	assert_true(resource_open(&cell, path_of("readers"), 1));
	assert_true(resource_present(&cell, 0, 100, true, &before, &wrote));
	assert_true(resource_present(&cell, 0, 102, false, &before, &wrote));
	assert_true(resource_present(&cell, 0, 101, false, &before, &wrote));
	assert_int_equal(before, 102);
	assert_int_equal(wrote, 100);
	/* But nobody may write after a newer one has read, or read after a newer one has written.
	 */
	assert_false(resource_present(&cell, 0, 101, true, &before, &wrote));
	assert_true(resource_present(&cell, 0, 103, true, &before, &wrote));
	assert_false(resource_present(&cell, 0, 102, false, &before, &wrote));
	assert_int_equal(wrote, 103);
	resource_close(&cell);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_comes_back),
		cmocka_unit_test(files_are_told_as_one),
		cmocka_unit_test(equals_stay_in_order),
		cmocka_unit_test(nothing_is_lost_with_its_writer),
		cmocka_unit_test(what_is_no_event_is_no_history),
		cmocka_unit_test(no_folder_is_no_history),
		cmocka_unit_test(the_cell_refuses_older_tokens),
		cmocka_unit_test(the_cell_of_who_is_alone_takes_any_number),
		cmocka_unit_test(the_cell_lets_older_ones_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
