#pragma once

#include <cstdint>

namespace tenon::base {

/// Places of threads in arrays with an element for each: what only one thread writes needs no lock.
/// A place below `own` is its thread's alone while the thread lives, and everything that the thread
/// wrote is seen by whoever has the place after it. When all are taken, threads share the places
/// from `own` on.
struct ThreadSlot {
  static constexpr std::uint32_t own = 32;
  static constexpr std::uint32_t all = own + 8;

  /// The calling thread's. It may change when the thread ends, to one that is shared.
  static std::uint32_t mine() noexcept { return mine_ != none ? mine_ : take(); }
  static bool is_own(std::uint32_t place) noexcept { return place < own; }

 private:
  struct Owner;
  static constexpr std::uint32_t none = ~0U;
  static std::uint32_t take() noexcept;
  static constinit thread_local std::uint32_t mine_;
};

}  // namespace tenon::base
