#include "observability/access_log.hpp"

#include <array>

#include "observability/log.hpp"

namespace tenon::observability {

void write_access(Log& log, const AccessEntry& entry) noexcept {
  if (!log.has_access_lines() || !log.enabled(Level::info)) return;
  const Work work{entry.request_id, entry.plugin, entry.route, entry.trace};
  const WorkScope scope(&work);
  const std::int64_t microseconds = entry.duration_ns / 1000;
  const double milliseconds = static_cast<double>(microseconds) / 1000;
  const std::array fields{LogField("method", entry.method),      LogField("path", entry.path),
                          LogField("status", entry.status),      LogField("bytes", entry.bytes),
                          LogField("duration_ms", milliseconds), LogField("peer", entry.peer),
                          LogField("user", entry.user_id)};
  const std::span<const LogField> all(fields);
  log.write(Level::info, "request", entry.user_id.empty() ? all.first(all.size() - 1) : all);
}

}  // namespace tenon::observability
