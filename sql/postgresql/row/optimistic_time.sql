-- optimistic_time: a time as a version, exactly, in microseconds since 1970 (the parts are whole numbers,
-- also where extract() is a double); and the next one, which is always later.
pg_catalog.date_part('epoch', pg_catalog.date_trunc('second', :column))::bigint * 1000000
    + pg_catalog.date_part('microseconds', :column)::bigint % 1000000
-- step
GREATEST(pg_catalog.clock_timestamp(), :column + interval '1 microsecond')
-- step
-- Without a zone: as microseconds of the day that it names; the next one is in the session's zone.
pg_catalog.date_part('epoch', pg_catalog.date_trunc('second', :column))::bigint * 1000000
    + pg_catalog.date_part('microseconds', :column)::bigint % 1000000
-- step
GREATEST(pg_catalog.clock_timestamp()::timestamp, :column + interval '1 microsecond')
