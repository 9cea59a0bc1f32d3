-- Transactions over several databases (docs/user/transactions.md).

-- In the database that decides, their home: what was decided. The row of a commit goes when all databases have done it;
-- that of an abort stays, so that nobody who was only slow commits it afterwards.
CREATE TABLE IF NOT EXISTS dblock_decision (
	id      VARBINARY(16) NOT NULL,
	state   SMALLINT NOT NULL,  -- 1: it is committed, 2: it is not
	parts   BIGINT NOT NULL,    -- so many branches in other databases
	history VARCHAR(32) NOT NULL, -- of this database, when it was decided
	since   BIGINT NOT NULL,    -- when that was, us since 1970-01-01 00:00 UTC
	PRIMARY KEY (id)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- In the others: a branch of one writes its name here, so that whoever sees it knows that the branch has committed.
CREATE TABLE IF NOT EXISTS dblock_branch (
	xid   VARBINARY(128) NOT NULL,
	since BIGINT NOT NULL,      -- us since 1970-01-01 00:00 UTC
	PRIMARY KEY (xid)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

INSERT INTO dblock_event (at, kind, name, token, host, pid, app, session, by_host, by_pid, by_app, detail)
VALUES (CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED), 10, '', 0, '', 0, '', '', '', 0, '',
        'migration 0024_global');
