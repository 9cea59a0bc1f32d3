-- migration_scopes: how many applications have a history here.
SELECT count(DISTINCT scope) FROM dblock_migration WHERE scope <> 'dblock'
