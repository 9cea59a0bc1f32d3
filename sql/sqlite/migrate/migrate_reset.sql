-- migrate_reset: a user's file begins with the settings of a new connection. There is none that
-- outlives a file: what a file says of references is taken back behind it.
SELECT 1
