/* SPDX-License-Identifier: MIT */
#include "storm/global/part.h"

#include <dblock/global.h>

#include "api/client.h"
#include "support/kit.h"

static const char *told_path(void)
{
	static char path[1024];

	snprintf(path, sizeof(path), "%s/told", test_env("DBLOCK_TEST_TMP"));
	return path;
}

const char *part_told(void)
{
	static char text[400];
	FILE *file = fopen(told_path(), "r");
	size_t len = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

	text[len] = '\0';
	if (file)
		fclose(file);
	return text;
}

/* It becomes this program once more: neither SQLite nor a client survives a fork. */
pid_t part_start(const struct part *p)
{
	char fate[12], k[12], timeout[24];
	const char *argv[7 + DATABASES_MAX + 1] = {"storm", p->role, fate, p->text, k, timeout};
	pid_t pid;

	snprintf(fate, sizeof(fate), "%d", (int)p->fate);
	snprintf(k, sizeof(k), "%d", p->k);
	snprintf(timeout, sizeof(timeout), "%lld", (long long)p->timeout_ms);
	for (int i = 0; i < p->n; i++)
		argv[6 + i] = p->urls[i];
	unlink(told_path());
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		execv("/proc/self/exe", (char **)(uintptr_t)argv);
		_exit(127);
	}
	return pid;
}

int part_see(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	return status;
}

/* ---- as that process ------------------------------------------------------------------------- */

static void tell(const char *text)
{
	FILE *file = fopen(told_path(), "a");

	if (file) {
		fprintf(file, "%s\n", text);
		fclose(file);
	}
}

static void tell_counted(void)
{
	char text[20];

	snprintf(text, sizeof(text), "%d", fate_counted());
	tell(text);
}

static int begin(struct dblock_client **clients, struct dblock_tx **txs, int n,
		 struct dblock_global **global, struct dblock_error *err)
{
	int rc = 0;

	for (int i = 0; i < n && rc == 0; i++)
		rc = dblock_tx_open(clients[i], &txs[i], err);
	if (rc == 0)
		rc = dblock_global_begin(txs[0], global, err);
	for (int i = 1; i < n && rc == 0; i++)
		rc = dblock_global_join(*global, txs[i], err);
	for (int i = 0; i < n && rc == 0; i++)
		rc = dblock_tx_query(txs[i], "INSERT INTO part (id) VALUES (1)", NULL, 0, NULL,
				     NULL, NULL, err);
	return rc;
}

static int write_all(struct dblock_client **clients, int n, struct dblock_error *err)
{
	struct dblock_tx *txs[DATABASES_MAX] = {NULL};
	struct dblock_global *global = NULL;
	bool asked;
	int rc = begin(clients, txs, n, &global, err);

	asked = rc == 0;
	if (asked)
		rc = dblock_global_commit(global, err);
	dblock_global_close(global);
	for (int i = n; i-- > 0;)
		dblock_tx_close(txs[i]);
	if (rc == DBLOCK_E_UNSURE && asked)
		return PART_UNSURE;
	return rc ? PART_NOT : PART_DONE;
}

static int recover(struct dblock_client **clients, int n, struct dblock_error *err)
{
	struct dblock_recover_options options = DBLOCK_RECOVER_OPTIONS_INIT;

	options.grace_ms = 1;
	return dblock_recover(clients, (size_t)n, &options, NULL, NULL, err) ? PART_NOT : PART_DONE;
}

int part_run(int argc, char **argv)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *clients[DATABASES_MAX];
	struct dblock_error err = {0};
	int n = argc - 6, how;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	options.timeout_ms = atoll(argv[5]);
	options.ttl_ms = DBLOCK_TTL_MAX_MS;
	options.alive_fd = -1; /* who is killed leaves no file */
	for (int i = 0; i < n; i++) {
		if (dbl_client_open(argv[6 + i], &options, fate_env(), &clients[i], &err)) {
			tell(err.message);
			return PART_FAILED;
		}
	}
	fate_arm((enum fate)atoi(argv[2]), argv[3], atoi(argv[4]), told_path());
	how = strcmp(argv[1], "begin") == 0 ? write_all(clients, n, &err)
					    : recover(clients, n, &err);
	if (how == PART_NOT)
		tell(err.message);
	else if (atoi(argv[4]) == 0)
		tell_counted();
	return how;
}
