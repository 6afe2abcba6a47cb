#pragma once

namespace tenon::data {
class Database;
}

namespace tenon::plugins {

/// Makes the room's tables in the host's database: which plugins are enabled, their settings,
/// the keyring, and what was installed from packages.
/// Call it once before anything else of the room. Throws what data::migrate_room throws.
void make_host_tables(data::Database& database);

}  // namespace tenon::plugins
