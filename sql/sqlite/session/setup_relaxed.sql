-- setup_relaxed: for each connection of a client that has asked for no more: a commit need not reach the
-- disk. The end of any process loses nothing; a crash of the machine may lose the last commits.
PRAGMA synchronous = NORMAL
