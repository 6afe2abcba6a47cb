#pragma once

namespace tenon::data {
class Database;
}

namespace tenon::identity {

/// Creates or updates the tables identity_users, identity_sessions, identity_setup, identity_audit,
/// identity_groups, identity_members, identity_hosts and identity_proxy_notice.
void prepare_tables(data::Database& database);

}  // namespace tenon::identity
