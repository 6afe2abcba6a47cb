#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tenon::jobs {

inline constexpr std::size_t max_payload_bytes = 256 * 1024;
inline constexpr std::size_t max_key_bytes = 200;
inline constexpr std::size_t max_progress_text_bytes = 500;  ///< the rest is cut
inline constexpr std::size_t max_error_bytes = 2000;         ///< the rest is cut
inline constexpr int max_attempts = 100;
inline constexpr int default_attempts = 10;
inline constexpr std::int64_t default_backoff_ms = 10'000;
inline constexpr std::int64_t default_backoff_cap_ms = 3'600'000;
inline constexpr std::int64_t max_backoff_ms = 7LL * 24 * 3'600'000;
inline constexpr std::size_t max_waiting = 10'000;                 ///< of one plugin
inline constexpr std::size_t max_finished = 1'000;                 ///< kept of one plugin
inline constexpr std::int64_t retained_ms = 7LL * 24 * 3'600'000;  ///< a finished job

enum class State : std::uint8_t { waiting, running, done, failed, cancelled };
std::string_view to_string(State state) noexcept;
std::optional<State> parse_state(std::string_view name) noexcept;

/// Names of kinds and schedules: 1…64 of [a-z0-9_.-].
bool is_name(std::string_view text) noexcept;

/// A job to enqueue.
struct NewJob {
  std::string plugin;
  std::string kind;
  std::string payload = "null";  ///< one JSON text
  std::string key{};             ///< empty: none; while one with it waits, no second one is made
  std::int64_t run_at_ms = 0;    ///< since 1970; 0: now
  int max_attempts = default_attempts;
  std::int64_t backoff_ms = default_backoff_ms;  ///< before the second attempt; doubles
  std::int64_t backoff_cap_ms = default_backoff_cap_ms;
  std::string schedule{};  ///< name of the schedule that made it
};

/// Throws base::Error 422 "jobs.invalid" or 413 "jobs.too_large" that names what is wrong.
void check(const NewJob& job);

struct Progress {
  std::int64_t done = 0;
  std::int64_t total = 0;  ///< 0: not known
  std::string text{};
};

/// A job as it is kept. Times are milliseconds since 1970, 0 for none.
struct Job {
  std::string id;  ///< UUIDv7
  std::string plugin;
  std::string kind;
  std::string payload;
  State state = State::waiting;
  int attempts = 0;  ///< begun
  int max_attempts = 0;
  std::int64_t backoff_ms = 0;
  std::int64_t backoff_cap_ms = 0;
  std::int64_t run_at_ms = 0;
  std::string key;
  std::string schedule;
  bool is_cancel_asked = false;
  Progress progress;
  std::string error;  ///< of the last attempt that failed
  std::int64_t created_ms = 0;
  std::int64_t started_ms = 0;
  std::int64_t finished_ms = 0;
  std::string runner;  ///< instance of the host that runs it
  std::int64_t lease_until_ms = 0;
};

/// How long to wait before the next attempt: doubles from `backoff_ms` after each of `attempts`, up
/// to the cap; of that between the half and the whole, by `chance` from 0 to 1.
std::int64_t backoff(const Job& job, double chance) noexcept;

/// The result of a handler for one attempt.
struct Outcome {
  enum class Kind : std::uint8_t { done, retry, fail } kind = Kind::done;
  std::string error{};
};

/// The first bytes of a text, up to `max_bytes`, cut between characters.
std::string cut(std::string_view text, std::size_t max_bytes);

}  // namespace tenon::jobs
