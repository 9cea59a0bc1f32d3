-- database_alone: all goes into the file itself, and -wal and -shm are deleted; fails while others have it open.
PRAGMA journal_mode = DELETE
