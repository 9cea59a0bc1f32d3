/* SPDX-License-Identifier: MIT */
/* The findings that follow from facts, also from facts of servers that no test has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "doctor/facts.h"

enum { NONE = -1 };

static const struct expected {
	const char *fact, *value;
	int severity; /* NONE: there is no finding */
	const char *topic;
} all[] = {
	{"postgresql", "11.22", DBLOCK_FINDING_WRONG, "server"},
	{"postgresql", "12.0", DBLOCK_FINDING_OK, "server"},
	{"postgresql", "15.8 (Debian 15.8-0)", DBLOCK_FINDING_OK, "server"},
	{"postgresql", "9.6.24", DBLOCK_FINDING_WRONG, "server"},
	{"postgresql", "18beta1", DBLOCK_FINDING_OK, "server"},
	{"mariadb", "10.5.99-MariaDB", DBLOCK_FINDING_WRONG, "server"},
	{"mariadb", "10.6.0-MariaDB-log", DBLOCK_FINDING_OK, "server"},
	{"mariadb", "10.11.6-MariaDB", DBLOCK_FINDING_OK, "server"},
	{"mariadb", "11.4.2-MariaDB", DBLOCK_FINDING_OK, "server"},
	{"mysql", "8.0.21", DBLOCK_FINDING_WRONG, "server"},
	{"mysql", "8.0.22", DBLOCK_FINDING_OK, "server"},
	{"mysql", "5.7.44-log", DBLOCK_FINDING_WRONG, "server"},
	{"mysql", "9.7.4", DBLOCK_FINDING_OK, "server"},
	{"sqlite", "3.36.0", DBLOCK_FINDING_WRONG, "server"},
	{"sqlite", "3.40.1", DBLOCK_FINDING_OK, "server"},
	{"in_recovery", "on", DBLOCK_FINDING_WRONG, "writable"},
	{"in_recovery", "off", DBLOCK_FINDING_OK, "writable"},
	{"super_read_only", "ON", DBLOCK_FINDING_WRONG, "writable"},
	{"super_read_only", "OFF", NONE, ""},
	{"read_only", "ON", DBLOCK_FINDING_WARNING, "writable"},
	{"read_only", "NO_LOCK_NO_ADMIN", DBLOCK_FINDING_WARNING, "writable"},
	{"read_only", "OFF", DBLOCK_FINDING_OK, "writable"},
	{"follows", "db1:3306", DBLOCK_FINDING_OK, "writable"},
	{"group_primary", "db1:3306", DBLOCK_FINDING_OK, "writable"},
	{"group_cut_off", "2 of 3", DBLOCK_FINDING_WRONG, "writable"},
	{"offline_mode", "ON", DBLOCK_FINDING_WARNING, "writable"},
	{"offline_mode", "OFF", NONE, ""},
	{"default_transaction_read_only", "on", DBLOCK_FINDING_OK, "writable"},
	{"default_transaction_read_only", "off", NONE, ""},
	{"may_create", "off", DBLOCK_FINDING_OK, "rights"},
	{"may_create", "on", DBLOCK_FINDING_OK, "rights"},
	{"may_interrupt", "off", DBLOCK_FINDING_OK, "wakeups"},
	{"may_interrupt", "on", DBLOCK_FINDING_OK, "wakeups"},
	{"may_interrupt", "role", DBLOCK_FINDING_OK, "wakeups"},
	{"isolation", "SERIALIZABLE", DBLOCK_FINDING_OK, "isolation"},
	{"fsync", "off", DBLOCK_FINDING_WARNING, "durability"},
	{"fsync", "on", DBLOCK_FINDING_OK, "durability"},
	{"full_page_writes", "off", DBLOCK_FINDING_WARNING, "durability"},
	{"full_page_writes", "on", NONE, ""},
	{"synchronous_commit", "remote_apply", DBLOCK_FINDING_OK, "durability"},
	{"innodb_flush_log_at_trx_commit", "0", DBLOCK_FINDING_WARNING, "durability"},
	{"innodb_flush_log_at_trx_commit", "1", DBLOCK_FINDING_OK, "durability"},
	{"innodb_flush_log_at_trx_commit", "2", DBLOCK_FINDING_WARNING, "durability"},
	{"innodb_flush_log_at_trx_commit", "3", DBLOCK_FINDING_OK, "durability"},
	{"innodb_flush_method", "fsync", NONE, ""},
	{"innodb_flush_method", "nosync", DBLOCK_FINDING_WARNING, "durability"},
	{"innodb_flush_method", "littlesync", DBLOCK_FINDING_WARNING, "durability"},
	{"innodb_doublewrite", "OFF", DBLOCK_FINDING_WARNING, "durability"},
	{"innodb_doublewrite", "DETECT_ONLY", DBLOCK_FINDING_WARNING, "durability"},
	{"innodb_doublewrite", "DETECT_AND_RECOVER", NONE, ""},
	{"innodb_doublewrite", "ON", NONE, ""},
	{"log_bin", "OFF", DBLOCK_FINDING_OK, "durability"},
	{"log_bin", "ON", NONE, ""},
	{"sync_binlog", "0", DBLOCK_FINDING_WARNING, "durability"},
	{"sync_binlog", "100", DBLOCK_FINDING_WARNING, "durability"},
	{"sync_binlog", "1", DBLOCK_FINDING_OK, "durability"},
	{"journal_mode", "wal", DBLOCK_FINDING_OK, "durability"},
	{"journal_mode", "delete", DBLOCK_FINDING_WRONG, "durability"},
	{"synchronous", "2", DBLOCK_FINDING_OK, "durability"},
	{"synchronous", "3", DBLOCK_FINDING_OK, "durability"},
	{"synchronous", "1", DBLOCK_FINDING_OK, "durability"},
	{"synchronous", "0", DBLOCK_FINDING_WRONG, "durability"},
	{"binlog_format", "STATEMENT", DBLOCK_FINDING_WRONG, "settings"},
	{"binlog_format", "MIXED", NONE, ""},
	{"sysdate_is_now", "ON", DBLOCK_FINDING_WARNING, "settings"},
	{"sysdate_is_now", "OFF", NONE, ""},
	{"replication", "none", DBLOCK_FINDING_OK, "failover"},
	{"replication", "synchronous", DBLOCK_FINDING_OK, "failover"},
	{"replication", "asynchronous", DBLOCK_FINDING_WARNING, "failover"},
	{"replication", "awaited", DBLOCK_FINDING_WRONG, "failover"},
	{"replication", "unseen", DBLOCK_FINDING_OK, "failover"},
	{"replicas", "none", DBLOCK_FINDING_OK, "failover"},
	{"replicas", "unknown", DBLOCK_FINDING_OK, "failover"},
	{"replicas", "AFTER_SYNC", DBLOCK_FINDING_OK, "failover"},
	{"replicas", "AFTER_COMMIT", DBLOCK_FINDING_OK, "failover"},
	{"replicas", "fallen", DBLOCK_FINDING_WARNING, "failover"},
	{"replicas", "async", DBLOCK_FINDING_WARNING, "failover"},
	{"semi_sync_wait", "10000 ms", DBLOCK_FINDING_OK, "failover"},
	{"follows_and_writes", "db1:3306", DBLOCK_FINDING_WARNING, "failover"},
	{"wsrep_on", "ON", DBLOCK_FINDING_WARNING, "failover"},
	{"wsrep_on", "OFF", NONE, ""},
	{"wsrep_cluster_size", "2", DBLOCK_FINDING_WARNING, "failover"},
	{"wsrep_cluster_size", "3", DBLOCK_FINDING_OK, "failover"},
	{"wsrep_cluster_size", "10", DBLOCK_FINDING_OK, "failover"},
	{"group_replication_single_primary_mode", "ON", DBLOCK_FINDING_OK, "failover"},
	{"group_replication_single_primary_mode", "OFF", DBLOCK_FINDING_WARNING, "failover"},
	{"group_replication_consistency", "EVENTUAL", DBLOCK_FINDING_WARNING, "failover"},
	{"group_replication_consistency", "AFTER", DBLOCK_FINDING_OK, "failover"},
	{"group_replication_unreachable_majority_timeout", "0", DBLOCK_FINDING_OK, "failover"},
	{"group_replication_unreachable_majority_timeout", "20", NONE, ""},
	{"group_state", "ONLINE", NONE, ""},
	{"group_state", "ERROR", DBLOCK_FINDING_WARNING, "failover"},
	{"nobody asked", "x", NONE, ""},
};

