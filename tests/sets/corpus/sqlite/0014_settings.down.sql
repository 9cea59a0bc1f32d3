-- no-transaction
PRAGMA user_version = 0;
