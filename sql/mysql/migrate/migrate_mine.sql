-- migrate_mine: does this very connection have the right to migrate? Its number, or 0. Behind a proxy the
-- number is not the one from when it was opened; and with Galera each node has such rights of its own.
-- $1 database, '' = the connection's  $2 what is migrated there
SELECT CAST(CASE WHEN IS_USED_LOCK(CONCAT('dblock ', LEFT(SHA2(CONCAT(
	CASE WHEN $1 = '' THEN COALESCE(DATABASE(), '') ELSE $1 END, ' ', $2), 256), 40)))
	= CONNECTION_ID() /*M! AND @@wsrep_on = 0 */ THEN CONNECTION_ID() ELSE 0 END AS SIGNED)
