-- blockers: who may hold a row of the lock table in an open transaction: on SQLite, the whole file.
SELECT 'another connection that is writing to the database file'
