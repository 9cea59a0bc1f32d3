-- setup_relaxed: for each connection of a client that has asked for no more: a commit need not reach the
-- disk. The end of any process loses nothing; a crash of the machine may lose the last commits.
PRAGMA synchronous = NORMAL
-- step
-- setup_relaxed: and what SQLite puts aside while it carries out a statement (for RETURNING, for UPDATE ..
-- FROM, for taking a statement back) is kept in memory. In a temporary file it has a page cache each time,
-- of 87 KB, which malloc() takes from the kernel and gives back. No transaction of the caller's, and no
-- migration, which may put aside much, is on such a connection.
PRAGMA temp_store = MEMORY
