DROP TRIGGER unqualified_gone;
DROP FUNCTION twice;
DROP PROCEDURE whole;
