-- What the file before has set is not set any more.
CREATE TABLE unqualified (id INT PRIMARY KEY AUTO_INCREMENT, at DATETIME DEFAULT '2020-01-02 03:04:05');
INSERT INTO unqualified (id) VALUES (0), (0);
