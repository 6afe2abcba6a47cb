#pragma once

#include <chrono>
#include <functional>

namespace tenon::plugins {

/// Runs `work` on a thread of its own and waits for it; false when it was not done in time. The
/// thread is then left behind, and everything `work` refers to must stay for ever. Once it is true,
/// the thread has ended, its thread-locals too. Where no thread can be had, the calling one does
/// the work, for as long as it takes. `work` must not throw.
bool run_bounded(const std::function<void()>& work, std::chrono::milliseconds patience);

}  // namespace tenon::plugins
