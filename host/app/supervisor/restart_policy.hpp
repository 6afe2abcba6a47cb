#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <utility>

namespace tenon::app {

/// The history of a RestartPolicy.
struct RestartHistory {
  std::deque<std::chrono::milliseconds> crashes;  ///< times of those within the window
  unsigned ends_in_a_row = 0;
  bool is_safe_mode = false;
};

/// Whether, when and how the host is started again after it ended other than in order. Time is any
/// clock that does not go back. Pure.
///
/// A crash that a plugin is held to account for costs nothing: the plugin stays out, so that it
/// does not come again. Others that follow on each other, less than `stable_after` of life between
/// them, wait longer each time, cause safe mode, and at last the end.
class RestartPolicy {
 public:
  using Milliseconds = std::chrono::milliseconds;

  static constexpr Milliseconds stable_after{
      60'000};                                   ///< a host that lived so long resets the history
  static constexpr Milliseconds window{60'000};  ///< for the crashes of safe mode
  static constexpr unsigned crashes_to_safe_mode = 3;  ///< within the window, no plugin to blame
  static constexpr unsigned ends_to_give_up = 8;       ///< in a row, of either kind
  static constexpr Milliseconds first_pause{100};      ///< before the second in a row; then doubled

  enum class End : std::uint8_t {
    attributed,  ///< its record names a plugin
    crash,       ///< no plugin to blame
    own_will     ///< the host itself ended with an exit code: it refused, or could not continue
  };
  struct Next {
    bool gives_up = false;
    bool is_safe_mode = false;  ///< once it is, it stays so
    Milliseconds pause{0};
  };

  RestartPolicy() = default;
  explicit RestartPolicy(RestartHistory history) : history_(std::move(history)) {}

  /// `lived`: from its start to its end.
  Next after(End end, Milliseconds lived, Milliseconds now);
  const RestartHistory& history() const noexcept { return history_; }

 private:
  RestartHistory history_;
};

}  // namespace tenon::app
