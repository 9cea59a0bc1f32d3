-- Locks that are held on a majority of several databases (docs/user/quorum.md).

-- As which member of which cluster a database votes. A file never does: it is on one machine, as its users
-- are. So this table stays empty.
CREATE TABLE IF NOT EXISTS dblock_quorum (
	id       INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
	cluster  TEXT NOT NULL,     -- what the cluster is called,
	identity TEXT NOT NULL,     -- and a random number of it, in hex
	epoch    INTEGER NOT NULL,  -- grows whenever a member is replaced
	members  INTEGER NOT NULL,  -- how many there are,
	number   INTEGER NOT NULL,  -- and which of them this is, from 1
	state    INTEGER NOT NULL,  -- 0: it is being made a member; 1: it votes; 2: its epoch is closed
	history  TEXT NOT NULL,     -- the newest of dblock_history when it became a member
	roster   TEXT NOT NULL,     -- that of each member, by number, with blanks in between
	max_ttl  INTEGER NOT NULL   -- no grant lives longer without a heartbeat, nor any lease; in us
) STRICT;

-- The largest fencing token that a resource has seen, beside its data, wherever those are: who writes
-- with a token raises the row to it in the same transaction, and a smaller one is too late.
CREATE TABLE IF NOT EXISTS dblock_guard (
	name   TEXT NOT NULL PRIMARY KEY CHECK (length(CAST(name AS BLOB)) BETWEEN 1 AND 255), -- of the resource
	token  INTEGER NOT NULL,    -- only grows
	raised INTEGER NOT NULL     -- when it was, us since 1970-01-01 00:00 UTC
) STRICT, WITHOUT ROWID;

INSERT INTO dblock_event (at, kind, name, token, host, pid, app, session, by_host, by_pid, by_app, detail)
VALUES (CAST(strftime('%s', 'now') AS INTEGER) * 1000000, 10, '', 0, '', 0, '', '', '', 0, '',
        'migration 0022_quorum');
