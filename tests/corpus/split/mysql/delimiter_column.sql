CREATE TABLE csv (
  id INT,
  delimiter VARCHAR(3) CHECK (
  delimiter = ','),
  quote CHAR(1)
);
SELECT delimiter FROM csv;
SELECT 'x
DELIMITER //
' /*
DELIMITER //
*/; SELECT 2;
