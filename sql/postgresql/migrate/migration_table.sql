-- migration_table: make the history of migrations: which files were applied to this database, when and by
-- whom, each under the name of its set. A row is written before its file is run: it is the claim that
-- makes each file run exactly once.
CREATE TABLE IF NOT EXISTS dblock_migration (
	scope      text COLLATE "C" NOT NULL,  -- whose files: 'dblock' = the library's own
	version    bigint NOT NULL,            -- number of the file
	name       text NOT NULL,              -- its name without number and ending
	kind       text NOT NULL,              -- 'sql', or 'baseline': it was never run, but taken as done
	state      text NOT NULL,              -- 'applied', or where it stopped: see docs/user/migrations.md
	seq        bigint NOT NULL,            -- 1, 2, 3 ...: the order in which they were applied
	checksum   text NOT NULL,              -- SHA-256 of the file as it was run
	token_checksum text NOT NULL,          -- 't1:' and the same of its tokens, without comments and blanks
	steps      bigint NOT NULL,            -- statements in it,
	step_begun bigint NOT NULL,            -- how many of them were sent,
	step_done  bigint NOT NULL,            -- and how many are known to be done
	prefix_sum text,                       -- sum of the texts of those that are done
	started    bigint NOT NULL,            -- microseconds since 1970-01-01 00:00 UTC
	finished   bigint,
	applied_by text NOT NULL,              -- user@host (pid) of the process
	tool       text NOT NULL,              -- and its version
	error      text,                       -- what the database said when it refused a statement
	PRIMARY KEY (scope, version),
	CHECK (state IN ('applied', 'running', 'failed', 'reverting'))
)
