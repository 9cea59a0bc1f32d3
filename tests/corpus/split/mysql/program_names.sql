CREATE TABLE a (`begin` INT, `end` INT, `if` INT, x INT);
CREATE PROCEDURE p()
BEGIN
  SELECT a.begin, a.end, `end`, `begin` FROM a ORDER BY CASE WHEN x THEN 1 ELSE 2 END FOR UPDATE;
  SET @end = 1, @begin := 2, @if = 3;
  SELECT @end, end FROM a;
  INSERT INTO a (`begin`, x) VALUES (1, (SELECT (CASE WHEN 1 THEN 2 END)));
END;
CALL p();
