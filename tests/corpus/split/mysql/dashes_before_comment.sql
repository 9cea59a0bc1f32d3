SELECT 5 ----- six
