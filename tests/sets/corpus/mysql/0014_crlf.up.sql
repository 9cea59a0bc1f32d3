CREATE TABLE crlf (
  id INT, -- ; here
  a VARCHAR(20) DEFAULT 'one line' # and here
);

INSERT INTO crlf (id) VALUES (1);
DELIMITER //
CREATE PROCEDURE of_windows()
BEGIN
  SELECT 1;
END//
DELIMITER ;
/* two
lines; */
CALL of_windows();
