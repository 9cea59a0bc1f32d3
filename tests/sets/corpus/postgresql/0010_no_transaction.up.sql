-- no-transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS person_name ON person (lower(name));
COMMENT ON INDEX person_name IS 'made; without a transaction';
VACUUM person;
REINDEX INDEX CONCURRENTLY person_name;
