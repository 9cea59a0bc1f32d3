-- doctor_clock: a file has no clock.
SELECT NULL
