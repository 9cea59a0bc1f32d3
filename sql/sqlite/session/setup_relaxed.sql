-- setup_relaxed: for a connection of a client that has not asked for more: a commit need not reach the
-- disk. It survives the end of any process; a crash of the machine may forget the last ones.
PRAGMA synchronous = NORMAL
