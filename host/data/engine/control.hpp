#pragma once

#include <cstdint>

namespace tenon::data {

/// Statements that an engine runs itself to begin and end transactions.
enum class Control : std::uint8_t {
  begin_read,
  begin_write,
  commit,
  rollback,
  savepoint,
  release,
  rollback_to,
  count
};

}  // namespace tenon::data
