#pragma once

#include <string>
#include <string_view>

namespace tenon::data::postgresql {

/// A migration of a room of the host, which is written once, as PostgreSQL takes it: BIGINT for
/// INTEGER, TEXT COLLATE "C" for TEXT, DOUBLE PRECISION for REAL, BYTEA for BLOB (these words in
/// capitals; a COLLATE that follows stays), without STRICT and WITHOUT ROWID, and a column named
/// user in quotes. Comments, texts and names in quotes stay as they are.
std::string room_migration(std::string_view sql);

}  // namespace tenon::data::postgresql
