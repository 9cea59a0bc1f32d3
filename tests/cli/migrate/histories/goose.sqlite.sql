-- goose v3.27.3, as internal/dialects/sqlite3.go makes it
-- With the table comes the row of version 0 (migrate.go, createVersionTable); it is no migration. A down
-- deletes the rows of its version. Goose of old days inserted one with is_applied = false instead: of the
-- rows of a version the one with the highest id counts.

CREATE TABLE goose_db_version (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		version_id INTEGER NOT NULL,
		is_applied INTEGER NOT NULL,
		tstamp TIMESTAMP DEFAULT (datetime('now'))
	);

INSERT INTO goose_db_version (version_id, is_applied) VALUES (0, 1);
INSERT INTO goose_db_version (version_id, is_applied) VALUES (1, 1);
INSERT INTO goose_db_version (version_id, is_applied) VALUES (2, 1);
INSERT INTO goose_db_version (version_id, is_applied) VALUES (3, 1);
