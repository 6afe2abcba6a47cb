#pragma once

#include <string_view>
#include <utility>

#include "data/cell.hpp"

struct sqlite3_stmt;

namespace tenon::data {
struct JsonMembers;
}

namespace tenon::data::sqlite {

class Connection;
struct CachedStatement;

/// A prepared statement from the cache of a connection; its destructor gives it back. One thread,
/// the one that has the connection.
class StatementLease {
 public:
  StatementLease() noexcept = default;
  /// Throws what preparing fails with.
  StatementLease(Connection& connection, std::string_view sql);
  StatementLease(StatementLease&& other) noexcept
      : connection_(other.connection_), cached_(std::exchange(other.cached_, nullptr)) {}
  StatementLease& operator=(StatementLease&& other) noexcept {
    std::swap(connection_, other.connection_);
    std::swap(cached_, other.cached_);
    return *this;
  }
  ~StatementLease() { reset(); }

  explicit operator bool() const noexcept { return cached_ != nullptr; }
  sqlite3_stmt* get() const noexcept;
  JsonMembers& json_members() const noexcept;
  Connection& connection() const noexcept { return *connection_; }

  /// Binds cells to the parameters in order. `copy`: the statement outlives the cells. Throws 500
  /// data.sql when their number differs, 413 data.too_large.
  void bind(Cells cells, bool copy);
  /// Gives the statement back.
  void reset() noexcept {
    if (cached_) give_back();
  }

 private:
  void give_back() noexcept;

  Connection* connection_ = nullptr;
  CachedStatement* cached_ = nullptr;
};

}  // namespace tenon::data::sqlite
