-- Locks that are held on a majority of several databases (docs/user/quorum.md), of which this may be one.

-- As which member of which cluster this database votes. One row, if any: `dblock quorum init` writes it, and
-- `dblock quorum replace` changes it. Each vote reads it, locked: so no vote is given under an epoch that
-- is over. A copy of this database, restored or promoted, has another history, and does not vote.
CREATE TABLE IF NOT EXISTS dblock_quorum (
	id       smallint PRIMARY KEY CHECK (id = 1),
	cluster  text NOT NULL,     -- what the cluster is called,
	identity text NOT NULL,     -- and a random number of it, in hex
	epoch    bigint NOT NULL,   -- grows whenever a member is replaced
	members  bigint NOT NULL,   -- how many there are,
	number   bigint NOT NULL,   -- and which of them this is, from 1
	state    bigint NOT NULL,   -- 0: it is being made a member; 1: it votes; 2: its epoch is closed
	history  text NOT NULL,     -- the newest of dblock_history when it became a member
	roster   text NOT NULL,     -- that of each member, by number, with blanks in between
	max_ttl  bigint NOT NULL    -- no grant lives longer without a heartbeat, nor any lease; in us
);

-- The largest fencing token that a resource has seen, beside its data, wherever those are: who writes
-- with a token raises the row to it in the same transaction, and a smaller one is too late.
CREATE TABLE IF NOT EXISTS dblock_guard (
	name   text COLLATE "C" PRIMARY KEY
	       CHECK (octet_length(name) BETWEEN 1 AND 255), -- of the resource, or of its lock
	token  bigint NOT NULL,     -- only grows
	raised bigint NOT NULL      -- when it was, us since 1970-01-01 00:00 UTC
)
WITH (fillfactor = 50);

INSERT INTO dblock_event (at, kind, name, token, host, pid, app, session, by_host, by_pid, by_app, detail)
VALUES ((extract(epoch FROM clock_timestamp()) * 1000000)::bigint, 10, '', 0, '', 0, '', '', '', 0, '',
        'migration 0022_quorum');
