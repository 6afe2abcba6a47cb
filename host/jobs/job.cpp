#include "jobs/job.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/utf8.hpp"

namespace tenon::jobs {

namespace {

constexpr std::array<std::string_view, 5> state_names{"waiting", "running", "done", "failed",
                                                      "cancelled"};

[[noreturn]] void refuse(const char* field, const std::string& message) {
  throw base::Error(422, "jobs.invalid", message, {{field, "invalid", message}});
}

}  // namespace

std::string_view to_string(State state) noexcept {
  return state_names[static_cast<std::size_t>(state)];
}

std::optional<State> parse_state(std::string_view name) noexcept {
  const auto found = std::find(state_names.begin(), state_names.end(), name);
  if (found == state_names.end()) return std::nullopt;
  return static_cast<State>(found - state_names.begin());
}

bool is_name(std::string_view text) noexcept {
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
  });
}

void check(const NewJob& job) {
  if (!is_name(job.kind)) refuse("kind", "A kind is 1 to 64 of a-z, 0-9, _, . and -.");
  if (job.payload.size() > max_payload_bytes)
    throw base::Error(413, "jobs.too_large", "A payload has at max_bytes 256 KiB.");
  try {
    base::check_json("[" + job.payload + "]", {.max_bytes = max_payload_bytes + 2});
  } catch (const base::Error& error) {
    refuse("payload", "The payload is no JSON: " + error.message());
  }
  if (base::parse_json("[" + job.payload + "]", {.max_bytes = max_payload_bytes + 2})
          .extract<Poco::JSON::Array::Ptr>()
          ->size() != 1)
    refuse("payload", "The payload is not one JSON value.");
  if (job.key.size() > max_key_bytes || !base::is_valid_utf8(job.key))
    refuse("key", "A unique key is text of at max_bytes 200 bytes.");
  if (job.max_attempts < 1 || job.max_attempts > max_attempts)
    refuse("max_attempts", "A job has 1 to 100 attempts.");
  if (job.run_at_ms < 0) refuse("run_at", "A job is run at a time after 1970.");
  if (job.backoff_ms < 1 || job.backoff_ms > max_backoff_ms ||
      job.backoff_cap_ms < job.backoff_ms || job.backoff_cap_ms > max_backoff_ms)
    refuse("backoff", "The back-off is 1 ms to its cap, and that at max_bytes 7 days.");
}

std::int64_t backoff(const Job& job, double chance) noexcept {
  std::int64_t delay = std::min(job.backoff_ms, job.backoff_cap_ms);
  for (int i = 1; i < job.attempts && delay < job.backoff_cap_ms; ++i)
    delay = std::min(delay * 2, job.backoff_cap_ms);
  const std::int64_t half = delay / 2;
  return delay - half + static_cast<std::int64_t>(static_cast<double>(half) * chance);
}

std::string cut(std::string_view text, std::size_t max_bytes) {
  std::size_t end = 0;
  while (end < text.size()) {
    const std::size_t length = std::max<std::size_t>(base::utf8_sequence_length(text, end), 1);
    if (end + length > max_bytes) break;
    end += length;
  }
  return std::string(text.substr(0, end));
}

}  // namespace tenon::jobs
