/* SPDX-License-Identifier: MIT */
/* dblock_single_flight() as one thread at a time sees it. */
#include "support/kit.h"

/* What makes a result, and counts how often it does. */
struct job {
	struct dblock_client *client;
	const char *text, *says;
	size_t size; /* 0: of the text */
	int calls, rc, inner;
	struct dblock_result *kept;
};

static int make(void *arg, struct dblock_result *result, struct dblock_error *err)
{
	struct job *job = arg;

	job->calls++;
	job->kept = result;
	if (job->rc && job->says) {
		snprintf(err->message, sizeof(err->message), "%s", job->says);
		err->native = 2;
	}
	if (job->rc)
		return job->rc;
	if (!job->text)
		return 0;
	return dblock_result_set(result, job->text, job->size ? job->size : strlen(job->text), err);
}

static struct dblock_result *ask(struct dblock_client *client, const char *key, int64_t fresh_ms,
				 struct job *job)
{
	struct dblock_flight_options options = DBLOCK_FLIGHT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_result *result;

	options.fresh_ms = fresh_ms;
	expect(OK, dblock_single_flight(client, key, &options, make, job, &result, &err));
	return result;
}

static int set_up(void **state)
{
	*state = client_new(0);
	return 0;
}

static int tear_down(void **state)
{
	dblock_close(*state, NULL);
	return 0;
}

static void a_call_makes_its_result(void **state)
{
	struct job job = {.text = "one"};
	struct dblock_result *first = ask(*state, "k", 0, &job), *second;

	assert_string_equal(dblock_result_bytes(first), "one");
	assert_int_equal(dblock_result_size(first), 3);
	/* It is no cache unless that is asked for: what was there before does not count. */
	job.text = "two";
	second = ask(*state, "k", 0, &job);
	assert_int_equal(job.calls, 2);
	assert_string_equal(dblock_result_bytes(second), "two");
	assert_string_equal(dblock_result_bytes(first), "one");
	assert_true(dblock_result_token(second) > dblock_result_token(first));
	dblock_result_free(first);
	dblock_result_free(second);
	is_free(*state, "flight:k");
}

static void a_fresh_one_is_taken_as_it_is(void **state)
{
	struct dblock_client *other = client_new(0);
	struct job job = {.text = "here"}, not = {.text = "never"};
	struct dblock_result *made = ask(*state, "f", 0, &job), *read;

	read = ask(other, "f", 3600000, &not );
	assert_int_equal(not .calls, 0);
	assert_string_equal(dblock_result_bytes(read), "here");
	assert_int_equal(dblock_result_token(read), dblock_result_token(made));
	dblock_result_free(read);
	dblock_result_free(made);
	/* Not if it is older than that: its making began before. */
	sleep_ms(5);
	dblock_result_free(ask(other, "f", 1, &not ));
	assert_int_equal(not .calls, 1);
	/* Another key is another thing. */
	dblock_result_free(ask(other, "F", 3600000, &not ));
	assert_int_equal(not .calls, 2);
	dblock_close(other, NULL);
}

/* Through the database, and back. */
static void travels(struct dblock_client *from, struct dblock_client *to, struct job *job)
{
	struct job not = {.text = "never"};
	struct dblock_result *made = ask(from, "bytes", 0, job), *read;

	read = ask(to, "bytes", 3600000, &not );
	assert_int_equal(not .calls, 0);
	assert_int_equal(dblock_result_size(read), dblock_result_size(made));
	assert_memory_equal(dblock_result_bytes(read), dblock_result_bytes(made),
			    dblock_result_size(made) + 1);
	dblock_result_free(made);
	dblock_result_free(read);
}

static void any_bytes_travel(void **state)
{
	static const char utf8[] = "Gr\xc3\xbc\xc3\x9f\x65 \xf0\x9f\x8d\x80\n\t'\\ \x01 \"$1 ?";
	struct dblock_client *other = client_new(0);
	char *bytes = malloc(DBLOCK_RESULT_MAX);

	travels(*state, other, &(struct job){.text = utf8});
	travels(*state, other, &(struct job){.text = NULL});
	travels(*state, other, &(struct job){.text = "a\0b", .size = 3});
	travels(*state, other, &(struct job){.text = "\xff\xfe\x80", .size = 3});
	travels(*state, other, &(struct job){.text = "\xed\xa0\x80!", .size = 4});
	for (size_t i = 0; i < DBLOCK_RESULT_MAX; i++)
		bytes[i] = (char)(i * 7 ^ i >> 8);
	travels(*state, other, &(struct job){.text = bytes, .size = DBLOCK_RESULT_MAX});
	memset(bytes, 'x', DBLOCK_RESULT_MAX);
	travels(*state, other, &(struct job){.text = bytes, .size = DBLOCK_RESULT_MAX});
	free(bytes);
	dblock_close(other, NULL);
}

static void what_fails_is_told_and_tried_again(void **state)
{
	struct job job = {.text = "well", .rc = -4711};
	struct dblock_error err = {0};
	struct dblock_result *result;

	assert_int_equal(dblock_single_flight(*state, "e", NULL, make, &job, &result, &err), -4711);
	assert_null(result);
	assert_int_equal(err.code, -4711);
	message_has("returned -4711");
	/* The words of who says it, whatever it says of the code. */
	job.says = "the article is gone";
	assert_int_equal(dblock_single_flight(*state, "e", NULL, make, &job, &result, &err), -4711);
	assert_int_equal(err.code, -4711);
	assert_string_equal(err.message, "the article is gone");
	assert_int_equal(err.native, 2);
	job.says = NULL;
	/* Also one that is an outcome of ours, and the words of who says it. */
	job.rc = DBLOCK_WAITING;
	assert_int_equal(dblock_single_flight(*state, "e", NULL, make, &job, &result, NULL),
			 DBLOCK_WAITING);
	assert_null(result);
	job.rc = 0;
	job.text = calloc(1, DBLOCK_RESULT_MAX + 1);
	job.size = DBLOCK_RESULT_MAX + 1;
	expect(E_INVALID, dblock_single_flight(*state, "e", NULL, make, &job, &result, &err));
	message_has("65536 bytes");
	free((void *)(uintptr_t)job.text);
	is_free(*state, "flight:e");
	assert_int_equal(job.calls, 4);
	job.text = "well";
	job.size = 0;
	/* None of these has left anything behind. */
	dblock_result_free(ask(*state, "e", 3600000, &job));
	assert_int_equal(job.calls, 5);
}

