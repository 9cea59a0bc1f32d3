-- setup_remote: never sent, as no connection of this database can ask for that.
-- $1 ignored
SELECT 0 * $1 AS standby
