-- doctor_connection: which of the server's connections is this, and what does it remember?
SELECT pg_backend_pid()::bigint, nullif(current_setting('dblock.mark', true), '')
