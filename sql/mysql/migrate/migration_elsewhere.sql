-- migration_elsewhere: no rows, as another database is another application's. It fails if the history may
-- not be read, and names the right: such a table would not be listed, as if it did not exist.
-- $1 database, '' = the connection's  $2 table
SELECT '' AS place FROM dblock_migration WHERE $1 <> $1 AND $2 <> $2
