-- doctor_clock: the server's clock, in us since the epoch.
SELECT CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)
