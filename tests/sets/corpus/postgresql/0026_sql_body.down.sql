DROP FUNCTION standard(int), short(int);
DROP PROCEDURE standard_too(int);
