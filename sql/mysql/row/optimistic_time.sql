-- optimistic_time: a time as a version, exactly, in microseconds since 1970: for a TIMESTAMP column this
-- is what is stored, whatever the session's zone is. Then the next one, which is always later, and which
-- LAST_INSERT_ID() returns.
CAST(UNIX_TIMESTAMP(:column) * 1000000 AS SIGNED)
-- step
FROM_UNIXTIME(LAST_INSERT_ID(GREATEST(
    CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED),
    CAST(UNIX_TIMESTAMP(:column) * 1000000 AS SIGNED) + 1)) * 0.000001)
-- step
-- Without a zone: as microseconds of the day that it names; the next one is in the session's zone.
TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', :column)
-- step
TIMESTAMP'1970-01-01 00:00:00' + INTERVAL LAST_INSERT_ID(GREATEST(
    TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', NOW(6)),
    TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', :column) + 1)) MICROSECOND
