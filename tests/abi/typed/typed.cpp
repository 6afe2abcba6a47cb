#include <tenon/plugin.hpp>

#include "typed_tables.hpp"

namespace {

using tenon::Json;
using typed::tables::Card;
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
          {"version", card.version}};
}

/// Cards by routes of the plugin, beside those that the host makes of the published table.
class Typed : public tenon::Plugin {
 public:
  explicit Typed(tenon::Host& host) : Plugin(host) {
    const auto use = tenon::access::permission("typed.use");
    host.http().post("/typed-labels", use, [this](const tenon::Request& request) {
      const auto name = request.json().at("name").get<std::string>();
      const auto id = tenon::Table<Labels>(database()).insert({.name = name});
      return tenon::Response::json({{"id", id.text()}}, 201);
    });
    host.http().post("/typed-cards", use,
                     [this](const tenon::Request& request) { return create(request); });
    host.http().get("/typed-cards", use, [this](const tenon::Request&) {
      Json items = Json::array();
      for (const Card& card : tenon::Table<Cards>(database())
                                  .where(Cards::state != CardsState::done)
                                  .order_by(-Cards::title)
                                  .limit(50)
                                  .list())
        items.push_back(json_of(card));
      return tenon::Response::json({{"items", std::move(items)}});
    });
    host.http().post("/typed-cards/{id}/finish", use,
                     [this](const tenon::Request& request) { return finish(request); });
  }

 private:
  static tenon::Id<Cards> id_of(const tenon::Request& request) {
    return tenon::Id<Cards>(std::string(request.param("id")));
  }

  tenon::Response create(const tenon::Request& request) {
    const Json body = request.json();
    NewCard card{.title = body.at("title").get<std::string>()};
    for (const auto& label : body.value("labels", Json::array()))
      card.labels.emplace_back(label.get<std::string>());
    return database().write(request.defer(), [card = std::move(card),
                                              by = tenon::UserId(std::string(request.user_id()))](
                                                 tenon::Transaction& db) {
      const tenon::Table<Cards> cards(db);
      const auto id = cards.insert(card, by);
      return tenon::Response::json(json_of(cards.get(id).value()), 201);
    });
  }

  tenon::Response finish(const tenon::Request& request) {
    const auto expected = tenon::Expected{request.json().at("version").get<std::int64_t>()};
    const tenon::UserId by{std::string(request.user_id())};
    const tenon::Table<Cards> cards(database());
    const auto id = id_of(request);
    if (!cards.update(id, expected, {.state = CardsState::done}, by))
      throw tenon::Error(404, "typed.not_found", "There is no such card.");
    return tenon::Response::json(json_of(cards.get(id).value()));
  }
};

}  // namespace

TENON_PLUGIN(Typed)
