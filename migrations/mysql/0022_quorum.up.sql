-- Locks that are held on a majority of several databases (docs/user/quorum.md), of which this may be one.

-- As which member of which cluster this database votes. One row, if any: `dblock quorum init` writes it, and
-- `dblock quorum replace` changes it. Each vote reads it, locked: so no vote is given under an epoch that
-- is over. A copy of this database, restored or promoted, has another history, and does not vote.
CREATE TABLE IF NOT EXISTS dblock_quorum (
	id       BIGINT NOT NULL,   -- 1
	cluster  VARCHAR(63) NOT NULL, -- what the cluster is called,
	identity VARCHAR(32) NOT NULL, -- and a random number of it, in hex
	epoch    BIGINT NOT NULL,   -- grows whenever a member is replaced
	members  BIGINT NOT NULL,   -- how many there are,
	number   BIGINT NOT NULL,   -- and which of them this is, from 1
	state    BIGINT NOT NULL,   -- 0: it is being made a member; 1: it votes; 2: its epoch is closed
	history  VARCHAR(32) NOT NULL, -- the newest of dblock_history when it became a member
	roster   VARCHAR(1024) NOT NULL, -- that of each member, by number, with blanks in between
	max_ttl  BIGINT NOT NULL,   -- no grant lives longer without a heartbeat, nor any lease; in us
	PRIMARY KEY (id)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The largest fencing token that a resource has seen, beside its data, wherever those are: who writes
-- with a token raises the row to it in the same transaction, and a smaller one is too late.
CREATE TABLE IF NOT EXISTS dblock_guard (
	name   VARBINARY(255) NOT NULL, -- of the resource, or of its lock
	token  BIGINT NOT NULL,     -- only grows
	raised BIGINT NOT NULL,     -- when it was, us since 1970-01-01 00:00 UTC
	PRIMARY KEY (name)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

INSERT INTO dblock_event (at, kind, name, token, host, pid, app, session, by_host, by_pid, by_app, detail)
VALUES (CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED), 10, '', 0, '', 0, '', '', '', 0, '',
        'migration 0022_quorum');
