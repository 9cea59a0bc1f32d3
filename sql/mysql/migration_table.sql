-- migration_table: make the history of migrations: which files were applied to this schema, when
-- and by whom. A row is written before its file is run: MySQL cannot roll a CREATE TABLE back, so
-- a row that says 'running' tells that somebody is at it, or died.
CREATE TABLE IF NOT EXISTS dblock_migration (
	scope      VARCHAR(64) NOT NULL,       -- whose files: 'dblock' = the library's own
	version    BIGINT NOT NULL,            -- number of the file
	name       VARCHAR(200) NOT NULL,      -- its name without number and ending
	state      VARCHAR(9) NOT NULL,        -- 'running' or 'applied'
	checksum   CHAR(64) NOT NULL,          -- SHA-256 of the file as it was run
	steps      BIGINT NOT NULL,            -- statements in it,
	step_done  BIGINT NOT NULL DEFAULT 0,  -- and how many of them are known to be done
	started    BIGINT NOT NULL,            -- microseconds since 1970-01-01 00:00 UTC
	finished   BIGINT NULL,
	applied_by VARCHAR(400) NOT NULL,      -- user@host of the process
	PRIMARY KEY (scope, version),
	CHECK (state IN ('running', 'applied'))
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
