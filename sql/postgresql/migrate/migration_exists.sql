-- migration_exists: 1 if there is a table (or view) of that name; this causes no error in the server's
-- log.
-- $1 schema  $2 table
SELECT to_regclass(quote_ident($1::text) || '.' || quote_ident($2::text)) IS NOT NULL
