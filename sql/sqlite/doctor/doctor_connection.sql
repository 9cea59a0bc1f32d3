-- doctor_connection: there is no proxy between a file and its reader.
SELECT NULL, NULL
