/* SPDX-License-Identifier: MIT */
/* Tests use a table as a work queue. */
#include "db/row/rows.h"

static struct dblock_client *client;

enum { JOBS = 48, COLUMNS = 2 };

static const char *const job_key[] = {"lane", "id"};
static const char *const job_columns[] = {"state", "note"};

static struct dblock_rows_wanted jobs_wanted(unsigned limit)
{
	struct dblock_rows_wanted wanted = DBLOCK_ROWS_WANTED_INIT;

	wanted.table = "job";
	wanted.key = job_key;
	wanted.n_key = 2;
	wanted.columns = job_columns;
	wanted.n_columns = COLUMNS;
	wanted.where = "state = 'open' -- and what else there is";
	wanted.limit = limit;
	return wanted;
}

struct jobs {
	int64_t ids[JOBS];
	int n;
	int stop_with; /* what the second call of the callback returns */
};

static int keep_job(void *arg, const struct dblock_value *row, size_t n)
{
	struct jobs *jobs = arg;

	if (n != 2 + COLUMNS || row[0].type != DBLOCK_INT || row[1].type != DBLOCK_INT ||
	    row[2].type != DBLOCK_TEXT || row[2].len != 4 || memcmp(row[2].text, "open", 4) != 0 ||
	    row[3].type != DBLOCK_NULL)
		return -99;
	if (jobs->n > 0 && jobs->stop_with)
		return jobs->stop_with;
	jobs->ids[jobs->n++] = row[0].i * 100 + row[1].i;
	return 0;
}

static int take_jobs(struct dblock_tx *tx, unsigned limit, struct jobs *jobs,
		     struct dblock_error *err)
{
	struct dblock_rows_wanted wanted = jobs_wanted(limit);
	int64_t taken = 77;
	int rc;

	jobs->n = 0;
	rc = dblock_rows_take(tx, &wanted, keep_job, jobs, &taken, err);
	assert_int_equal(taken, rc == 0 ? jobs->n : 0);
	return rc;
}

static void fill(void)
{
	struct dblock_tx *tx = tx_begin(client);
	char sql[100];

	tx_exec(tx, "DELETE FROM job");
	for (int i = 0; i < JOBS; i++) {
		snprintf(sql, sizeof(sql), "INSERT INTO job VALUES (%d, %d, 'open', NULL)", i / 10,
			 i % 10);
		tx_exec(tx, sql);
	}
	tx_commit(tx);
}

