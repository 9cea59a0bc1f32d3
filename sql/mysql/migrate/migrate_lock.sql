-- migrate_lock: ask for the right to migrate, without waiting. 1: this connection has it until it ends.
-- The name counts for the whole server, and is short: so it is a hash of all that matters.
-- $1 database, '' = the connection's  $2 what is migrated there
SELECT COALESCE(GET_LOCK(CONCAT('dblock ', LEFT(SHA2(CONCAT(
	CASE WHEN $1 = '' THEN COALESCE(DATABASE(), '') ELSE $1 END, ' ', $2), 256), 40)), 0), 0)
