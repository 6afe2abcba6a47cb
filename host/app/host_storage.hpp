#pragma once

#include <atomic>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "data/database.hpp"

namespace tenon::data {
class SqlError;
}

namespace tenon::app {

/// The file tenon.db: how it is opened, and what becomes of the process when its storage has a
/// fault. Thread-safe; outlives the databases opened with its options.
class HostStorage {
 public:
  /// `path` of the file.
  explicit HostStorage(std::string path) : path_(std::move(path)) {}
  HostStorage(const HostStorage&) = delete;
  HostStorage& operator=(const HostStorage&) = delete;

  /// A full disk and failing reads or writes are logged; a damaged file, and a sync that failed,
  /// end the process with the exit code of a failure, so that whoever watches it starts it again.
  data::DatabaseOptions options();
  /// Without anybody who watches: for a command that works on the data.
  data::DatabaseOptions options_alone() const;

  /// Code of what it suffers from now ("data.disk_full"); empty when there is nothing.
  std::string trouble() const;

  /// What the database refused while the host was being put together, for the one who starts it:
  /// which file, what is wrong, what to do.
  base::Error explain(const data::SqlError& error) const;

 private:
  void meet(data::Fault fault, std::string_view reason);

  const std::string path_;
  std::atomic<data::Fault> now_{data::Fault::healed};
};

}  // namespace tenon::app
