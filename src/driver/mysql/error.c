/* SPDX-License-Identifier: MIT */
#include "driver/mysql/error.h"

#include <stddef.h>

#include <dblock/error.h>

/* What an error tells of the statement, and of the connection. */
enum fate {
	REFUSED, /* the server said no: certainly not carried out; the connection goes on */
	GONE,    /* certainly not carried out, and the connection cannot be used any more */
	LOST,    /* no answer, or one that does not tell whether it was carried out */
};

static const struct meaning {
	unsigned native;
	enum fate fate;
	int code; /* if LOST: unless it may have written, then it is E_UNSURE */
} meanings[] = {
	/* Somebody else has a lock. 1205 undoes only the statement: the transaction stays open,
	 * with its locks. 1213 has rolled all of it back. */
	{1205, REFUSED, DBLOCK_E_BLOCKED}, /* lock wait timeout */
	/* As 1205, for the lock of AUTO_INCREMENT; or no numbers are left. */
	{1467, REFUSED, DBLOCK_E_BLOCKED},
	{3572, REFUSED, DBLOCK_E_BLOCKED},  /* NOWAIT (MySQL; MariaDB says 1205) */
	{1213, REFUSED, DBLOCK_E_CONFLICT}, /* deadlock; certification failure (Galera) */
	{3101, REFUSED, DBLOCK_E_CONFLICT}, /* MySQL: certification failure (group replication) */
	{1020, REFUSED, DBLOCK_E_CONFLICT}, /* record has changed since last read */
	{1412, REFUSED, DBLOCK_E_CONFLICT}, /* table definition has changed */
	{1615, REFUSED, DBLOCK_E_CONFLICT}, /* prepared statement needs to be prepared again */

	/* Stopped by a time limit of the server, or by KILL QUERY. */
	{1317, REFUSED, DBLOCK_E_NO_ANSWER},
	{1969, REFUSED, DBLOCK_E_NO_ANSWER}, /* MariaDB: max_statement_time */
	{3024, REFUSED, DBLOCK_E_NO_ANSWER}, /* MySQL: max_execution_time */

	/* The tables. */
	{1051, REFUSED, DBLOCK_E_SCHEMA},
	{1054, REFUSED, DBLOCK_E_SCHEMA},
	{1136, REFUSED, DBLOCK_E_SCHEMA}, /* number of columns */
	{1146, REFUSED, DBLOCK_E_SCHEMA},
	{1347, REFUSED, DBLOCK_E_SCHEMA}, /* a view where a table is meant, or the reverse */
	{1356, REFUSED, DBLOCK_E_SCHEMA}, /* a view of tables that are gone */
	{1364, REFUSED, DBLOCK_E_SCHEMA}, /* a column that we do not know has no default */
	{1366, REFUSED, DBLOCK_E_SCHEMA}, /* a value of the wrong type for its column */
	{1932, REFUSED, DBLOCK_E_SCHEMA}, /* MariaDB: no such table in the engine */

	/* Permission. */
	{1044, REFUSED, DBLOCK_E_DENIED},
	{1045, REFUSED, DBLOCK_E_DENIED},
	{1095, REFUSED, DBLOCK_E_DENIED}, /* somebody else's connection cannot be killed */
	{1130, REFUSED, DBLOCK_E_DENIED}, /* this host may not connect */
	{1142, REFUSED, DBLOCK_E_DENIED},
	{1143, REFUSED, DBLOCK_E_DENIED},
	{1227, REFUSED, DBLOCK_E_DENIED},
	{1251, REFUSED, DBLOCK_E_DENIED}, /* old client, new way to log in */
	{1370, REFUSED, DBLOCK_E_DENIED},
	{1524, REFUSED, DBLOCK_E_DENIED}, /* plugin for logging in: not installed */
	{1698, REFUSED, DBLOCK_E_DENIED},
	{1820, REFUSED, DBLOCK_E_DENIED}, /* password has to be changed */
	{1862, REFUSED, DBLOCK_E_DENIED}, /* password expired */
	{2058, GONE, DBLOCK_E_DENIED},    /* plugin for logging in: more than one of a name */
	{2059, GONE, DBLOCK_E_DENIED},    /* ... not to be loaded */
	{2061, GONE, DBLOCK_E_DENIED},    /* ... cannot be loaded */
	{3118, REFUSED, DBLOCK_E_DENIED}, /* MySQL: account locked */
	{3159, REFUSED, DBLOCK_E_DENIED}, /* MySQL: only over TLS */
	{3955, REFUSED, DBLOCK_E_DENIED}, /* MySQL: account locked, too many wrong passwords */
	{4150, REFUSED, DBLOCK_E_DENIED}, /* MariaDB: the same */
	{4151, REFUSED, DBLOCK_E_DENIED}, /* MariaDB: account locked */

	/* The server or its disk. */
	{1036, REFUSED, DBLOCK_E_READONLY},
	{1290, REFUSED, DBLOCK_E_READONLY}, /* --read-only */
	{1792, REFUSED, DBLOCK_E_READONLY}, /* read-only transaction */
	{1836, REFUSED, DBLOCK_E_READONLY},
	{1874, REFUSED, DBLOCK_E_READONLY},
	{1881, REFUSED, DBLOCK_E_READONLY}, /* innodb_force_recovery */
	{3989, REFUSED, DBLOCK_E_READONLY}, /* MySQL: ALTER SCHEMA ... READ ONLY */
	{1021, REFUSED, DBLOCK_E_FULL},
	{1114, REFUSED, DBLOCK_E_FULL},
	{1206, REFUSED, DBLOCK_E_FULL},  /* table of locks */
	{1461, REFUSED, DBLOCK_E_FULL},  /* max_prepared_stmt_count */
	{1037, REFUSED, DBLOCK_E_NOMEM}, /* memory of the server, not ours */
	{1038, REFUSED, DBLOCK_E_NOMEM},
	{1041, REFUSED, DBLOCK_E_NOMEM},
	{1049, REFUSED, DBLOCK_E_INVALID}, /* unknown database */

	/* No connection can be had. */
	{1040, GONE, DBLOCK_E_UNAVAILABLE}, /* too many connections */
	{1129, GONE, DBLOCK_E_UNAVAILABLE}, /* host blocked after errors */
	{1135, GONE, DBLOCK_E_UNAVAILABLE}, /* server cannot start a thread */
	{1203, GONE, DBLOCK_E_UNAVAILABLE}, /* too many connections of this user */
	{1226, GONE, DBLOCK_E_UNAVAILABLE}, /* this user's limits */
	{2002, GONE, DBLOCK_E_UNAVAILABLE},
	{2003, GONE, DBLOCK_E_UNAVAILABLE},
	{2005, GONE, DBLOCK_E_UNAVAILABLE},
	{3032, GONE, DBLOCK_E_UNAVAILABLE}, /* MySQL: offline_mode; */
	{6400, GONE, DBLOCK_E_UNAVAILABLE}, /* with a reason */

	/* A connection was lost. A proxy may have put another server behind it (1243). */
	{1047, GONE, DBLOCK_E_UNAVAILABLE}, /* Galera: not in the primary component */
	{1243, GONE, DBLOCK_E_UNAVAILABLE}, /* unknown prepared statement */
	{2056, GONE, DBLOCK_E_UNAVAILABLE}, /* statement closed with its connection */
	{3796, GONE, DBLOCK_E_UNAVAILABLE}, /* group replication: not ONLINE, */
	{3797, GONE, DBLOCK_E_UNAVAILABLE}, /* or has not caught up in time */
	{3798, GONE, DBLOCK_E_UNAVAILABLE},
	{3799, GONE, DBLOCK_E_UNAVAILABLE},
	{4031, GONE, DBLOCK_E_UNAVAILABLE}, /* MySQL: was idle too long */
	{1053, LOST, DBLOCK_E_UNAVAILABLE}, /* server is shutting down */
	{1180, LOST, DBLOCK_E_UNAVAILABLE}, /* error during COMMIT */
	{1927, LOST, DBLOCK_E_UNAVAILABLE}, /* MariaDB: connection was killed */
	{2006, LOST, DBLOCK_E_UNAVAILABLE},
	{2013, LOST, DBLOCK_E_UNAVAILABLE},
	{2026, LOST, DBLOCK_E_UNAVAILABLE}, /* TLS, while connecting or later */
	{2055, LOST, DBLOCK_E_UNAVAILABLE},
	{3100, LOST, DBLOCK_E_UNAVAILABLE}, /* group replication: what the others have is unknown */
	{3169, LOST, DBLOCK_E_UNAVAILABLE}, /* MySQL: session was killed */

	/* The client library's complaints about its caller. */
	{1153, GONE, DBLOCK_E_BUG}, /* from the server: a larger packet than it takes */
	{2008, GONE, DBLOCK_E_NOMEM},
	{2014, GONE, DBLOCK_E_BUG}, /* commands out of sync */
	{2020, REFUSED, DBLOCK_E_BUG},
	{2030, REFUSED, DBLOCK_E_BUG},
	{2031, REFUSED, DBLOCK_E_BUG},
	{2034, REFUSED, DBLOCK_E_BUG},
	{2036, REFUSED, DBLOCK_E_BUG},
};

/* The server's codes begin at 1000; the client libraries have 2000 to 2999 and, MariaDB's, 5000 to
 * 5999. The server's network errors (1156 to 1161: packets that it could not read or write) tell
 * nothing about the statement. */
static bool is_server(unsigned native)
{
	if (native >= 1156 && native <= 1161)
		return false;
	return (native >= 1000 && native < 2000) || (native >= 3000 && native < 5000) ||
	       native >= 6000;
}

static struct meaning find(unsigned native)
{
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++) {
		if (meanings[i].native == native)
			return meanings[i];
	}
	if (is_server(native))
		return (struct meaning){native, REFUSED, DBLOCK_E_BUG};
	return (struct meaning){native, LOST, DBLOCK_E_UNAVAILABLE};
}

struct dbl_mysql_verdict dbl_mysql_judge(unsigned native, bool writes)
{
	struct meaning m = find(native);
	struct dbl_mysql_verdict verdict = {
		.code = m.code, .lost = m.fate == LOST, .broken = m.fate != REFUSED};

	if (verdict.lost && writes)
		verdict.code = DBLOCK_E_UNSURE;
	return verdict;
}

bool dbl_mysql_is_read_only(unsigned native)
{
	return native == 1290 || native == 1836;
}
