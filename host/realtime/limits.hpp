#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace tenon::realtime {

/// Changes that are delivered between two pauses.
inline constexpr std::size_t round_changes = 500;
/// Pause after a delivery, so that the changes of a burst are delivered together.
inline constexpr std::chrono::milliseconds round_pause{20};
/// Bytes of events of one plugin for one subscriber in a pass; more become one resync.
inline constexpr std::size_t round_bytes = 64 * 1024;
/// Bytes of a record in an event; a longer one is left out.
inline constexpr std::size_t record_bytes = 16 * 1024;
/// Changes after which a subscriber without events gets its new position.
inline constexpr std::int64_t position_interval = 1'000;
/// Pause after the database of a plugin failed.
inline constexpr std::chrono::milliseconds trouble_pause{1'000};

/// Records that a channel looks at.
inline constexpr std::size_t looks_of_channel = 16;
/// Records that all channels of a person look at together.
inline constexpr std::size_t looks_of_person = 200;
/// Records that all people look at together; one that two look at counts twice.
inline constexpr std::size_t looks_of_all = 20'000;
/// Users that are named to others who look at the same record; the rest is counted.
inline constexpr std::size_t people_named = 20;
/// Characters of what a client says of how it looks ("editing").
inline constexpr std::size_t state_size = 32;
/// Hues of people's colours.
inline constexpr unsigned hues = 8;
/// Pause between two presence updates of the same record.
inline constexpr std::chrono::milliseconds presence_pause{100};
/// A user who looks again within this time after their channel ends never left: a browser opens a
/// new channel when its topics change.
inline constexpr std::chrono::milliseconds presence_grace_period{2'000};

}  // namespace tenon::realtime
