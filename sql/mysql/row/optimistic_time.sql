-- optimistic_time: a time as a version. In microseconds since 1970, exactly: of a TIMESTAMP column
-- this is what is stored, in whatever zone the session is. And the next one, which is later than this
-- in any case, and which LAST_INSERT_ID() then tells.
CAST(UNIX_TIMESTAMP(:column) * 1000000 AS SIGNED)
-- step
FROM_UNIXTIME(LAST_INSERT_ID(GREATEST(
    CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED),
    CAST(UNIX_TIMESTAMP(:column) * 1000000 AS SIGNED) + 1)) * 0.000001)
-- step
-- Without a zone: as microseconds of whatever day it says; the next is of the session's zone.
TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', :column)
-- step
TIMESTAMP'1970-01-01 00:00:00' + INTERVAL LAST_INSERT_ID(GREATEST(
    TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', NOW(6)),
    TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', :column) + 1)) MICROSECOND
