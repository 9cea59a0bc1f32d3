-- Transactions over several databases (docs/user/transactions.md).

-- In the database that decides, their home: what was decided. The row of a commit goes when all databases have done it;
-- that of an abort stays, so that nobody who was only slow commits it afterwards.
CREATE TABLE IF NOT EXISTS dblock_decision (
	id      text COLLATE "C" PRIMARY KEY CHECK (octet_length(id) = 16),
	state   smallint NOT NULL,  -- 1: it is committed, 2: it is not
	parts   bigint NOT NULL,    -- so many branches in other databases
	history text NOT NULL,      -- of this database, when it was decided
	since   bigint NOT NULL     -- when that was, us since 1970-01-01 00:00 UTC
);

-- In the others: a branch of one writes its name here, so that whoever sees it knows that the branch has committed.
CREATE TABLE IF NOT EXISTS dblock_branch (
	xid   text COLLATE "C" PRIMARY KEY CHECK (octet_length(xid) BETWEEN 57 AND 128),
	since bigint NOT NULL       -- us since 1970-01-01 00:00 UTC
);

INSERT INTO dblock_event (at, kind, name, token, host, pid, app, session, by_host, by_pid, by_app, detail)
VALUES ((extract(epoch FROM clock_timestamp()) * 1000000)::bigint, 10, '', 0, '', 0, '', '', '', 0, '',
        'migration 0024_global');
