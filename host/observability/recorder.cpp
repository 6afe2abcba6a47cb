#include "observability/recorder.hpp"

#include <algorithm>
#include <charconv>
#include <type_traits>
#include <variant>

#include "base/clock.hpp"
#include "observability/slow_log.hpp"

namespace tenon::observability {

namespace {

std::string cut(std::string_view text) {
  if (text.size() <= Recorder::max_text_bytes) return std::string(text);
  std::size_t end = Recorder::max_text_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
    --end;
  return std::string(text.substr(0, end)) + "…";
}

std::string text_of(const LogField::Value& value) {
  return std::visit(
      [](const auto& content) -> std::string {
        using Content = std::decay_t<decltype(content)>;
        if constexpr (std::is_same_v<Content, std::string_view>) {
          return cut(content);
        } else if constexpr (std::is_same_v<Content, bool>) {
          return content ? "true" : "false";
        } else {
          std::array<char, 32> digits{};
          const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), content).ptr;
          return {digits.data(), end};
        }
      },
      value);
}

}  // namespace

Recorder& recorder() noexcept {
  static auto& made = *new Recorder;
  return made;
}

Recorder::~Recorder() {
  if (is_recording()) note_all_statements(false);
}

Recorder::Plugin* Recorder::find(std::string_view plugin) {
  const auto found = plugins_.find(plugin);
  if (found != plugins_.end()) return &found->second;
  if (plugin.empty() || plugins_.size() == max_plugins) return nullptr;
  return &plugins_.emplace(std::string(plugin), Plugin{}).first->second;
}

void Recorder::add_log(std::string_view plugin, Level level, std::string_view message,
                       std::span<const LogField> fields) noexcept try {
  LogRecord record;
  record.time_ms = base::unix_milliseconds();
  record.level = level;
  record.message = cut(message);
  if (const Work* const work = current_work()) {
    record.request_id = cut(work->request_id);
    record.route = cut(work->route);
  }
  for (const LogField& field : fields.first(std::min(fields.size(), max_fields)))
    record.fields.emplace_back(cut(field.name), text_of(field.value));
  {
    const std::lock_guard lock(mutex_);
    Plugin* const own = find(plugin);
    if (own == nullptr) return;
    record.number = ++own->last_log;
    own->log.push_back(record);
    if (own->log.size() > max_log_records) own->log.pop_front();
  }
  if (level >= Level::error && on_error_) on_error_(plugin, record);
} catch (...) {  // no memory: the inspector shows less
}

void Recorder::add_request(const Trace& trace) noexcept try {
  const TracedRequest& request = trace.request;
  if (!is_watched(request.plugin)) return;
  RequestRecord record;
  record.time_ms = base::unix_milliseconds() - (request.end - request.begin) / 1'000'000;
  record.method = request.method;
  record.route = request.route;
  record.path = cut(request.path);
  record.request_id = cut(request.request_id);
  record.user_id = request.user_id;
  record.status = request.status;
  record.duration_ns = request.end - request.begin;
  const std::vector<Span>& spans = trace.spans();
  for (std::size_t i = 0; i < std::min(spans.size(), max_spans); ++i) {
    Span span = spans[i];
    span.begin -= request.begin;
    span.end -= request.begin;
    span.statement = cut(span.statement);
    record.spans.push_back(std::move(span));
  }
  record.left_out_spans = trace.dropped_spans() + spans.size() - record.spans.size();
  const std::lock_guard lock(mutex_);
  Plugin* const own = find_watched(request.plugin);
  if (own == nullptr) return;
  record.number = ++own->last_request;
  own->requests.push_back(std::move(record));
  if (own->requests.size() > max_requests) own->requests.pop_front();
} catch (...) {  // no memory: the inspector shows less
}

void Recorder::add_statement(std::string_view plugin, std::string_view sql,
                             std::int64_t duration_ns, bool has_failed) noexcept try {
  const std::lock_guard lock(mutex_);
  Plugin* const own = find_watched(plugin);
  if (own == nullptr) return;
  const std::string text = cut(sql);
  auto found = own->statements.find(text);
  if (found == own->statements.end()) {
    if (own->statements.size() == max_statements) {
      ++own->left_out_statements;
      return;
    }
    found = own->statements.emplace(text, StatementRecord{.sql = text}).first;
  }
  StatementRecord& record = found->second;
  ++record.count;
  record.failed += has_failed ? 1 : 0;
  record.total_ns += duration_ns;
  record.max_ns = std::max(record.max_ns, duration_ns);
} catch (...) {  // no memory: the inspector shows less
}

void Recorder::watch(const std::string& plugin) {
  const std::lock_guard lock(mutex_);
  Plugin* const own = find(plugin);
  if (own == nullptr) return;
  const std::int64_t now = base::monotonic_nanoseconds();
  if (own->watched_until_ns < now) {
    own->requests.clear();
    own->statements.clear();
    own->left_out_statements = 0;
  }
  own->watched_until_ns = now + std::chrono::nanoseconds(watch_time).count();
  if (!is_recording_.exchange(true, std::memory_order_relaxed)) note_all_statements(true);
}

bool Recorder::is_watched(std::string_view plugin) noexcept {
  if (!is_recording()) return false;
  const std::lock_guard lock(mutex_);
  return find_watched(plugin) != nullptr;
}

// Returns null if it is not watched. Ends the recording when no plugin is watched any more. Under
// the mutex.
Recorder::Plugin* Recorder::find_watched(std::string_view plugin) {
  const std::int64_t now = base::monotonic_nanoseconds();
  const auto found = plugins_.find(plugin);
  if (found != plugins_.end() && found->second.watched_until_ns >= now) return &found->second;
  const bool is_any = std::any_of(plugins_.begin(), plugins_.end(), [now](const auto& one) {
    return one.second.watched_until_ns >= now;
  });
  if (!is_any && is_recording_.exchange(false, std::memory_order_relaxed))
    note_all_statements(false);
  return nullptr;
}

Recorder::Records Recorder::read(std::string_view plugin, std::uint64_t after_log,
                                 std::uint64_t after_request) const {
  Records records;
  const std::lock_guard lock(mutex_);
  const auto found = plugins_.find(plugin);
  if (found == plugins_.end()) return records;
  const Plugin& own = found->second;
  // Numbers of another process, before a restart.
  if (after_log > own.last_log) after_log = 0;
  if (after_request > own.last_request) after_request = 0;
  for (const LogRecord& record : own.log)
    if (record.number > after_log) records.log.push_back(record);
  for (const RequestRecord& record : own.requests)
    if (record.number > after_request) records.requests.push_back(record);
  for (const auto& [sql, record] : own.statements)
    records.statements.push_back(record);
  std::sort(records.statements.begin(), records.statements.end(),
            [](const auto& a, const auto& b) { return a.total_ns > b.total_ns; });
  records.left_out_statements = own.left_out_statements;
  return records;
}

std::vector<LogRecord> Recorder::errors_of(std::string_view plugin,
                                           std::string_view request_id) const {
  std::vector<LogRecord> errors;
  const std::lock_guard lock(mutex_);
  const auto found = plugins_.find(plugin);
  if (found == plugins_.end()) return errors;
  for (const LogRecord& record : found->second.log)
    if (record.level >= Level::error && record.request_id == request_id) errors.push_back(record);
  return errors;
}

}  // namespace tenon::observability
