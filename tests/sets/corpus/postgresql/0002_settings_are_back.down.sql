DROP TABLE unqualified;
