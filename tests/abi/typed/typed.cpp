#include <mutex>
#include <string>
#include <vector>

#include "checks.hpp"

namespace {

using tenon::Actor;
using tenon::Json;
using tenon::RecordOperation;
using tenon::Request;
using tenon::Response;
using tenon::Table;
using typed::tables::Card;
using typed::tables::CardPatch;
using typed::tables::Cards;
using typed::tables::CardsState;
using typed::tables::Labels;
using typed::tables::NewCard;

Json json_of(const Card& card) {
  Json labels = Json::array();
  for (const auto& label : card.labels)
    labels.push_back(label.text());
  return {{"id", card.id.text()},
          {"title", card.title},
          {"state", tenon::to_text(card.state)},
          {"labels", std::move(labels)},
          {"created_by", card.created_by ? Json(card.created_by->text()) : Json()},
          {"stamp", card.stamp ? Json(*card.stamp) : Json()},
          {"cover", card.cover ? Json(card.cover->name) : Json()},
          {"version", card.version}};
}

Json json_of(const tenon::Saved<Cards>& saved) {
  return saved.record ? json_of(*saved.record) : Json({{"id", saved.id.text()}});
}

/// Serves cards by routes of the plugin, in addition to those that the host adds for the published
/// table.
class Typed : public tenon::Plugin {
 public:
  explicit Typed(tenon::Host& host) : Plugin(host) {
    host.records().before_write<Cards>(
        RecordOperation::create | RecordOperation::update | RecordOperation::remove,
        [this](const tenon::TypedWrite<Cards>& write) { look_at(write); });
    host.records().after_write<Cards>(
        [this](const std::vector<tenon::TypedChange<Cards>>& changes) { hear(changes); });

    constexpr auto use = tenon::access::permission("typed.use");
    auto& http = host.http();
    http.post("/typed-labels", use, [this](const Request& request) {
      const auto id =
          Table<Labels>(database(), Actor::system())
              .insert({.name = tenon::required_member<std::string>(request.json(), "name")})
              .id;
      return Response::json({{"id", id.text()}}, 201);
    });
    http.post("/typed-cards", use, [this](const Request& request) { return create(request); });
    http.get("/typed-cards", use, [this](const Request& request) { return list(request); });
    http.patch("/typed-cards/{id}", use, [this](const Request& request) {
      const Json body = request.json();
      const Table<Cards> cards(database(), Actor(request));
      const tenon::Expected expected{body.at("version").get<std::int64_t>()};
      return Response::json(json_of(cards.update(id_of(request), expected, patch_of(body))));
    });
    http.del("/typed-cards/{id}", use, [this](const Request& request) {
      Table<Cards>(database(), Actor(request)).remove(id_of(request));
      return Response::empty();
    });
    http.get("/typed-changes", use, [this](const Request&) {
      const std::lock_guard lock(mutex_);
      return Response::json({{"changes", changes_}});
    });
    http.post("/typed-checks/{bob}", use, [this, &host](const Request& request) {
      Checks checks(database());
      check_settings(checks, host.settings());
      check_queries(checks);
      check_records(checks);
      check_rules(checks, tenon::UserId(std::string(request.user_id())),
                  tenon::UserId(std::string(request.param("bob"))));
      checks.clear();
      return Response::json({{"count", checks.count}, {"failed", checks.failed}});
    });
  }

 private:
  static tenon::Id<Cards> id_of(const Request& request) {
    return tenon::Id<Cards>(std::string(request.param("id")));
  }

  static CardPatch patch_of(const Json& body) {
    CardPatch patch;
    if (body.contains("title")) patch.title = body["title"].get<std::string>();
    if (body.contains("state"))
      patch.state = tenon::parse_choice<CardsState>(body["state"].get<std::string>()).value();
    return patch;
  }

  Response create(const Request& request) {
    const Json body = request.json();
    NewCard card{.title = body.at("title").get<std::string>()};
    for (const auto& label : body.value("labels", Json::array()))
      card.labels.emplace_back(label.get<std::string>());
    if (body.contains("upload")) {
      card.cover = tenon::File::of_upload(body["upload"].get<std::string>());
      return Response::json(json_of(Table<Cards>(database(), Actor(request)).insert(card)), 201);
    }
    if (body.contains("owner")) card.owner = tenon::UserId(body["owner"].get<std::string>());
    return database().write(
        request.defer(),
        [card = std::move(card), who = Actor(request).without_rules()](tenon::Transaction& db) {
          return Response::json(json_of(Table<Cards>(db, who).insert(card)), 201);
        });
  }

  Response list(const Request& request) {
    auto found = Table<Cards>(database(), Actor(request))
                     .where(Cards::state != CardsState::done)
                     .order_by(-Cards::title)
                     .limit(request.query("limit", 50));
    if (const auto part = request.query("title"))
      found = std::move(found).where(contains(Cards::title, *part));
    const auto page = found.page(request.query("cursor", ""));
    Json items = Json::array();
    for (const Card& card : page.items)
      items.push_back(json_of(card));
    return Response::json({{"items", std::move(items)}, {"next", page.next}});
  }

  void look_at(const tenon::TypedWrite<Cards>& write) {
    const Card card = write.record();
    if (write.operation() == RecordOperation::remove) {
      if (card.title == "locked" && !write.is_without_rules())
        throw tenon::Error(409, "typed.locked", "It is locked.");
      return;
    }
    if (card.title.starts_with("TODO"))
      write.refuse(Cards::title, "vague", "Say what is to be done.");
    // Of both: what is set, and what was there or is the default.
    if (card.title == "due" && card.points < 2)
      write.refuse(Cards::points, "too_few", "It is due.");
    if (write.before() && write.change().title.is_set() && write.before()->title == "fixed")
      write.refuse(Cards::title, "fixed", "This title stays.");
    if (card.title == "labelled")
      write.set({.labels = std::vector<tenon::Id<Labels>>{
                     Table<Labels>(write.db(), Actor::system()).insert({.name = "own"})}});
    write.set({.stamp = "by " + (write.user() ? write.user()->text() : "plugin")});
  }

  void hear(const std::vector<tenon::TypedChange<Cards>>& changes) {
    const std::lock_guard lock(mutex_);
    for (const auto& change : changes)
      changes_.push_back({{"act", static_cast<int>(change.operation)},
                          {"id", change.id.text()},
                          {"title", change.record ? Json(change.record->title) : Json()}});
  }

  std::mutex mutex_;
  std::vector<Json> changes_;
};

}  // namespace

TENON_PLUGIN(Typed)
