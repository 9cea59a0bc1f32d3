DELIMITER go
SELECT category FROM a
go
