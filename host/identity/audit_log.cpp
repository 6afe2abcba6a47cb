#include "identity/audit_log.hpp"

#include <string>
#include <utility>

#include "base/ids.hpp"
#include "data/database.hpp"
#include "observability/log.hpp"

namespace tenon::identity {

namespace {

// One write holds up all others of the host, so that it must stay short.
constexpr int portion = 5000;

}  // namespace

AuditLog::AuditLog(data::Database& database, Clock clock)
    : database_(database), clock_(std::move(clock)) {}

void AuditLog::record(const observability::AuditRecord& record) noexcept {
  try {
    database_.exec(
        "INSERT INTO identity_audit(id, time_ms, actor, action, object, details) VALUES(?1, ?2, "
        "?3, ?4, ?5, ?6)",
        {base::new_id(), clock_(), record.actor, record.action, record.object,
         record.details.empty() ? std::string_view("{}") : std::string_view(record.details)});
  } catch (const std::exception& failure) {
    observability::log_error("an audit record was not stored", {{"action", record.action},
                                                                {"actor", record.actor},
                                                                {"object", record.object},
                                                                {"reason", failure.what()}});
  }
}

void AuditLog::trim() {
  trim_to(max_refusals,
          "SELECT id FROM identity_audit WHERE action = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2",
          "DELETE FROM identity_audit WHERE id IN (SELECT id FROM identity_audit WHERE action = ?1 "
          "AND id <= ?2 ORDER BY id LIMIT ?3)");
  trim_to(max_records,
          "SELECT id FROM identity_audit WHERE action <> ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2",
          "DELETE FROM identity_audit WHERE id IN (SELECT id FROM identity_audit WHERE action <> "
          "?1 AND id <= ?2 ORDER BY id LIMIT ?3)");
}

void AuditLog::trim_to(std::size_t max, std::string_view find_newest_surplus,
                       std::string_view remove) {
  std::string newest_surplus;
  {
    data::Rows rows = database_.query(find_newest_surplus, {refusal, max});
    if (!rows.next()) return;
    newest_surplus = rows.text(0);
  }
  while (database_.exec(remove, {refusal, newest_surplus, portion}).changes == portion) {
  }
}

}  // namespace tenon::identity
