/* SPDX-License-Identifier: MIT */
#include "storm/witness.h"

#include <sys/prctl.h>

#include "history/recorder.h"
#include "storm/storm.h"
#include "support/kit.h"

/* The pause between two pieces of work: mostly the machine does nothing for it. */
enum { PAUSE_MS = 10 };

static const char *const table[] = {
	"CREATE TABLE storm_pulse (id INTEGER PRIMARY KEY, n BIGINT NOT NULL)",
	"INSERT INTO storm_pulse VALUES (1, 0)",
};

/* The piece of work writes and commits one row that nobody else wants; it uses no lock of dblock.
 */
static const char work[] = "UPDATE storm_pulse SET n = n + 1 WHERE id = 1";

static bool query(struct dblock_tx *tx, const char *sql)
{
	return dblock_tx_query(tx, sql, NULL, 0, NULL, NULL, NULL, NULL) == DBLOCK_OK;
}

static struct dblock_client *open_client(void)
{
	struct dblock_client *client = NULL;
	struct dblock_tx *tx;

	while (dblock_open(test_url(), NULL, &client, NULL))
		sleep_ms(50);
	if (dblock_tx_open(client, &tx, NULL))
		return client;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		(void)query(tx, table[i]);
	dblock_tx_close(tx);
	return client;
}

/* Works as long as the database answers. */
static void work_on(struct dblock_tx *tx, struct recorder *r, int64_t *done)
{
	for (;;) {
		sleep_ms(PAUSE_MS);
		if (!query(tx, work))
			return;
		record(r, (struct event){.kind = EVENT_PULSE, .before = *done});
		*done = event_now();
	}
}

/* On SQLite the witness has its own file, so that it does not wait for others. */
pid_t witness_start(const char *server)
{
	char url[1100];
	pid_t pid;

	snprintf(url, sizeof(url), "sqlite://%s/pulse.db", test_env("DBLOCK_TEST_TMP"));
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid)
		return pid;
	setenv("DBLOCK_TEST_URL", server ? server : url, 1);
	execl("/proc/self/exe", "storm", "witness", (char *)NULL);
	_exit(127);
}

int witness_run(void)
{
	struct dblock_client *client;
	struct recorder recorder;
	struct dblock_tx *tx;
	int64_t done;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!recorder_open(&recorder, storm_folder(), 0))
		return 1;
	client = open_client();
	done = event_now();
	for (;;) {
		if (dblock_tx_open(client, &tx, NULL)) {
			sleep_ms(PAUSE_MS);
			continue;
		}
		work_on(tx, &recorder, &done);
		dblock_tx_close(tx);
	}
}
