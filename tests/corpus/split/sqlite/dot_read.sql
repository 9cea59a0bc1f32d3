.read other.sql
