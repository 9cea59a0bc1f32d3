-- What the client of a session knows to do; 0: an older version, which does not look whether a grant of
-- its was taken away. (Version 0.1.0 made the table without this column.)
ALTER TABLE dblock_session ADD COLUMN /*M! IF NOT EXISTS */ protocol SMALLINT NOT NULL DEFAULT 0;

-- What proves, to others on the machine of a session's client, that its process is dead (src/base/mark.h);
-- empty: nothing does, but time.
ALTER TABLE dblock_session ADD COLUMN /*M! IF NOT EXISTS */ mark VARCHAR(176) NOT NULL DEFAULT '';

-- A fence changes the row that carries the grant where a lock on it would not do: on Galera, which certifies
-- changes and no row locks, and in branches of XA transactions, which lose row locks when they are prepared.
ALTER TABLE dblock_lock ADD COLUMN /*M! IF NOT EXISTS */ fenced BIGINT NOT NULL DEFAULT 0;
ALTER TABLE dblock_queue ADD COLUMN /*M! IF NOT EXISTS */ fenced BIGINT NOT NULL DEFAULT 0;

-- The histories that this database has had, one after the other. A new one begins when it turns out to be on
-- another server: after a failover, a restore. A client whose last one is not here is on another branch.
CREATE TABLE IF NOT EXISTS dblock_history (
	n     BIGINT NOT NULL,       -- the first is 1
	id    VARCHAR(32) NOT NULL,  -- random
	facts VARCHAR(255) NOT NULL, -- what named the server: see history_tip
	since BIGINT NOT NULL,       -- us since 1970-01-01 00:00 UTC
	PRIMARY KEY (n)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
