-- migrate_state: the server's own word for what a session's statement is at: this database has none.
-- $1 its number
SELECT '' WHERE $1 < 0
