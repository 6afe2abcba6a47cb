#include "postgresql/roles/room_migration.hpp"

#include <gtest/gtest.h>

namespace tenon::data::postgresql {
namespace {

TEST(RoomMigrationTest, TypesAndOptionsOfTables) {
  EXPECT_EQ(
      room_migration("CREATE TABLE a(i INTEGER, t TEXT NOT NULL, r REAL, b BLOB) STRICT;"),
      "CREATE TABLE a(i BIGINT, t TEXT COLLATE \"C\" NOT NULL, r DOUBLE PRECISION, b BYTEA) ;");
  EXPECT_EQ(room_migration("CREATE TABLE a(i INTEGER PRIMARY KEY) STRICT, WITHOUT ROWID;"),
            "CREATE TABLE a(i BIGINT PRIMARY KEY)   ;");
  EXPECT_EQ(room_migration("UPDATE a SET i = 1, t = 2"), "UPDATE a SET i = 1, t = 2");
}

TEST(RoomMigrationTest, WhatIsPostgresqlAlreadyStays) {
  const char* sql = "CREATE TABLE a(i BIGINT, t TEXT COLLATE \"C\", u TEXT\n COLLATE \"C\")";
  EXPECT_EQ(room_migration(sql), sql);
}

TEST(RoomMigrationTest, AColumnNamedUserIsQuoted) {
  EXPECT_EQ(room_migration("CREATE INDEX by_user ON a(user, user_id, \"user\")"),
            "CREATE INDEX by_user ON a(\"user\", user_id, \"user\")");
}

TEST(RoomMigrationTest, CommentsAndTextsStay) {
  for (const char* sql : {"-- the user's TEXT is no INTEGER", "SELECT 'TEXT of a user''s BLOB'",
                          "SELECT \"TEXT\"", "SELECT 'TEXT", "-- TEXT\n", "integer text", ""})
    EXPECT_EQ(room_migration(sql), sql);
  EXPECT_EQ(room_migration("-- user's\nTEXT 'it''s TEXT' TEXT"),
            "-- user's\nTEXT COLLATE \"C\" 'it''s TEXT' TEXT COLLATE \"C\"");
}

}  // namespace
}  // namespace tenon::data::postgresql
