--one; before a statement mysql drops it
--two
 --three '
SELECT 1; --four
SELECT 5
--6; --
