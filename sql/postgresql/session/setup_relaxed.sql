-- setup_relaxed: for a connection of a client that has asked for it: who sends a request need not wait
-- until it is on the disk. A crash of the server may forget the last of them.
SELECT pg_catalog.set_config('synchronous_commit', 'off', false)
