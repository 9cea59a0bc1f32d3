-- What the client of a session knows to do; 0: an older version, which does not look whether a grant of
-- its was taken away. (Version 0.1.0 made the table without this column.)
ALTER TABLE dblock_session ADD COLUMN protocol INTEGER NOT NULL DEFAULT 0;

-- What proves, to others on the machine of a session's client, that its process is dead (src/base/mark.h);
-- empty: nothing does, but time.
ALTER TABLE dblock_session ADD COLUMN mark TEXT NOT NULL DEFAULT '';

-- The histories that this database has had, one after the other. A new one begins when it turns out to be on
-- another server: after a failover, a restore. A client whose last one is not here is on another branch.
CREATE TABLE IF NOT EXISTS dblock_history (
	n     INTEGER NOT NULL PRIMARY KEY, -- the first is 1
	id    TEXT NOT NULL,                -- random
	facts TEXT NOT NULL,                -- what named the server: always empty for a file
	since INTEGER NOT NULL              -- us since 1970
) STRICT;
