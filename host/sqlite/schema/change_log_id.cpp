#include "sqlite/schema/change_log_id.hpp"

#include <cerrno>
#include <memory>

#include <sqlite3.h>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "data/files/atomic_file_writer.hpp"

namespace tenon::data::sqlite {

namespace {

struct Close {
  void operator()(sqlite3* database) const noexcept { sqlite3_close(database); }
};
using OpenedFile = std::unique_ptr<sqlite3, Close>;

void run(const OpenedFile& database, const std::string& path, const std::string& sql) {
  const int code = sqlite3_exec(database.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code == SQLITE_OK) return;
  throw file_error((code & 0xff) == SQLITE_FULL ? ENOSPC : EIO,
                   path + " cannot be prepared (" + sqlite3_errmsg(database.get()) + ")");
}

bool has_log(const OpenedFile& database) {
  sqlite3_stmt* statement = nullptr;
  const bool is_there =
      sqlite3_prepare_v2(database.get(), "SELECT 1 FROM tenon_meta WHERE name = 'log'", -1,
                         &statement, nullptr) == SQLITE_OK &&
      sqlite3_step(statement) == SQLITE_ROW;
  sqlite3_finalize(statement);
  return is_there;
}

}  // namespace

void reset_change_log_id(const std::string& path) {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READWRITE, nullptr);
  const OpenedFile database(opened);
  if (code != SQLITE_OK) throw file_error(EIO, path + " cannot be opened");
  sqlite3_db_config(database.get(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database.get(), SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  if (!has_log(database)) return;
  run(database, path, "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF");
  run(database, path, "UPDATE tenon_meta SET value = '" + base::new_id() + "' WHERE name = 'log'");
}

}  // namespace tenon::data::sqlite
