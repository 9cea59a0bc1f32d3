CREATE TABLE executed (
  id INT /*!50000 UNSIGNED */ NOT NULL /*!40101 DEFAULT '1' */,
  a VARCHAR(20)
) /*!40100 DEFAULT CHARACTER SET utf8mb4 */;
/*!50001 CREATE VIEW executed_view AS SELECT `id`, ';' AS `a;` FROM `executed` */;
INSERT /*! INTO */ executed VALUES (1, 'x');
INSERT INTO executed VALUES (2, 'y');
