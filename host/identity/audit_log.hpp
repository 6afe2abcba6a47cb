#pragma once

#include <cstddef>
#include <string_view>

#include "identity/clock.hpp"
#include "observability/audit.hpp"

namespace tenon::data {
class Database;
}

namespace tenon::identity {

/// Audit records in the table identity_audit of the host database. Blocks on the database; not for
/// I/O threads. Thread-safe.
class AuditLog final : public observability::Audit {
 public:
  /// Refused sign-ins that are kept. They are counted apart, so that failed sign-ins cannot push
  /// out other records.
  static constexpr std::size_t max_refusals = 20'000;
  /// Other records that are kept.
  static constexpr std::size_t max_records = 500'000;
  /// Action of a refused sign-in.
  static constexpr const char* refusal = "session.refused";

  AuditLog(data::Database& database, Clock clock);

  void record(const observability::AuditRecord& record) noexcept override;

  /// Deletes the oldest records beyond the bounds, in portions. To be called now and then.
  void trim();

 private:
  void trim_to(std::size_t max, std::string_view find_newest_surplus, std::string_view remove);

  data::Database& database_;
  Clock clock_;
};

}  // namespace tenon::identity
