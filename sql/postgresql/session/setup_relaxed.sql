-- setup_relaxed: for each connection of a client that has asked for it: a commit is answered before it is
-- on disk. A crash of the server may lose the last ones.
SELECT pg_catalog.set_config('synchronous_commit', 'off', false)
