-- written on Windows
CREATE TABLE a (
	id int
);

  SELECT 'a
b;' ; SELECT 2
