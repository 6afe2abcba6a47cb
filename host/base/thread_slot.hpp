#pragma once

#include <cstdint>

namespace tenon::base {

/// Assigns threads slots in arrays with one element each: an element that only one thread writes
/// needs no lock. A slot below `own` belongs to one thread while the thread lives; its next owner
/// sees everything that the thread wrote. When all are taken, threads share the slots from `own`
/// on.
struct ThreadSlot {
  static constexpr std::uint32_t own = 32;
  static constexpr std::uint32_t all = own + 8;

  /// Returns the slot of the calling thread. It may change to a shared one when the thread ends.
  static std::uint32_t mine() noexcept { return mine_ != none ? mine_ : take(); }
  static bool is_own(std::uint32_t slot) noexcept { return slot < own; }

 private:
  struct Owner;
  static constexpr std::uint32_t none = ~0U;
  static std::uint32_t take() noexcept;
  static constinit thread_local std::uint32_t mine_;
};

}  // namespace tenon::base
