-- migrate_now: the clock that the times of the history are by, in us since the epoch.
SELECT $wall
