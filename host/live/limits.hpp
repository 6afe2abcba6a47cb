#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace tenon::live {

/// Changes that are told between two pauses.
inline constexpr std::size_t round_changes = 500;
/// Pause after changes were told, so that those of a burst are told together.
inline constexpr std::chrono::milliseconds round_pause{20};
/// Bytes of events of one plugin for one subscriber in a round; more become one resync.
inline constexpr std::size_t round_bytes = 64 * 1024;
/// Bytes of a record in an event; a longer one is left out.
inline constexpr std::size_t record_bytes = 16 * 1024;
/// Changes after which a subscriber who is told nothing gets its place anew.
inline constexpr std::int64_t place_every = 1'000;
/// Pause after the database of a plugin refused.
inline constexpr std::chrono::milliseconds trouble_pause{1'000};

}  // namespace tenon::live
