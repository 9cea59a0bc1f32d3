USE `shop`;
/*!40000 USE shop */;
use other
CREATE TABLE a (id INT);
