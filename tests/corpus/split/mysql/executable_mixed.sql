CREATE /*!32302 TEMPORARY */ TABLE a (id INT /*! NOT NULL */, b INT /*M!100100 DEFAULT 1 */);
SELECT /*!40000 1 + */ 1, /*!99999 nonsense */ 2;
