-- migration_exists: 1 if there is a table (or view) of that name.
-- $1 schema: none here  $2 table
SELECT count(*) FROM sqlite_master WHERE $1 = '' AND name = $2 COLLATE NOCASE
                                     AND type IN ('table', 'view')
