/* SPDX-License-Identifier: MIT */
#include "storm/quorum/members.h"

#include <dblock/quorum.h>

#include "storm/storm.h"
#include "support/raw.h"
#include "support/several.h"

static const char *kind_of(int m)
{
	if (m == RESTORED)
		return several_third_kind();
	return m == AHEAD ? "postgresql" : "mariadb";
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Without which the test would prove nothing about clocks. */
static void expect_ahead(void)
{
	struct raw *raw = raw_open_url(several_url(AHEAD), NULL);
	int64_t there = raw_int(raw, "SELECT extract(epoch FROM clock_timestamp())::bigint");

	raw_close(raw);
	assert_true(there - time(NULL) > 23 * 3600);
}

static void make_cluster(void)
{
	const char *all[MEMBERS] = {several_url(0), several_url(1), several_url(2)};
	struct dblock_quorum_options cluster = DBLOCK_QUORUM_OPTIONS_INIT;
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};

	options.timeout_ms = PLENTY_MS;
	options.ttl_ms = cluster.max_ttl_ms = TTL_MS;
	cluster.allow_forgetful = true;
	expect(OK, dblock_quorum_init(all, MEMBERS, "storm", &cluster, &options, &err));
}

void members_start(void)
{
	struct several members[MEMBERS] = {{NULL, NULL}};

	for (int m = 0; m < MEMBERS; m++)
		members[m].kind = kind_of(m);
	members[AHEAD].preload = DAY_AHEAD;
	several_start(members, MEMBERS);
	expect_ahead();
	make_cluster();
}

/* ---- the one that is restored ---------------------------------------------------------------- */

static void run_in_folder(const char *command)
{
	char line[2048];

	snprintf(line, sizeof(line), "set -e; cd \"$(cat '%s/server/folder')\"; %s",
		 several_folder(RESTORED), command);
	if (system(line)) /* NOLINT */
		fail_msg("%s failed", line);
}

void member_copy(void)
{
	run_in_folder("rm -rf copy; cp -a data copy");
}

/* PostgreSQL begins another timeline after a recovery from an archive, here an empty one. MySQL's number of the
 * server is no part of its backups. */
void member_restore(void)
{
	run_in_folder("rm -rf data; cp -a copy data");
	if (strcmp(kind_of(RESTORED), "postgresql") == 0)
		run_in_folder(
			"cp -p data/PG_VERSION data/recovery.signal; rm -f data/postmaster.pid; "
			"echo \"restore_command = 'false'\" >>data/postgresql.conf");
	else
		run_in_folder("rm data/auto.cnf");
}

void member_replace(void)
{
	const char *all[MEMBERS] = {several_url(0), several_url(1), several_url(2)};
	struct dblock_replace_options replace = DBLOCK_REPLACE_OPTIONS_INIT;
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};

	options.timeout_ms = PLENTY_MS;
	options.ttl_ms = TTL_MS;
	replace.allow_forgetful = true;
	expect(OK, dblock_quorum_replace(all, MEMBERS, RESTORED + 1, &replace, &options, &err));
}
