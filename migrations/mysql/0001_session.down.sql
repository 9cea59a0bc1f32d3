-- Take the sessions away. Every client that is still open loses its locks.
DROP TABLE IF EXISTS dblock_session;
