#include "sqlite/connection/authorizer.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <sqlite3.h>
#include <strings.h>

#include "sqlite/schema/change_log_triggers.hpp"

namespace tenon::data::sqlite {

namespace {

bool starts_with(const char* name, std::string_view prefix) noexcept {
  return name != nullptr && strncasecmp(name, prefix.data(), prefix.size()) == 0;
}

bool is_one_of(const char* name, std::initializer_list<const char*> list) noexcept {
  return name != nullptr && std::any_of(list.begin(), list.end(), [&](const char* one) {
           return strcasecmp(name, one) == 0;
         });
}

bool is_hosts_table(const char* name) noexcept {
  return starts_with(name, "tenon_");
}

bool ends_with(const char* name, std::string_view suffix) noexcept {
  return name != nullptr && std::string_view(name).ends_with(suffix);
}

// The tables that FTS5 keeps a search index of the host in. It writes them by statements that look
// like anybody's; SQLite itself refuses those that are (SQLITE_DBCONFIG_DEFENSIVE).
bool is_search_shadow(const char* name) noexcept {
  return is_hosts_table(name) &&
         (ends_with(name, "_search_data") || ends_with(name, "_search_idx") ||
          ends_with(name, "_search_docsize") || ends_with(name, "_search_config"));
}

// Returns whether this is a trigger of the host that queues records for a search index. Plugins
// cannot create a trigger with such a name.
bool keeps_search(const char* table, const char* trigger) noexcept {
  return is_hosts_table(table) && ends_with(table, "_search_queued") && is_hosts_table(trigger);
}

// Indexes that the planner makes; a migration must drop them before it can drop their columns.
bool is_planned_index(const char* name) noexcept {
  return starts_with(name, "tenon_ix_") || starts_with(name, "tenon_ux_");
}

bool is_schema_table(const char* name) noexcept {
  return starts_with(name, "sqlite_");
}

// Virtual tables that give access to raw pages or to data outside the tables of the plugin.
bool is_raw_table(const char* name) noexcept {
  return starts_with(name, "pragma_") ||
         is_one_of(name, {"sqlite_dbpage", "sqlite_stmt", "dbstat"});
}

int deny_unless(bool allowed) noexcept {
  return allowed ? SQLITE_OK : SQLITE_DENY;
}

// Returns the decision that is the same for the statements and the migrations of a plugin; -1:
// none.
int common(int action, const char* first, const char* second) noexcept {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_READ:
      return deny_unless(!is_raw_table(first));
    case SQLITE_FUNCTION:
      return deny_unless(!is_one_of(second, {"load_extension", "fts3_tokenizer"}));
    case SQLITE_PRAGMA:
      // FTS5 asks for it, to see whether another connection has changed the file.
      return deny_unless(is_one_of(first, {"data_version"}) && second == nullptr);
    default:
      return -1;
  }
}

int authorize_confined(int action, const char* first, const char* second,
                       const char* trigger) noexcept {
  if (const int known = common(action, first, second); known >= 0) return known;
  switch (action) {
    case SQLITE_UPDATE:
      // SQLite asks for this when a connection first uses a virtual table, and then does not do it.
      // SQLite itself refuses a statement that writes its schema table.
      if (is_one_of(first, {"sqlite_master"})) return SQLITE_OK;
      [[fallthrough]];
    case SQLITE_INSERT:
    case SQLITE_DELETE:
      if (is_search_shadow(first) || keeps_search(first, trigger)) return SQLITE_OK;
      return deny_unless(!is_hosts_table(first) && !is_schema_table(first) && !is_raw_table(first));
    default:
      return SQLITE_DENY;
  }
}

int authorize_migrating(int action, const char* first, const char* second, const char* database,
                        const char* trigger) noexcept {
  if (const int known = common(action, first, second); known >= 0) return known;
  switch (action) {
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE:
      // Schema changes write sqlite_schema themselves; a statement cannot, writable_schema being
      // off.
      if (keeps_search(first, trigger)) return SQLITE_OK;
      return deny_unless(!is_hosts_table(first) && !is_raw_table(first));
    case SQLITE_CREATE_TABLE:
    case SQLITE_CREATE_VIEW:
    case SQLITE_DROP_TABLE:
    case SQLITE_DROP_VIEW:
    case SQLITE_DROP_VTABLE:
    case SQLITE_REINDEX:
    case SQLITE_ANALYZE:
      return deny_unless(!is_hosts_table(first) && database != nullptr &&
                         strcasecmp(database, "temp") != 0);
    case SQLITE_CREATE_VTABLE:
      return deny_unless(!is_hosts_table(first) && is_one_of(second, {"fts5", "fts5vocab"}));
    case SQLITE_DROP_INDEX:
      return deny_unless(is_planned_index(first) ||
                         (!is_hosts_table(first) && !is_hosts_table(second)));
    case SQLITE_CREATE_INDEX:
    case SQLITE_CREATE_TRIGGER:
    case SQLITE_DROP_TRIGGER:
      return deny_unless(!is_hosts_table(first) && !is_hosts_table(second));
    case SQLITE_ALTER_TABLE:
      return deny_unless(strcasecmp(first, "temp") != 0 && !is_hosts_table(second));
    default:
      return SQLITE_DENY;
  }
}

int authorize_trusted(int action, const char* second) noexcept {
  switch (action) {
    case SQLITE_ATTACH:
    case SQLITE_DETACH:
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT:
      return SQLITE_DENY;
    case SQLITE_FUNCTION:
      return deny_unless(!is_one_of(second, {"load_extension", "fts3_tokenizer"}));
    default:
      return SQLITE_OK;
  }
}

}  // namespace

int authorize(void* context, int action, const char* first, const char* second,
              const char* database, const char* trigger) noexcept {
  // For any statement that fires them: only the host creates triggers with such names.
  const bool is_logged = (action == SQLITE_INSERT || action == SQLITE_DELETE) &&
                         is_one_of(first, {schema::change_log_table}) &&
                         starts_with(trigger, schema::change_log_prefix);
  if (is_logged) return SQLITE_OK;
  auto& watch = *static_cast<Watch*>(context);
  if (action == SQLITE_READ && is_hosts_table(first) && ends_with(first, "_search"))
    watch.reads_search = true;
  switch (watch.access) {
    case Access::confined:
      return authorize_confined(action, first, second, trigger);
    case Access::migrating:
      return authorize_migrating(action, first, second, database, trigger);
    case Access::trusted:
      return authorize_trusted(action, second);
    case Access::internal:
      return action == SQLITE_ATTACH || action == SQLITE_DETACH ? SQLITE_DENY : SQLITE_OK;
  }
  return SQLITE_DENY;
}

}  // namespace tenon::data::sqlite
