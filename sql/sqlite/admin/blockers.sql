-- blockers: who may have a row of the lock table locked in an open transaction: on SQLite that is the
-- whole file. So the row is one for a table: 1; but a file does not tell who. ($1 and $2 are for other
-- databases.)
SELECT 1, 'another connection has the database file, in an open transaction that writes' WHERE $1 = $1 AND $2 = $2
