DROP FUNCTION tables(), "end"(int), begin();
DROP PROCEDURE in_steps(int);
