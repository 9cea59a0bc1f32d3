-- setup_relaxed: when a commit reaches the disk is a setting of the server's, not of a connection.
DO 0
