-- migrate_now: the clock for the times of the history, in us since 1970.
SELECT $wall
