#include "base/error.hpp"
#include "sqlite/connection/sql.hpp"
#include "sqlite/engine/engine.hpp"

namespace tenon::data::sqlite {

std::int64_t schema_number(Connection& connection) {
  const AccessScope scope(connection, Access::internal);
  return Sql::number(connection, "PRAGMA schema_version");
}

void Engine::note_applied(const Declaration& declaration, std::int64_t schema) {
  const std::lock_guard lock(applied_mutex_);
  applied_ = {.declaration = declaration.digest, .schema = schema, .mark = {}};
}

void Engine::forget_applied() {
  const std::lock_guard lock(applied_mutex_);
  applied_ = {};
}

void Engine::assume(const CleanClose& closed) {
  const std::lock_guard lock(applied_mutex_);
  applied_ = closed;
}

bool Engine::is_as_applied() noexcept {
  {
    const std::lock_guard lock(fault_mutex_);
    if (reported_sync_ || reported_corrupt_) return false;
  }
  const std::lock_guard lock(applied_mutex_);
  if (applied_.declaration.empty()) return false;
  try {
    return schema_number(*connection_) == applied_.schema;
  } catch (const base::Error&) {
    return false;
  }
}

std::optional<CleanClose> Engine::clean_close() const {
  const std::lock_guard lock(applied_mutex_);
  return closed_;
}

}  // namespace tenon::data::sqlite
