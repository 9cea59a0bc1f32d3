-- migration_table: make the history of migrations: which files were applied to this schema, when
-- and by whom. A row is written before its file is run: it is the claim that makes each file run
-- exactly once.
CREATE TABLE IF NOT EXISTS dblock_migration (
	scope      TEXT NOT NULL,              -- whose files: 'dblock' = the library's own
	version    INTEGER NOT NULL,           -- number of the file
	name       TEXT NOT NULL,              -- its name without number and ending
	state      TEXT NOT NULL CHECK (state IN ('running', 'applied')),
	checksum   TEXT NOT NULL,              -- SHA-256 of the file as it was run
	steps      INTEGER NOT NULL,           -- statements in it,
	step_done  INTEGER NOT NULL DEFAULT 0, -- and how many of them are known to be done
	started    INTEGER NOT NULL,           -- microseconds since 1970-01-01 00:00 UTC
	finished   INTEGER,
	applied_by TEXT NOT NULL,              -- user@host of the process
	PRIMARY KEY (scope, version)
) STRICT, WITHOUT ROWID
