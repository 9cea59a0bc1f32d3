-- migration_table: make the history of migrations: which files were applied to this database, when and by
-- whom, each under the name of its set. A row is written before its file is run: it is the claim that
-- makes each file run exactly once.
CREATE TABLE IF NOT EXISTS dblock_migration (
	scope      VARCHAR(64) NOT NULL,   -- whose files: 'dblock' = the library's own
	version    BIGINT NOT NULL,        -- number of the file
	name       VARCHAR(200) NOT NULL,  -- its name without number and ending
	kind       VARCHAR(8) NOT NULL,    -- 'sql', or 'baseline': it was never run, but taken as done
	state      VARCHAR(9) NOT NULL,    -- 'applied', or where it stopped: see docs/user/migrations.md
	seq        BIGINT NOT NULL,        -- 1, 2, 3 ...: the order in which they were applied
	checksum   CHAR(64) NOT NULL,      -- SHA-256 of the file as it was run
	token_checksum CHAR(67) NOT NULL,  -- 't1:' and the same of its tokens, without comments and blanks
	steps      BIGINT NOT NULL,        -- statements in it,
	step_begun BIGINT NOT NULL,        -- how many of them were sent,
	step_done  BIGINT NOT NULL,        -- and how many are known to be done
	prefix_sum CHAR(64),               -- sum of the texts of those that are done
	started    BIGINT NOT NULL,        -- microseconds since 1970-01-01 00:00 UTC
	finished   BIGINT,
	applied_by VARCHAR(400) NOT NULL,  -- user@host (pid) of the process
	tool       VARCHAR(40) NOT NULL,   -- and its version
	error      VARCHAR(1000),          -- what the database said when it refused a statement
	PRIMARY KEY (scope, version),
	CHECK (state IN ('applied', 'running', 'failed', 'reverting'))
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
