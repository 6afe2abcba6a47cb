#include "app/server/host_storage.hpp"

#include <chrono>
#include <filesystem>

#include "app/commands/command_line.hpp"
#include "app/server/binding.hpp"
#include "app/supervisor/termination.hpp"
#include "base/error.hpp"
#include "data/database.hpp"
#include "data/files/space_reserve.hpp"
#include "data/sql_error.hpp"
#include "data_copy/data_copy.hpp"
#include "observability/log.hpp"
#include "postgresql/client/server.hpp"
#include "postgresql/client/server_check.hpp"
#include "postgresql/roles/host_lock.hpp"

namespace tenon::app {

using data::Fault;
namespace pg = data::postgresql;

namespace {

constexpr std::chrono::seconds look_every{2};

base::Error of_another_engine(const std::string& message) {
  return {409, "app.data_of_another_engine", message};
}

base::Error unfinished(const std::string& what) {
  return {409, "app.copy_unfinished",
          what +
              " holds a copy of an installation that is not complete. Run the same `tenon data "
              "copy` again; it continues where it stopped."};
}

}  // namespace

HostStorage::HostStorage(const config::Settings& settings)
    : data_(settings.data),
      path_(settings.data + "/tenon.db"),
      url_(settings.database),
      name_(url_.empty() ? path_ : pg::shown_url(url_)) {}

HostStorage::~HostStorage() {
  unwatch();
}

data::DatabaseOptions HostStorage::options_alone() {
  data::DatabaseOptions options;
  options.confinement = data::Confinement::host();
  if (!is_file()) {
    if (!claim_) claim_ = lock_database(url_);
    pg::Server server(url_);
    options.postgresql = server.host_schema();
    bind_directory(server.installation());
    return options;
  }
  // Its rows speak of files that are here; those of an empty one would be swept away.
  if (is_being_copied_into(data_)) throw unfinished(path_);
  if (is_bound(data_)) {
    throw of_another_engine("The data directory " + data_ +
                            " belongs to a database of PostgreSQL (its file `database` says so). "
                            "Name that with --database, or another directory with --data.");
  }
  options.path = path_;
  options.check_bytes = data::checked_file_bytes;
  return options;
}

data::DatabaseOptions HostStorage::options() {
  data::DatabaseOptions options = options_alone();
  if (is_file()) {
    reserve_ = std::make_shared<data::SpaceReserve>(data_ + "/space-reserve");
    options.reserve = reserve_;
  }
  options.on_fault = [this](Fault fault, std::string_view, std::string_view reason) {
    handle_fault(fault, reason);
  };
  return options;
}

std::unique_ptr<pg::HostLock> lock_database(const std::string& url) {
  const std::string name = pg::shown_url(url);
  for (const base::Error& obstacle : pg::obstacles(pg::ask_server(url))) {
    throw base::Error(obstacle.status(), obstacle.code(), name + ": " + obstacle.message());
  }
  try {
    return std::make_unique<pg::HostLock>(url);
  } catch (const data::SqlError&) {
    throw;
  } catch (const base::Error& error) {
    throw base::Error(error.status(), error.code(), name + ": " + error.message());
  }
}

void HostStorage::bind_directory(const pg::Installation& installation) {
  if (!installation.copy_state.empty() && installation.copy_state != console::is_complete)
    throw unfinished(name_);
  const std::string bound = bound_database(data_);
  // Files of SQLite next to it remain from the engine that it had before.
  if (bound == installation.id) return;
  // An empty one is what a loss of power left.
  if (!bound.empty()) {
    throw of_another_engine("The data directory " + data_ + " belongs to another database than " +
                            name_ + ": its file `database` names the installation " + bound +
                            ", not " + installation.id +
                            ". Files of plugins would be lost. Name the database that it belongs "
                            "to, or another directory with --data.");
  }
  if (std::filesystem::exists(path_)) {
    throw of_another_engine("The data directory " + data_ +
                            " holds an installation on SQLite (tenon.db). Move it by `tenon data "
                            "copy`, name another with --data, or leave --database away.");
  }
  bind_to_database(data_, installation.id);
}

void HostStorage::watch(data::Database& database) {
  if (is_file()) return;
  watcher_ =
      std::make_unique<base::PeriodicTask>(look_every, [this, &database] { look(database); });
  watcher_->start();
}

void HostStorage::unwatch() noexcept {
  watcher_.reset();
}

void HostStorage::look(data::Database& database) {
  const auto state = claim_->refresh();
  if (state == pg::HostLock::State::taken) {
    observability::log_error("another server uses the host's database now, stopping",
                             {{"database", name_}, {"code", "data.in_use"}});
    Termination::request(exit_refused);
    return;
  }
  const bool is_away = state == pg::HostLock::State::away;
  if (is_away_.exchange(is_away) != is_away) {
    if (is_away) {
      observability::log_error("the server of the host's database cannot be reached",
                               {{"database", name_}, {"code", "data.connection_lost"}});
    } else {
      observability::log_info("the server of the host's database is back", {{"database", name_}});
    }
  }
  if (is_away || now_.load(std::memory_order_relaxed) == Fault::healed) return;
  try {
    // The engine takes a fault for over when a write succeeds.
    database.exec("DELETE FROM tenon_migrations WHERE number < 0");
  } catch (const base::Error&) {  // it is not over
  }
}

void HostStorage::handle_fault(Fault fault, std::string_view reason) {
  now_.store(fault, std::memory_order_relaxed);
  const std::string_view where = is_file() ? "file" : "database";
  if (fault == Fault::healed) {
    observability::log_info("the host's storage works again", {{where, name_}});
    return;
  }
  const std::string code = trouble();
  if (fault == Fault::disk_full || fault == Fault::io_failed) {
    observability::log_error("the host's storage has a fault",
                             {{where, name_}, {"code", code}, {"reason", reason}});
    return;
  }
  // Acknowledged writes are safe; no more can be promised on this disk.
  observability::log_error("the host's database cannot be trusted any more, stopping",
                           {{where, name_}, {"code", code}, {"reason", reason}});
  Termination::request(exit_refused);
}

bool HostStorage::is_away() const noexcept {
  return is_away_.load(std::memory_order_relaxed) ||
         (!is_file() && now_.load(std::memory_order_relaxed) == Fault::io_failed);
}

std::string HostStorage::trouble() const {
  if (is_away()) return "data.connection_lost";
  return std::string(data::code_of(now_.load(std::memory_order_relaxed)));
}

base::Error HostStorage::explain(const data::SqlError& error) const {
  const std::string detail = error.detail().empty() ? "" : " (" + error.detail() + ")";
  if (!is_file()) {
    if (error.code() == "data.connection_lost") {
      return {error.status(), error.code(),
              "The database server of " + name_ + " cannot be reached" + detail +
                  ". Look whether it runs and lets this machine and this role in, and start "
                  "again."};
    }
    return {error.status(), error.code(), name_ + ": " + error.message() + detail};
  }
  if (error.code() == "data.corrupt") {
    return {error.status(), error.code(),
            "The host's database " + path_ + " is damaged" + detail +
                ". Replace the file with a backup, remove the -wal and -shm files next to it, and "
                "start again. The databases of the plugins are files of their own and stay "
                "as they are."};
  }
  if (error.code() == "data.disk_full") {
    return {
        error.status(), error.code(),
        "The disk is too full to write " + path_ + detail + ". Free disk space and start again."};
  }
  return {error.status(), error.code(),
          path_ + ": " + error.message() + detail +
              " Look after the disk and the rights of the file, and start again."};
}

}  // namespace tenon::app
