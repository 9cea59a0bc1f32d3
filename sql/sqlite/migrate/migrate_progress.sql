-- migrate_progress: what a session's statement is at: this database does not tell.
-- $1 its number
SELECT '' WHERE $1 < 0
