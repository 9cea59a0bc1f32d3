-- setup: for each new connection: a foreign file's schema may not call functions with side
-- effects. Journal, syncing and waiting are set by the driver, which needs them before the first
-- statement.
PRAGMA trusted_schema = OFF
