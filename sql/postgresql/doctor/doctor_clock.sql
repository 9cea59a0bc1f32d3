-- doctor_clock: the server's clock, in us since the epoch.
SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