static void add(struct dbl_facts *facts, const char *name, const char *value)
{
	struct dbl_fact *fact = &facts->facts[facts->n++];

	snprintf(fact->name, sizeof(fact->name), "%s", name);
	snprintf(fact->value, sizeof(fact->value), "%s", value);
}

static void check(const struct expected *e)
{
	struct dbl_facts facts = {.n = 0};
	const struct dbl_fact *fact;
	const struct dbl_rule *rule;
	char text[512];
	size_t at = 0;

	add(&facts, e->fact, e->value);
	rule = dbl_rule_next(&facts, &at, &fact);
	if ((rule ? (int)rule->severity : NONE) != e->severity)
		fail_msg("%s = %s", e->fact, e->value);
	if (!rule)
		return;
	assert_string_equal(rule->topic, e->topic);
	dbl_rule_text(rule, fact, text, sizeof(text));
	assert_string_not_equal(text, "");
	assert_null(strstr(text, "{}"));
	/* Only a finding that is not good has a remedy. */
	assert_int_equal(rule->remedy[0] == '\0', rule->severity == DBLOCK_FINDING_OK);
	/* Each fact has one finding. */
	assert_null(dbl_rule_next(&facts, &at, &fact));
}

static void each_fact_has_its_finding(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		check(&all[i]);
}

static void the_order_is_that_of_the_rules(void **unused)
{
	struct dbl_facts facts = {.n = 0};
	const struct dbl_fact *fact;
	const struct dbl_rule *rule;
	size_t at = 0;
	char text[512];

	(void)unused;
	add(&facts, "wsrep_on", "ON");
	add(&facts, "isolation", "serializable");
	add(&facts, "mariadb", "10.11.6");
	rule = dbl_rule_next(&facts, &at, &fact);
	dbl_rule_text(rule, fact, text, sizeof(text));
	assert_string_equal(text, "MariaDB 10.11.6");
	rule = dbl_rule_next(&facts, &at, &fact);
	dbl_rule_text(rule, fact, text, sizeof(text));
	assert_string_equal(text, "the default is serializable; dblock's own transactions are READ "
				  "COMMITTED");
	rule = dbl_rule_next(&facts, &at, &fact);
	assert_string_equal(rule->topic, "failover");
	assert_null(dbl_rule_next(&facts, &at, &fact));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_fact_has_its_finding),
		cmocka_unit_test(the_order_is_that_of_the_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
