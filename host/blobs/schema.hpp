#pragma once

namespace tenon::data {
class Database;
}

namespace tenon::blobs {

/// Makes the room's tables in the host's database. Throws what data::migrate_room throws.
void make_tables(data::Database& database);

}  // namespace tenon::blobs