/* Naive: SELECT ... LIMIT 1 FOR UPDATE: the second caller waits for the first. */
static void each_gets_others_in_order(void **state)
{
	struct dblock_tx *tx = tx_begin(client), *other;
	struct dblock_error err = {0};
	struct jobs jobs = {.n = 0};

	(void)state;
	expect(OK, take_jobs(tx, 3, &jobs, &err));
	assert_int_equal(jobs.n, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(jobs.ids[i], i);
	if (!on_backend("sqlite")) {
		other = tx_begin(client);
		expect(OK, take_jobs(other, 2, &jobs, &err));
		assert_int_equal(jobs.ids[0], 3);
		assert_int_equal(jobs.ids[1], 4);
		/* No other row is locked. Naive on MySQL: the rows that were passed by are locked,
		 * or all. */
		assert_int_equal(rows_free(client, "job"), JOBS - 5);
		tx_rollback(other);
	}
	tx_exec(tx, "UPDATE job SET state = 'done' WHERE lane = 0 AND id < 2");
	tx_commit(tx);
	tx = tx_begin(client);
	expect(OK, take_jobs(tx, 1, &jobs, &err));
	assert_int_equal(jobs.ids[0], 2);
	tx_rollback(tx);
}

/* Others have locked more rows than are read at once; rows are taken in the order of both columns.
 */
static void those_behind_many_are_found(void **state)
{
	struct dblock_tx *tx = tx_begin(client), *other;
	struct dblock_error err = {0};
	struct jobs jobs = {.n = 0};

	(void)state;
	expect(OK, take_jobs(tx, 43, &jobs, &err));
	assert_int_equal(jobs.n, 43);
	for (int i = 0; i < 43; i++)
		assert_int_equal(jobs.ids[i], i / 10 * 100 + i % 10);
	if (!on_backend("sqlite")) {
		other = tx_begin(client);
		expect(OK, take_jobs(other, 10, &jobs, &err));
		assert_int_equal(jobs.n, 5);
		assert_int_equal(jobs.ids[0], 403);
		expect(GONE,
		       dblock_rows_lock(
			       other,
			       &(struct dblock_rows){
				       "job", job_key, 2,
				       (struct dblock_value[]){dblock_int(9), dblock_int(9)}, 1},
			       NULL, &err));
		tx_rollback(other);
	}
	tx_exec(tx, "UPDATE job SET state = 'done'");
	expect(GONE, take_jobs(tx, 1, &jobs, &err));
	message_has("no row that nobody else has locked");
	assert_int_equal(dblock_tx_state_of(tx), DBLOCK_TX_OPEN);
	tx_rollback(tx);
}

static void a_condition_has_values(void **state)
{
	struct dblock_value values[] = {dblock_text("open"), dblock_int(2)};
	struct dblock_rows_wanted wanted = jobs_wanted(2);
	struct dblock_tx *tx = tx_begin(client);
	struct dblock_error err = {0};
	struct jobs jobs = {.n = 0};

	(void)state;
	wanted.where = "state = $1 AND lane >= $2 OR state = 'nosuch'";
	wanted.values = values;
	wanted.n_values = 2;
	expect(OK, dblock_rows_take(tx, &wanted, keep_job, &jobs, NULL, &err));
	assert_int_equal(jobs.n, 2);
	assert_int_equal(jobs.ids[0], 200);
	tx_rollback(tx);
}

/* Naive: rows stay locked that were handed to a caller who refused them. */
static void what_is_refused_is_given_back(void **state)
{
	struct dblock_tx *tx = tx_begin(client);
	struct dblock_error err = {0};
	struct jobs jobs = {.stop_with = DBLOCK_E_BLOCKED};

	(void)state;
	assert_int_equal(take_jobs(tx, 5, &jobs, &err), DBLOCK_E_BLOCKED);
	assert_int_equal(dblock_tx_state_of(tx), DBLOCK_TX_OPEN);
	if (on_backend("postgresql"))
		assert_int_equal(rows_free(client, "job"), JOBS);
	tx_rollback(tx);
}

static void bad_calls_are_told(void **state)
{
	struct dblock_rows_wanted wanted = jobs_wanted(1);
	struct dblock_tx *tx = tx_open(client);
	struct dblock_error err = {0};
	struct jobs jobs = {.n = 0};

	(void)state;
	expect(E_INVALID, dblock_rows_take(tx, &wanted, keep_job, &jobs, NULL, &err));
	message_has("no transaction is open");
	expect(OK, dblock_tx_begin(tx, NULL, &err));
	expect(E_INVALID, dblock_rows_take(tx, &wanted, NULL, &jobs, NULL, &err));
	expect(E_INVALID, dblock_rows_take(tx, NULL, keep_job, &jobs, NULL, &err));
	wanted.n_values = 61;
	expect(E_INVALID, dblock_rows_take(tx, &wanted, keep_job, &jobs, NULL, &err));
	wanted.n_values = 0;
	wanted.where = "nosuch = 1";
	expect(E_SCHEMA, dblock_rows_take(tx, &wanted, keep_job, &jobs, NULL, &err));
	wanted.where = "state = ) OR (";
	expect(E_REFUSED, dblock_rows_take(tx, &wanted, keep_job, &jobs, NULL, &err));
	expect(OK, take_jobs(tx, 1, &jobs, &err));
	tx_rollback(tx);
}

/* ---- many workers ---------------------------------------------------------------------------- */

static _Atomic int done[JOBS], problems, empty_handed;

static int do_job(void *arg, struct dblock_tx *tx, struct dblock_error *err)
{
	struct jobs *jobs = arg;
	struct dblock_value id[2];
	int rc = take_jobs(tx, 1, jobs, err);

	if (rc)
		return rc;
	id[0] = dblock_int(jobs->ids[0] / 100);
	id[1] = dblock_int(jobs->ids[0] % 100);
	return dblock_tx_query(tx, "UPDATE job SET state = 'done' WHERE lane = $1 AND id = $2", id,
			       2, NULL, NULL, NULL, err);
}

static void *work(void *arg)
{
	struct dblock_tx_options options = DBLOCK_TX_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct jobs jobs = {.n = 0};
	int rc;

	(void)arg;
	options.retry_ms = PLENTY_MS;
	while ((rc = dblock_tx_run(client, &options, do_job, &jobs, &err)) == DBLOCK_OK)
		done[jobs.ids[0] / 100 * 10 + jobs.ids[0] % 100]++;
	if (rc != DBLOCK_GONE)
		note_problem(&problems, "work", &err);
	empty_handed++;
	return NULL;
}

static void each_job_is_done_once(void **state)
{
	struct crew crew = {.n = 0};

	(void)state;
	for (int i = 0; i < 4; i++)
		crew_add(&crew, work, NULL);
	crew_join(&crew);
	assert_int_equal(problems, 0);
	assert_int_equal(empty_handed, 4);
	for (int i = 0; i < JOBS; i++)
		assert_int_equal(done[i], 1);
}

static int set_up(void **state)
{
	struct dblock_tx *tx;

	(void)state;
	client = client_new(0);
	tx = tx_open(client);
	tx_exec(tx, on_backend("mysql")
			    ? "CREATE TABLE job (lane INT NOT NULL, id INT NOT NULL, state "
			      "VARCHAR(10) NOT NULL, note TEXT, PRIMARY KEY (lane, id)) "
			      "ENGINE=InnoDB"
			    : "CREATE TABLE job (lane INT NOT NULL, id INT NOT NULL, state "
			      "VARCHAR(10) NOT NULL, note TEXT, PRIMARY KEY (lane, id))");
	dblock_tx_close(tx);
	return 0;
}

static int fill_again(void **state)
{
	(void)state;
	fill();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	dblock_close(client, NULL);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(each_gets_others_in_order, fill_again),
		cmocka_unit_test_setup(those_behind_many_are_found, fill_again),
		cmocka_unit_test_setup(a_condition_has_values, fill_again),
		cmocka_unit_test_setup(what_is_refused_is_given_back, fill_again),
		cmocka_unit_test_setup(bad_calls_are_told, fill_again),
		cmocka_unit_test_setup(each_job_is_done_once, fill_again),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
