-- migration_table: make the history of migrations: which files were applied to this schema, when
-- and by whom. A row is written before its file is run: it is the claim that makes each file run
-- exactly once.
CREATE TABLE IF NOT EXISTS dblock_migration (
	scope      text COLLATE "C" NOT NULL,  -- whose files: 'dblock' = the library's own
	version    bigint NOT NULL,            -- number of the file
	name       text NOT NULL,              -- its name without number and ending
	state      text NOT NULL CHECK (state IN ('running', 'applied')),
	checksum   text NOT NULL,              -- SHA-256 of the file as it was run
	steps      bigint NOT NULL,            -- statements in it,
	step_done  bigint NOT NULL DEFAULT 0,  -- and how many of them are known to be done
	started    bigint NOT NULL,            -- microseconds since 1970-01-01 00:00 UTC
	finished   bigint,
	applied_by text NOT NULL,              -- user@host of the process
	PRIMARY KEY (scope, version)
)
