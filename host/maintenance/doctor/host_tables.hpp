#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace tenon::data::postgresql {
class Connection;
}
namespace tenon::data::sqlite {
class Inspection;
}

namespace tenon::console {

struct CheckContext;

/// Reads the host's tables without changing anything, on either engine, with a running server or
/// without one. One thread at a time. Nothing here throws but for memory: data that cannot be read
/// counts as missing.
class HostTables {
 public:
  explicit HostTables(const CheckContext& context);
  ~HostTables();
  HostTables(const HostTables&) = delete;
  HostTables& operator=(const HostTables&) = delete;

  /// First column of the first row; nothing when there is none, it is NULL, or the query fails.
  std::optional<std::int64_t> number(const std::string& sql);
  /// Calls `row` with the first two columns of each row; false when the query fails.
  bool each(const std::string& sql, const std::function<void(std::string, std::int64_t)>& row);

  /// For people: the file, or "PostgreSQL".
  const std::string& name() const noexcept { return name_; }

 private:
  std::string name_;
  std::unique_ptr<data::sqlite::Inspection> file_;
  std::unique_ptr<data::postgresql::Connection> server_;
};

}  // namespace tenon::console
