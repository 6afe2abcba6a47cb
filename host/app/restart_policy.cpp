#include "app/restart_policy.hpp"

namespace tenon::app {

RestartPolicy::Next RestartPolicy::after(End end, Milliseconds lived, Milliseconds now) {
  if (lived >= settled) in_a_row_ = 0;
  Next next;
  if (end != End::attributed) {
    ++in_a_row_;
    if (in_a_row_ > 1) next.pause = first_pause * (1U << (in_a_row_ - 2));
    next.gives_up = in_a_row_ >= ends_to_give_up;
  }
  if (end == End::crash) {
    crashes_.push_back(now);
    while (now - crashes_.front() > window)
      crashes_.pop_front();
    if (crashes_.size() >= crashes_to_safe_mode) is_safe_mode_ = true;
  }
  next.is_safe_mode = is_safe_mode_;
  return next;
}

}  // namespace tenon::app
