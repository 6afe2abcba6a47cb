#pragma once

#include <string_view>

namespace tenon::observability {

class Trace;

/// Says what a thread works for: log lines, slow statements and spans are named after it. The views
/// and the trace outlive it.
struct Work {
  std::string_view request_id = {};
  std::string_view plugin = {};  ///< empty: the host itself
  std::string_view route = {};   ///< method and pattern; empty outside of requests
  Trace* trace = nullptr;        ///< null: not traced
  bool may_use_reserve = false;  ///< it may write while a full disk has only data::SpaceReserve
};

/// The innermost work of the calling thread; null for none. Set by WorkScope and LogScope only.
extern constinit thread_local const Work* innermost_work;

inline const Work* current_work() noexcept {
  return innermost_work;
}

/// The id of the request that the calling thread works for; empty for none.
inline std::string_view current_request_id() noexcept {
  return innermost_work == nullptr ? std::string_view() : innermost_work->request_id;
}

/// The trace that the calling thread works for, or null.
inline Trace* current_trace() noexcept {
  const Work* work = innermost_work;
  return work == nullptr ? nullptr : work->trace;
}

/// The calling thread works for `work` (which may be null) until this is destroyed; scopes nest.
class WorkScope {
 public:
  explicit WorkScope(const Work* work) noexcept : previous_(innermost_work) {
    innermost_work = work;
  }
  ~WorkScope() { innermost_work = previous_; }
  WorkScope(const WorkScope&) = delete;
  WorkScope& operator=(const WorkScope&) = delete;

 private:
  const Work* previous_;
};

}  // namespace tenon::observability
