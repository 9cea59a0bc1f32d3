-- Transactions over several databases (docs/user/transactions.md).

-- In the database that decides, their home: what was decided. The row of a commit goes when all databases have done it;
-- that of an abort stays, so that nobody who was only slow commits it afterwards.
CREATE TABLE IF NOT EXISTS dblock_decision (
	id      TEXT NOT NULL PRIMARY KEY CHECK (length(id) = 16),
	state   INTEGER NOT NULL, -- 1: it is committed, 2: it is not
	parts   INTEGER NOT NULL, -- so many branches in other databases
	history TEXT NOT NULL,    -- of this database, when it was decided
	since   INTEGER NOT NULL  -- when that was, us since 1970-01-01 00:00 UTC
) STRICT, WITHOUT ROWID;

-- In the others (SQLite is home only; the table is there as in other databases): a branch of one writes its name here, so that whoever sees it knows that the branch has committed.
CREATE TABLE IF NOT EXISTS dblock_branch (
	xid   TEXT NOT NULL PRIMARY KEY,
	since INTEGER NOT NULL    -- us since 1970-01-01 00:00 UTC
) STRICT, WITHOUT ROWID;

INSERT INTO dblock_event (at, kind, name, token, host, pid, app, session, by_host, by_pid, by_app, detail)
VALUES (CAST(strftime('%s', 'now') AS INTEGER) * 1000000, 10, '', 0, '', 0, '', '', '', 0, '',
        'migration 0024_global');
