-- setup_relaxed: nothing to set, as the server's setting, and no connection's, decides when a commit is
-- on disk.
DO 0
