-- migrate_unlock: give the right to migrate back.
-- $1 schema  $2 what is migrated there
SELECT pg_advisory_unlock(hashtextextended(quote_ident($1::text) || $2::text, 0))
