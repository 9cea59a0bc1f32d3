/* SPDX-License-Identifier: MIT */
/* The server's list of connections, while somebody's statement has a character beyond utf8mb3: there MySQL
 * refuses to be asked for information_schema.processlist. */
#include <pthread.h>

#include "driver/value.h"
#include "support/puppet.h"
#include "support/raw.h"
#include "support/waiting.h"

static bool is_mysql(void)
{
	return strcmp(test_env("DBLOCK_TEST_DATABASE"), "mysql") == 0;
}

static void *sleep_beyond(void *raw)
{
	(void)raw_try_exec(raw, "SELECT SLEEP(1000), '\xf0\x9f\x94\x92' FROM dual");
	return NULL;
}

struct sleeper {
	struct raw *raw, *watch;
	pthread_t thread;
	int64_t id;
};

static void begin(struct sleeper *s)
{
	s->watch = raw_open(NULL);
	s->raw = raw_open(NULL);
	s->id = raw_int(s->raw, "SELECT CONNECTION_ID()");
	assert_int_equal(pthread_create(&s->thread, NULL, sleep_beyond, s->raw), 0);
	wait_until(raw_int(s->watch,
			   "SELECT count(*) FROM %s.processlist "
			   "WHERE id = %lld AND info LIKE 'SELECT SLEEP(1000)%%'",
			   is_mysql() ? "performance_schema" : "information_schema",
			   (long long)s->id) == 1);
}

static void end(struct sleeper *s)
{
	raw_exec(s->watch, "KILL %lld", (long long)s->id);
	pthread_join(s->thread, NULL);
	raw_close(s->raw);
	raw_close(s->watch);
}

static int take_first(void *ctx, const struct dbl_value *row)
{
	if (row[0].type == DBL_INT)
		*(int64_t *)ctx = row[0].i;
	return 0;
}

/* Asks; `answer` is the last row's first number. */
static int ask(struct puppet *puppet, enum dbl_op op, struct dbl_args args, int64_t *answer)
{
	struct dblock_error err = {0};
	struct dbl_request request = {.op = op,
				      .args = args,
				      .row = take_first,
				      .ctx = answer,
				      .deadline = dbl_now(puppet->target.env) + dbl_ms(PLENTY_MS)};
	int rc = dbl_db_run(puppet->db, &request, &err);

	if (rc)
		print_error("%s\n", err.message);
	return rc;
}

static void the_list_of_connections_is_read(void **state)
{
	struct puppet *puppet = puppet_new(NULL, 600000);
	struct dbl_value two[] = {dbl_text(""), dbl_text("x")};
	struct sleeper sleeper;
	int64_t answer = -1;

	(void)state;
	begin(&sleeper);
	assert_int_equal(ask(puppet, DBL_OP_ring, DBL_ARGS(two), &answer), 0);
	assert_int_equal(ask(puppet, DBL_OP_migrate_holder, DBL_ARGS(two), &answer), 0);
	assert_int_equal(ask(puppet, DBL_OP_doctor_facts, DBL_ARG(two[0]), &answer), 0);
	end(&sleeper);
	puppet_free(puppet);
}

/* Is a connection there? What cannot be told (2) leaves it in doubt whether a lost request may still
 * come. */
static void whether_one_is_there_is_known(void **state)
{
	struct puppet *puppet = puppet_new(NULL, 600000);
	struct raw *raw = raw_open(NULL);
	struct dbl_value args[2];
	struct sleeper sleeper;
	char since[40];
	int64_t answer = -1;

	(void)state;
	begin(&sleeper);
	snprintf(since, sizeof(since), "%s",
		 raw_text(raw,
			  "SELECT CAST(UNIX_TIMESTAMP(SYSDATE()) - variable_value AS CHAR) "
			  "FROM %s.global_status WHERE variable_name = 'UPTIME'",
			  is_mysql() ? "performance_schema" : "information_schema"));
	args[0] = dbl_int(sleeper.id);
	args[1] = dbl_text(since);
	assert_int_equal(ask(puppet, DBL_OP_backend_state, DBL_ARGS(args), &answer), 0);
	assert_int_equal(answer, 0);
	args[0] = dbl_int(sleeper.id + 1000000);
	assert_int_equal(ask(puppet, DBL_OP_backend_state, DBL_ARGS(args), &answer), 0);
	assert_int_equal(answer, 1);
	end(&sleeper);
	raw_close(raw);
	puppet_free(puppet);
}

static int make_tables(void **state)
{
	(void)state;
	dblock_close(client_new(0), NULL);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_list_of_connections_is_read),
		cmocka_unit_test(whether_one_is_there_is_known),
	};

	return cmocka_run_group_tests(tests, make_tables, NULL);
}
