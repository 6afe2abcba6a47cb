#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace tenon::realtime {

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

/// Records that a channel looks at.
inline constexpr std::size_t looks_of_channel = 16;
/// Records that all channels of a person look at together.
inline constexpr std::size_t looks_of_person = 200;
/// Records that all people look at together; one that two look at counts twice.
inline constexpr std::size_t looks_of_all = 20'000;
/// People that are named to who looks at the same record; the rest is counted.
inline constexpr std::size_t people_named = 20;
/// Characters of what a client says of how it looks ("editing").
inline constexpr std::size_t state_size = 32;
/// Hues of people's colours.
inline constexpr unsigned hues = 8;
/// Pause between two times that the same record's onlookers are told.
inline constexpr std::chrono::milliseconds presence_pause{100};
/// Who looks again within this time of the end of their channel never left: a browser that opens
/// its channel anew for another topic does.
inline constexpr std::chrono::milliseconds presence_grace{2'000};

}  // namespace tenon::realtime
