DROP PROCEDURE handlers;
DROP TRIGGER unqualified_new;
