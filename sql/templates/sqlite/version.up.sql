-- Optimistic locking: every update of a row adds one to its version, and changes nothing if the
-- version is not the one that was read. The rows that are there have 0.
-- The default is a constant: SQLite keeps it in the schema and rewrites no row.
ALTER TABLE {table} ADD COLUMN {column} INTEGER NOT NULL DEFAULT 0;
