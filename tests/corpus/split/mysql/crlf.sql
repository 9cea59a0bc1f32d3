-- from Windows
CREATE TABLE a (
  id INT
);
DELIMITER //
CREATE PROCEDURE p()
BEGIN
  SELECT 1; # one
END//
DELIMITER ;
  SELECT 2;
