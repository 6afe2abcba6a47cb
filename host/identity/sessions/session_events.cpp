#include "identity/sessions/session_events.hpp"

#include <Poco/JSON/Object.h>

#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "events/bus.hpp"
#include "identity/sessions/sessions.hpp"

namespace tenon::identity {

std::string session_event(std::string_view session_id, std::string_view user_id,
                          SessionEnd reason) {
  std::string data;
  base::JsonWriter(data)
      .begin_object()
      .member("session", session_id)
      .member("user", user_id)
      .member("reason", reason == SessionEnd::disabled ? "disabled" : "signed_out")
      .end_object();
  return data;
}

std::optional<std::string> event_for_session(const events::Event& event,
                                             std::string_view session_id) {
  // Most events are about others; only the one that names this session is parsed.
  if (event.topic != session_topic || event.data.find(session_id) == std::string::npos)
    return std::nullopt;
  const auto object = base::parse_json_object(event.data);
  if (object->optValue<std::string>("session", "") != session_id) return std::nullopt;
  std::string data;
  base::JsonWriter(data)
      .begin_object()
      .member("reason", object->getValue<std::string>("reason"))
      .end_object();
  return data;
}

std::string rights_event(std::string_view user_id) {
  std::string data;
  base::JsonWriter(data).begin_object().member("user", user_id).end_object();
  return data;
}

std::string user_of_rights(const events::Event& event) {
  return base::parse_json_object(event.data)->getValue<std::string>("user");
}

}  // namespace tenon::identity
