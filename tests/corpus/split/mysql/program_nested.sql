CREATE PROCEDURE p(IN a INT, OUT b INT)
  COMMENT 'it; BEGIN' READS SQL DATA SQL SECURITY INVOKER
BEGIN
  DECLARE i, n INT DEFAULT 0;
  outer_loop: LOOP
    SET i = i + 1;
    IF i > 10 THEN LEAVE outer_loop; ELSEIF i = 5 THEN ITERATE outer_loop; ELSE SET n = n + 1; END IF;
    CASE i
      WHEN 1 THEN BEGIN END;
      WHEN 2 THEN SET n = 2; SET n = 3;
      ELSE
        CASE WHEN n > 1 THEN SET n = 1; ELSE SET n = 0; END CASE;
    END CASE;
    WHILE n > 0 DO
      SET n = n - 1;
      DO SLEEP(0);
    END WHILE;
    REPEAT
      SET n = n + 1;
      IF n > 2 THEN SET n = REPEAT('1', 1); END IF;
    UNTIL n >= CASE WHEN i > 0 THEN 1 ELSE 2 END END REPEAT;
  END LOOP outer_loop;
  SET b = n;
END;
CALL p(1, @b);
