-- setup_autocommit: never sent: a transaction begins where a statement says so, and nowhere else.
SELECT 0
