-- doctor_clock: the server's clock, in us since the epoch.
SELECT $wall
