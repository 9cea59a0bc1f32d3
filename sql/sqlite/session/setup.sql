-- setup: for each new connection: the schema of a file must not call functions with side effects. The
-- driver sets journal, syncing and waiting, which it needs before the first statement.
PRAGMA trusted_schema = OFF
