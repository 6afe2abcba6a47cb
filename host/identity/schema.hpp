#pragma once

namespace tenon::data {
class Database;
}

namespace tenon::identity {

/// Makes or brings up to date the tables identity_users, identity_sessions, identity_setup and
/// identity_audit.
void prepare_tables(data::Database& database);

}  // namespace tenon::identity
