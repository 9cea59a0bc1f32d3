-- setup_autocommit: for a connection of the caller's transactions: each is begun by a statement that says so. The rest is as
-- the server, or the user's init_connect, has it.
SET autocommit = 1
