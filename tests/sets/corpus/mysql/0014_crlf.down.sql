DROP PROCEDURE of_windows;
DROP TABLE crlf;
