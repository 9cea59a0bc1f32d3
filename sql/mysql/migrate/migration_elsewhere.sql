-- migration_elsewhere: nowhere, for another database's are another application's. It fails where the history
-- may not be read, and names the right: such a table is not listed, as if it were not there.
-- $1 database, '' = the connection's  $2 table
SELECT '' AS place FROM dblock_migration WHERE $1 <> $1 AND $2 <> $2
