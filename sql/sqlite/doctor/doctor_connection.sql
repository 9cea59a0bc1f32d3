-- doctor_connection: nobody stands between a file and its reader.
SELECT NULL, NULL
