-- migrate_lock: ask for the right to migrate, without waiting. 1: this connection has it until it ends.
-- $1 schema  $2 what is migrated there
SELECT pg_try_advisory_lock(hashtextextended(quote_ident($1::text) || $2::text, 0))
