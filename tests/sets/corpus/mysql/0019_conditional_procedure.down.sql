DROP INDEX of_id ON crlf;
