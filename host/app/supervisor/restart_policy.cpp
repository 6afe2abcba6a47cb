#include "app/supervisor/restart_policy.hpp"

namespace tenon::app {

RestartPolicy::Next RestartPolicy::after(End end, Milliseconds lived, Milliseconds now) {
  if (lived >= stable_after) history_.ends_in_a_row = 0;
  Next next;
  if (end != End::attributed) {
    ++history_.ends_in_a_row;
    if (history_.ends_in_a_row > 1) next.pause = first_pause * (1U << (history_.ends_in_a_row - 2));
    next.gives_up = history_.ends_in_a_row >= ends_to_give_up;
  }
  if (end == End::crash) {
    history_.crashes.push_back(now);
    while (now - history_.crashes.front() > window)
      history_.crashes.pop_front();
    if (history_.crashes.size() >= crashes_to_safe_mode) history_.is_safe_mode = true;
  }
  next.is_safe_mode = history_.is_safe_mode;
  return next;
}

}  // namespace tenon::app
