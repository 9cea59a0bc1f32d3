-- no-transaction
PRAGMA user_version = 7;
VACUUM;
ANALYZE;
REINDEX customer_name;
