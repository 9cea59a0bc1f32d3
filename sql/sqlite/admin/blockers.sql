-- blockers: who may hold a row of the lock table in an open transaction: on SQLite, the whole file.
-- So it is as a table: 1; and who it is, which a file does not tell. ($1 and $2 are for other databases.)
SELECT 1, 'another connection has the database file, in an open transaction that writes' WHERE $1 = $1 AND $2 = $2
