-- database_alone: all goes into the file itself, and -wal and -shm are deleted; fails while others have it open.
-- Nobody else reads or writes it from then on, until the connection is closed.
PRAGMA locking_mode = EXCLUSIVE
-- step
PRAGMA journal_mode = DELETE
