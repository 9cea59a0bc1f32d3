/*!50001 CREATE TABLE a (id INT /* inner */) */;
