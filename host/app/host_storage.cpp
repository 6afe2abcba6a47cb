#include "app/host_storage.hpp"

#include "app/command_line.hpp"
#include "app/termination.hpp"
#include "data/sql_error.hpp"
#include "observability/log.hpp"

namespace tenon::app {

using data::Fault;

data::DatabaseOptions HostStorage::options_alone() const {
  data::DatabaseOptions options;
  options.path = path_;
  options.confinement = data::Confinement::host();
  options.check_bytes = data::checked_file_bytes;
  return options;
}

data::DatabaseOptions HostStorage::options() {
  data::DatabaseOptions options = options_alone();
  options.on_fault = [this](Fault fault, std::string_view, std::string_view reason) {
    meet(fault, reason);
  };
  return options;
}

void HostStorage::meet(Fault fault, std::string_view reason) {
  now_.store(fault, std::memory_order_relaxed);
  if (fault == Fault::healed) {
    observability::log_info("the host's storage works again", {{"file", path_}});
    return;
  }
  const std::string_view code = data::code_of(fault);
  if (fault == Fault::disk_full || fault == Fault::io_failed) {
    observability::log_error("the host's storage has a fault",
                             {{"file", path_}, {"code", code}, {"reason", reason}});
    return;
  }
  // What was acknowledged is safe; nothing more may be promised on this disk.
  observability::log_error("the host's database cannot be trusted any more, stopping",
                           {{"file", path_}, {"code", code}, {"reason", reason}});
  Termination::request(exit_refused);
}

std::string HostStorage::trouble() const {
  return std::string(data::code_of(now_.load(std::memory_order_relaxed)));
}

base::Error HostStorage::explain(const data::SqlError& error) const {
  const std::string detail = error.detail().empty() ? "" : " (" + error.detail() + ")";
  if (error.code() == "data.corrupt") {
    return {error.status(), error.code(),
            "The host's database " + path_ + " is damaged" + detail +
                ". Put a backup in the place of the file without the -wal and -shm files beside "
                "it, and start again. The databases of the plugins are files of their own and stay "
                "as they are."};
  }
  if (error.code() == "data.disk_full") {
    return {error.status(), error.code(),
            "There is no room to write " + path_ + detail + ". Make room and start again."};
  }
  return {error.status(), error.code(),
          path_ + ": " + error.message() + detail +
              " Look after the disk and the rights of the file, and start again."};
}

}  // namespace tenon::app