static int make_inner(void *arg, struct dblock_result *result, struct dblock_error *err)
{
	struct job *job = arg, inner = {.text = "inner"};
	struct dblock_result *other;

	job->calls++;
	job->inner = dblock_single_flight(job->client, "r", NULL, make, &inner, &other, NULL);
	other = ask(job->client, "r2", 0, &inner);
	assert_int_equal(inner.calls, 1);
	is_free(job->client, "another lock");
	dblock_result_free(other);
	return dblock_result_set(result, "outer", 5, err);
}

static void within_its_own_making_it_is_refused(void **state)
{
	struct job job = {.client = *state};
	struct dblock_error err = {0};
	struct dblock_result *result;
	struct dblock_lock *lock = take(*state, "flight:r");

	/* The same thread has the lock by a call of its own. */
	expect(E_INVALID, dblock_single_flight(*state, "r", NULL, make_inner, &job, &result, &err));
	assert_int_equal(job.calls, 0);
	assert_true(dblock_valid(lock, 0));
	give(lock);
	expect(OK, dblock_single_flight(*state, "r", NULL, make_inner, &job, &result, &err));
	assert_int_equal(job.calls, 1);
	assert_int_equal(job.inner, DBLOCK_E_INVALID);
	assert_string_equal(dblock_result_bytes(result), "outer");
	dblock_result_free(result);
}

static void what_is_wrong_is_refused(void **state)
{
	struct dblock_flight_options options = DBLOCK_FLIGHT_OPTIONS_INIT;
	struct job job = {.text = "x"};
	struct dblock_error err = {0};
	struct dblock_result *result;
	char key[DBLOCK_FLIGHT_KEY_MAX + 2];

	expect(E_INVALID, dblock_single_flight(NULL, "k", NULL, make, &job, &result, &err));
	expect(E_INVALID, dblock_single_flight(*state, NULL, NULL, make, &job, &result, &err));
	expect(E_INVALID, dblock_single_flight(*state, "", NULL, make, &job, &result, &err));
	expect(E_INVALID, dblock_single_flight(*state, "a\nb", NULL, make, &job, &result, &err));
	expect(E_INVALID, dblock_single_flight(*state, "k", NULL, NULL, &job, &result, &err));
	expect(E_INVALID, dblock_single_flight(*state, "k", NULL, make, &job, NULL, &err));
	memset(key, 'k', sizeof(key));
	key[DBLOCK_FLIGHT_KEY_MAX + 1] = '\0';
	expect(E_INVALID, dblock_single_flight(*state, key, NULL, make, &job, &result, &err));
	message_has("248");
	options.wait_ms = -3;
	expect(E_INVALID, dblock_single_flight(*state, "k", &options, make, &job, &result, &err));
	options.wait_ms = 0;
	options.fresh_ms = -1;
	expect(E_INVALID, dblock_single_flight(*state, "k", &options, make, &job, &result, &err));
	options.fresh_ms = DBLOCK_FRESH_MAX_MS + 1;
	expect(E_INVALID, dblock_single_flight(*state, "k", &options, make, &job, &result, &err));
	options.fresh_ms = 0;
	options.size = 1;
	expect(E_INVALID, dblock_single_flight(*state, "k", &options, make, &job, &result, &err));
	assert_int_equal(job.calls, 0);
	/* As long as may be; a caller with an older, shorter struct; no err. */
	key[DBLOCK_FLIGHT_KEY_MAX] = '\0';
	options.size = 2 * sizeof(size_t);
	options.fresh_ms = -1; /* beyond its end */
	assert_int_equal(dblock_single_flight(*state, key, &options, make, &job, &result, NULL), 0);
	assert_int_equal(job.calls, 1);
	/* Nobody changes it any more: others read it. */
	expect(E_INVALID, dblock_result_set(job.kept, "y", 1, &err));
	assert_string_equal(dblock_result_bytes(result), "x");
	expect(E_INVALID, dblock_result_set(NULL, "y", 1, &err));
	dblock_result_free(result);
	dblock_result_free(NULL);
	assert_string_equal(dblock_result_bytes(NULL), "");
	assert_int_equal(dblock_result_size(NULL), 0);
	assert_int_equal(dblock_result_token(NULL), 0);
}

static void a_child_process_is_refused(void **state)
{
	struct job job = {.text = "x"};
	struct dblock_result *result;
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(dblock_single_flight(*state, "k", NULL, make, &job, &result, NULL) !=
			      DBLOCK_E_FORKED ||
		      job.calls);
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_makes_its_result),
		cmocka_unit_test(a_fresh_one_is_taken_as_it_is),
		cmocka_unit_test(any_bytes_travel),
		cmocka_unit_test(what_fails_is_told_and_tried_again),
		cmocka_unit_test(within_its_own_making_it_is_refused),
		cmocka_unit_test(what_is_wrong_is_refused),
		cmocka_unit_test(a_child_process_is_refused),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
