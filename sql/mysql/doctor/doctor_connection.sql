-- doctor_connection: which of the server's connections is this, and what does it remember?
SELECT CAST(CONNECTION_ID() AS SIGNED), NULLIF(@doctor_mark, '')
