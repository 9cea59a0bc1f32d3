-- migration_table: make the history of migrations: which files were applied to this database, when and by
-- whom, each under the name of its set. A row is written before its file is run: it is the claim that
-- makes each file run exactly once.
CREATE TABLE IF NOT EXISTS dblock_migration (
	scope      TEXT NOT NULL,     -- whose files: 'dblock' = the library's own
	version    INTEGER NOT NULL,  -- number of the file
	name       TEXT NOT NULL,     -- its name without number and ending
	kind       TEXT NOT NULL,     -- 'sql', or 'baseline': it was never run, but taken as done
	state      TEXT NOT NULL,     -- 'applied', or where it stopped: see docs/user/migrations.md
	seq        INTEGER NOT NULL,  -- 1, 2, 3 ...: the order in which they were applied
	checksum   TEXT NOT NULL,     -- SHA-256 of the file as it was run
	token_checksum TEXT NOT NULL, -- 't1:' and the same of its tokens, without comments and blanks
	steps      INTEGER NOT NULL,  -- statements in it,
	step_begun INTEGER NOT NULL,  -- how many of them were sent,
	step_done  INTEGER NOT NULL,  -- and how many are known to be done
	prefix_sum TEXT,              -- sum of the texts of those that are done
	started    INTEGER NOT NULL,  -- microseconds since 1970-01-01 00:00 UTC
	finished   INTEGER,
	applied_by TEXT NOT NULL,     -- user@host (pid) of the process
	tool       TEXT NOT NULL,     -- and its version
	error      TEXT,              -- what the database said when it refused a statement
	PRIMARY KEY (scope, version),
	CHECK (state IN ('applied', 'running', 'failed', 'reverting'))
) STRICT, WITHOUT ROWID
