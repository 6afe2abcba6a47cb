#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/engine/control.hpp"
#include "postgresql/client/connection.hpp"

namespace tenon::data::postgresql {

/// A transaction on a connection, as the room knows it: what a statement fails with undoes that
/// statement alone. PostgreSQL gives up the whole transaction then, so each statement but the first
/// after BEGIN or a member's savepoint has a savepoint of its own. BEGIN, SAVEPOINT and
/// RELEASE travel with the next statement and cost no exchange. One thread at a time.
class Session {
 public:
  /// `begin`: what begins a transaction, one statement after the other.
  Session(Connection& connection, std::vector<std::string> begin)
      : connection_(connection), begin_(std::move(begin)) {}

  void begin();
  /// Runs one statement; throws what it fails with, after that was undone.
  Outcome run(std::string_view sql, Cells cells, std::int64_t deadline, const RunOptions& how = {});
  /// The writer's steps.
  std::optional<SqlError> control(Control what) noexcept;
  /// Runs text of the room at once; zero: until a bound of the room's own.
  std::optional<SqlError> now(const std::string& sql, std::int64_t deadline = 0) noexcept;
  /// False when the server has undone everything, or is gone.
  bool is_open() const noexcept { return is_open_ && !connection_.is_broken(); }

 private:
  /// The point to which a failed statement rolls back.
  enum class Mark : std::uint8_t { begin, member, statement };

  Outcome run_as(std::string_view sql, Cells cells, std::int64_t deadline, const RunOptions& how);
  void recover() noexcept;

  Connection& connection_;
  const std::vector<std::string> begin_;
  bool is_open_ = false;
  bool has_sent_ = false;  ///< BEGIN is with the server
  bool is_fresh_ = true;   ///< nothing has run since the mark
  Mark mark_ = Mark::begin;
};

}  // namespace tenon::data::postgresql
