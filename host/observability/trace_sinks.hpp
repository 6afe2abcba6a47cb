#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/unique_fd.hpp"

namespace tenon::observability {

/// A file that gets one object a line. Grows to a bound, then is renamed to "<path>.1" and begun
/// again. One thread at a time.
class TraceFile {
 public:
  /// Throws base::Error 500 "observability.trace_file".
  TraceFile(std::string path, std::uint64_t max_bytes);

  /// False when it could not be written; what of a line is there already is cut off again.
  bool write(std::string_view line) noexcept;

 private:
  void open();

  const std::string path_;
  const std::uint64_t max_bytes_;
  base::UniqueFd descriptor_;
  std::uint64_t bytes_ = 0;
};

/// An OTLP/HTTP collector. One thread at a time.
class TraceEndpoint {
 public:
  static constexpr std::chrono::seconds timeout{3};

  /// `url` has been checked: http, host, path.
  explicit TraceEndpoint(const std::string& url);
  ~TraceEndpoint();
  TraceEndpoint(const TraceEndpoint&) = delete;
  TraceEndpoint& operator=(const TraceEndpoint&) = delete;

  enum class Result : std::uint8_t {
    taken,
    refused,     ///< trying again would not help
    unreachable  ///< or it asked to be tried again later
  };
  /// `why` says what went wrong.
  Result post(std::string_view body, std::string& why) noexcept;

 private:
  class Session;
  std::unique_ptr<Session> session_;
  std::string path_;
};

}  // namespace tenon::observability
