/*+ BKA() */
DELIMITER //
SELECT /*+ BKA() */ 1//
DELIMITER ;
/*+ BKA() */ SELECT 2;
