-- Take all of them away, with the fencing tokens: what guards by token must start afresh. Every client that
-- is still open loses its locks.
DROP VIEW IF EXISTS dblock_held, dblock_waits;
DROP TABLE IF EXISTS dblock_suspect;
DROP TABLE IF EXISTS dblock_revocation;
DROP TABLE IF EXISTS dblock_flight;
DROP TABLE IF EXISTS dblock_request;
DROP TABLE IF EXISTS dblock_once;
DROP TABLE IF EXISTS dblock_queue;
DROP TABLE IF EXISTS dblock_floor;
DROP TABLE IF EXISTS dblock_lock;
DROP TABLE IF EXISTS dblock_session;
