-- For tools that send a file as a whole.
CREATE PROCEDURE whole(a INT)
BEGIN
  DECLARE n INT DEFAULT 0;
  one: WHILE n < a DO
    SET n = n + 1;
    IF n = 3 THEN LEAVE one; END IF;
  END WHILE one;
  SELECT CASE n WHEN 1 THEN 'one;' ELSE 'end' END INTO @said;
END;
CREATE FUNCTION twice(a INT) RETURNS INT DETERMINISTIC
BEGIN
  RETURN a * 2;
END;
CALL whole(2);
CREATE TRIGGER unqualified_gone AFTER DELETE ON unqualified FOR EACH ROW
  IF OLD.id > 100 THEN SET @gone = 1; SET @more = 2; END IF;
