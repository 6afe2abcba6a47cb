#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tenon::events {
struct Event;
}

namespace tenon::identity {

enum class SessionEnd : std::uint8_t;

/// Topic of the bus for ended sessions: data is {"session","user","reason"}, reason signed_out or
/// disabled. It names other people's sessions: a subscriber gets only what event_for_session()
/// gives.
inline constexpr std::string_view session_topic = "core.session";

/// Topic for changes of a user's name or role: data is {"user"}. For rooms of the host only.
inline constexpr std::string_view rights_topic = "core.rights";

/// Data of an event of session_topic.
std::string session_event(std::string_view session_id, std::string_view user_id, SessionEnd reason);

/// Returns the part of this event for the holder of `session_id`: {"reason":"…"}; nothing when it
/// is about another session or another topic.
std::optional<std::string> event_for_session(const events::Event& event,
                                             std::string_view session_id);

/// Data of an event of rights_topic, and whom such an event is about.
std::string rights_event(std::string_view user_id);
std::string user_of_rights(const events::Event& event);

}  // namespace tenon::identity
