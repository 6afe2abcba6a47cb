#pragma once

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace tenon::base::test {

/// Returns whether the environment asks for everything instead of a sample (`DEV_FULL=1`).
inline bool is_full_run() {
  const char* const value = std::getenv("DEV_FULL");
  return value != nullptr && std::string_view(value) == "1";
}

/// Returns the seed of this process: `DEV_SEED`, or a random one. Throws std::runtime_error where
/// `DEV_SEED` is not an integer from 0 to 2^64 - 1.
inline std::uint64_t run_seed() {
  static const std::uint64_t seed = [] {
    const char* const value = std::getenv("DEV_SEED");
    if (value == nullptr) return std::uint64_t{std::random_device{}()};
    const std::string_view text = value;
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || text.empty())
      throw std::runtime_error("DEV_SEED is '" + std::string(text) +
                               "'; set an integer from 0 to 2^64 - 1");
    return number;
  }();
  return seed;
}

/// Returns how to run the same sample again; for SCOPED_TRACE.
inline std::string how_to_repeat() {
  return "repeat with " + std::string(is_full_run() ? "DEV_FULL=1 " : "") +
         "DEV_SEED=" + std::to_string(run_seed());
}

/// The steps of a sweep that a run takes: all of them in a full run, else every `interval`-th one,
/// beginning where the seed says.
class SampledSteps {
 public:
  explicit SampledSteps(int interval)
      : interval_(is_full_run() ? 1 : interval),
        first_(static_cast<int>(run_seed() % static_cast<std::uint64_t>(interval_))) {}

  /// The first step, counted from 0; each later one is interval() further.
  int first() const noexcept { return first_; }
  int interval() const noexcept { return interval_; }

 private:
  const int interval_;
  const int first_;
};

}  // namespace tenon::base::test
