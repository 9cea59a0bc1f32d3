-- golang-migrate v4.19.1-9-g18966c75, as database/sqlite3/sqlite3.go (and sqlite/sqlite.go) makes it
-- One row only, the version of the newest migration: before each migration the row is replaced by one with
-- dirty = true, after it by one with dirty = false. No row or -1 (with dirty): nothing is applied.

CREATE TABLE IF NOT EXISTS schema_migrations (version uint64,dirty bool);
  CREATE UNIQUE INDEX IF NOT EXISTS version_unique ON schema_migrations (version);

DELETE FROM schema_migrations;
INSERT INTO schema_migrations (version, dirty) VALUES (1, 1);
DELETE FROM schema_migrations;
INSERT INTO schema_migrations (version, dirty) VALUES (1, 0);
DELETE FROM schema_migrations;
INSERT INTO schema_migrations (version, dirty) VALUES (2, 1);
DELETE FROM schema_migrations;
INSERT INTO schema_migrations (version, dirty) VALUES (2, 0);
DELETE FROM schema_migrations;
INSERT INTO schema_migrations (version, dirty) VALUES (3, 1);
DELETE FROM schema_migrations;
INSERT INTO schema_migrations (version, dirty) VALUES (3, 0);
