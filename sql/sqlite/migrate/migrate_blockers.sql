-- migrate_blockers: who keeps what a statement waits for: this database does not tell.
-- $1 ms waited  $2 the statement
SELECT '' WHERE $1 < 0 AND $2 = ''
