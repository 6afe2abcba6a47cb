// No fault: publishes events and searches as a plugin should, for the tests of both.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/plugin.hpp>

namespace {

using tenon::Actor;
using tenon::Audience;
using tenon::Request;
using tenon::Response;

constexpr const char* use = TENON_PLUGIN_ID ".use";

std::vector<std::string> words_of(std::string text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (comma != 0) words.push_back(text.substr(0, comma));
    text.erase(0, comma + 1);
  }
  return words;
}

// ?users=…&groups=…; without either: all users.
Audience audience_of(const Request& request) {
  const auto users = request.query("users");
  const auto groups = request.query("groups");
  if (!users && !groups) return Audience::everyone();
  return Audience::users(words_of(users.value_or(""))).and_groups(words_of(groups.value_or("")));
}

class EventsAndSearch : public tenon::Plugin {
 public:
  explicit EventsAndSearch(tenon::Host& host) : Plugin(host) {
    host.events().declare("news");
    host.events().declare("inside", use);
    host.records().before_write("boards", tenon::RecordOperation::create,
                                [this](const tenon::RecordWrite& write) {
                                  if (write.change().value("name", "") == "publish")
                                    this->host().events().publish(write.db(), "news", {{"a", 1}});
                                });

    using tenon::access::signed_in;
    tenon::Http& http = host.http();
    const auto whole = tenon::RouteOptions{.body = tenon::Body::whole};
    http.post("/publish/{topic}", signed_in, whole, [this](const Request& request) {
      events().publish_text(request.param("topic"), request.body(), audience_of(request));
      return Response::empty();
    });
    http.get("/inline", signed_in, {.is_inline = true, .summary = "Publishes on an I/O thread"},
             [this](const Request&) {
               events().publish("news", "inline");
               return Response::empty();
             });
    http.post("/commit", signed_in, whole, [this](const Request& request) {
      database().transaction([&](tenon::Transaction& db) {
        events().publish_text(db, "news", request.body());
        // The event above is not delivered before the commit: this one comes first.
        events().publish("news", "before");
        if (request.query<bool>("undo", false)) db.rollback();
      });
      return Response::empty();
    });
    http.post("/queued", signed_in, whole, [this](const Request& request) {
      return database().write(
          request.defer(), [this, undo = request.query<bool>("undo", false),
                            body = std::string(request.body())](tenon::Transaction& db) {
            events().publish_text(db, "news", body);
            if (undo) throw tenon::Error(409, "events-and-search.undone", "So it was asked for.");
            return Response::empty();
          });
    });
    http.post("/vault", signed_in, whole, [this](const Request& request) {
      database().exec("INSERT INTO vault (id, line) VALUES (?, ?)", tenon::new_id(),
                      request.body());
      return Response::empty();
    });
    http.get("/find", signed_in, [this](const Request& request) {
      const std::string as = request.query("as").value_or("");
      const Actor who = as == "plugin" ? Actor::system()
                        : as.empty()   ? Actor(request)
                                       : Actor::user(as);
      return find(database(), who, request);
    });
    // Finds a record that is not committed yet.
    http.get("/find-own", signed_in, [this](const Request& request) {
      return database().transaction([&](tenon::Transaction& db) {
        this->host().records().insert(db, Actor(request), "boards",
                                      {{"name", request.query("make").value_or("")}});
        Response found = find(db, Actor(request), request);
        db.rollback();
        return found;
      });
    });
  }

 private:
  tenon::Events& events() { return host().events(); }

  Response find(tenon::Statements& db, const Actor& who, const Request& request) {
    const std::vector<std::string> names = words_of(request.query("tables").value_or(""));
    const std::string text = request.query("q").value_or("");
    return Response::json_text(host().search().find_text(
        db, who,
        {.text = text,
         .tables = std::vector<std::string_view>(names.begin(), names.end()),
         .limit = static_cast<std::uint32_t>(request.query<int>("limit", 0))}));
  }
};

}  // namespace

TENON_PLUGIN(EventsAndSearch)
