-- Optimistic locking: every update of a row adds one to its version, and changes nothing if the
-- version is not the one that was read. The rows that are there have 0.
-- A column with a constant default at the end of the table is added at once, in the dictionary only
-- (MySQL 8.0.12, MariaDB 10.3, and later), where the table's format admits that. To have it refused
-- where the table would be copied instead, put `, ALGORITHM = INSTANT` before the `;`.
ALTER TABLE {table} ADD COLUMN {column} BIGINT NOT NULL DEFAULT 0;
