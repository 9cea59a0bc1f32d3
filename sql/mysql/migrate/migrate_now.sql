-- migrate_now: the clock that the times of the history are by, in us since the epoch.
SELECT CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)
