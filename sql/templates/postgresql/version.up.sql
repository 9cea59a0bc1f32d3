-- Optimistic locking: every update of a row adds one to its version, and changes nothing if the
-- version is not the one that was read. The rows that are there have 0.
-- The default is a constant: PostgreSQL (11 and later) keeps it in its catalogue and rewrites no row,
-- so the table is locked for a moment only, however large it is.
ALTER TABLE {table} ADD COLUMN {column} bigint NOT NULL DEFAULT 0;
