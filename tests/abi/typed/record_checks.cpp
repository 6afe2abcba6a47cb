#include <limits>

#include "checks.hpp"

namespace {

using tenon::Date;
using tenon::Error;
using tenon::Expected;
using tenon::GroupId;
using tenon::Id;
using tenon::JsonText;
using tenon::UserId;
using typed::tables::Boards;
using typed::tables::Cards;
using typed::tables::CardsColors;
using typed::tables::CardsFlags;
using typed::tables::CardsMood;
using typed::tables::CardsState;
using typed::tables::Labels;
using typed::tables::NewCard;
using typed::tables::Parts;
using typed::tables::PartsKinds;
using namespace std::chrono_literals;

void check_every_type(Checks& checks) {
  checks.clear();
  const auto cards = checks.table<Cards>();
  const auto board = checks.table<Boards>().insert({.name = tenon::new_id(), .class_ = "c"}).id;
  const auto red = checks.table<Labels>().insert({.name = "red"}).id;
  const auto blue = checks.table<Labels>().insert({.name = "blue"}).id;
  const auto me = UserId::make();
  const NewCard made{.title = "a'; DROP TABLE x;--",
                     .body = "ü\"'",
                     .points = std::numeric_limits<std::int64_t>::min(),
                     .hours = 0.1,
                     .pinned = true,
                     .due = Date(2026y / 2 / 28),
                     .started = tenon::parse_rfc3339("2026-11-20T08:15:30.123Z"),
                     .extra = JsonText{R"({"a":[1,null]})"},
                     .state = CardsState::in_progress,
                     .mood = CardsMood::it_s_so,
                     .colors = {CardsColors::green, CardsColors::red},
                     .flags = std::vector{CardsFlags::b},
                     .board = board,
                     .labels = {blue, red},
                     .owner = me,
                     .watchers = {UserId::make(), me},
                     .team = GroupId::make(),
                     .budget = 7,
                     .secret = "x"};
  const auto saved = cards.insert(made);
  const auto card = cards.get(saved.id).value();
  checks.same(card.id, saved.id);
  checks.same(saved.record->title, made.title);
  checks.same(card.title, made.title);
  checks.same(card.body, made.body);
  checks.same(card.points, made.points);
  checks.same(card.hours, made.hours);
  checks.same(card.pinned, true);
  checks.same(card.due, made.due);
  checks.same(card.started, made.started);
  checks.same(tenon::parse_json(card.extra->text), tenon::parse_json(made.extra->text));
  checks.same(card.state, CardsState::in_progress);
  checks.same(card.mood, CardsMood::it_s_so);
  checks.same(card.colors, made.colors);
  checks.same(card.flags, *made.flags);
  checks.same(card.board, board);
  checks.same(card.parent.has_value(), false);
  checks.same(card.labels, made.labels);
  checks.same(card.owner, me);
  checks.same(card.watchers, made.watchers);
  checks.same(card.team, made.team);
  checks.same(card.budget, 7);
  checks.same(card.secret, "x");
  checks.same(card.created, card.updated);
  checks.same(card.created_by.has_value(), false);
  checks.same(card.version, 1);
  checks.same(checks.table<Boards>().get(board)->class_, "c");
}

void check_defaults(Checks& checks) {
  checks.clear();
  const auto own = Id<Cards>::make();
  const auto cards = checks.table<Cards>();
  checks.same(cards.insert({.id = own, .title = "a"}).id, own);
  const auto card = cards.get(own).value();
  checks.same(card.body.has_value(), false);
  checks.same(card.points, 1);
  checks.same(card.pinned, false);
  checks.same(card.state, CardsState::open);
  checks.same(card.colors.empty(), true);
  checks.same(card.flags, std::vector{CardsFlags::a});
  checks.same(card.labels.empty(), true);
  checks.same(card.files.empty(), true);
  checks.same(cards.get(Id<Cards>::make()).has_value(), false);
  checks.same(Checks::failure_of([&] { cards.insert({.id = own, .title = "a"}); }),
              "records.exists");
}

void check_changes(Checks& checks) {
  checks.clear();
  const auto cards = checks.table<Cards>();
  const auto label = checks.table<Labels>().insert({.name = "l"});
  const auto me = UserId::make();
  const auto id = cards
                      .insert({.title = "a",
                               .due = Date(2026y / 1 / 2),
                               .colors = {CardsColors::red},
                               .labels = {label},
                               .watchers = {me}})
                      .id;
  auto card = cards.update(id, {.title = "b", .due = std::nullopt}).record.value();
  checks.same(card.title, "b");
  checks.same(card.due.has_value(), false);
  checks.same(card.labels, std::vector{label.id});
  checks.same(card.version, 2);
  cards.update(id, {.colors = std::vector<CardsColors>(),
                    .labels = std::vector<Id<Labels>>(),
                    .watchers = std::vector{UserId::make(), me}});
  card = cards.get(id).value();
  checks.same(card.title, "b");
  checks.same(card.colors.empty() && card.labels.empty(), true);
  checks.same(card.watchers.back(), me);
  checks.same(Checks::failure_of([&] { cards.update(Id<Cards>::make(), {.title = "c"}); }),
              "records.not_found");
  checks.same(Checks::failure_of([&] { cards.remove(Id<Cards>::make()); }), "records.not_found");
  cards.update(id, {.parent = cards.insert({.title = "p", .team = cards.get(id)->team})});
  checks.same(cards.get(id)->parent.has_value(), true);
}

void check_versions(Checks& checks) {
  const auto labels = checks.table<Labels>();
  const auto id = labels.insert({.name = "a"}).id;
  checks.same(labels.update(id, Expected{1}, {.name = "b"}).record->version, 2);
  std::string now;
  try {
    labels.update(id, Expected{1}, {.name = "c"});
  } catch (const Error& error) {
    checks.same(error.status(), 412);
    now = tenon::parse_json(error.extra()).at("record").at("name").get<std::string>();
  }
  checks.same(now, "b");
  // The beginning of a version is another version.
  for (int version = 2; version < 12; ++version)
    labels.update(id, Expected{version}, {.name = "b"});
  checks.same(Checks::failure_of([&] { labels.remove(id, Expected{1}); }), "records.conflict");
  labels.remove(id, Expected{12});
  checks.same(labels.get(id).has_value(), false);
}

void check_refusals(Checks& checks) {
  checks.clear();
  const auto boards = checks.table<Boards>();
  const auto cards = checks.table<Cards>();
  const auto parts = checks.table<Parts>();
  const std::string name = tenon::new_id();
  const auto board = boards.insert({.name = name}).id;
  const auto refused = [&](const NewCard& card) {
    return Checks::failure_of([&] { cards.insert(card); });
  };
  checks.same(Checks::failure_of([&] { boards.insert({.name = name}); }),
              "records.validation: name unique");
  checks.same(Checks::failure_of([&] { boards.insert({.name = std::string(51, 'x')}); }),
              "records.validation: name too_long");
  const auto card = cards.insert({.title = "a", .board = board}).id;
  checks.same(refused({.title = "a", .board = board}),
              "records.validation: board unique, title unique");
  checks.same(refused({.title = std::string(21, 'x'), .board = Id<Boards>::make()}),
              "records.validation: title too_long, board reference");
  const auto stranger = UserId::make();
  checks.same(refused({.title = "twice", .watchers = {stranger, stranger}}),
              "records.validation: watchers duplicate");
  checks.same(refused({.title = "j", .extra = JsonText{"{"}}), "request.json");
  checks.same(refused({.title = "f", .cover = tenon::File::of_upload(tenon::new_id())}),
              "records.validation: cover upload");
  checks.same(Checks::failure_of([&] { parts.insert({.card = card}); }),
              "records.validation: done_by required, kinds required");
  const auto part =
      parts.insert({.card = card, .done_by = {stranger}, .kinds = {PartsKinds::y}}).id;
  checks.same(Checks::failure_of([&] { parts.update(part, {.kinds = std::vector<PartsKinds>()}); }),
              "records.validation: kinds required");
  checks.same(Checks::failure_of([&] { cards.remove(card); }), "data.reference");
  parts.remove(part);
  cards.remove(card);
  checks.same(cards.all().exists(), false);
}

void check_transactions(Checks& checks) {
  checks.clear();
  const std::string stopped = Checks::failure_of([&] {
    checks.db.transaction([&](tenon::Transaction& db) {
      const tenon::Table<Cards> cards(db, tenon::Actor::system());
      const auto id = cards.insert({.title = "a", .watchers = {UserId::make()}}).id;
      cards.update(id, {.title = "b"});
      checks.same(cards.get(id)->title, "b");
      throw Error(409, "test.stop", "Stop.");
    });
  });
  checks.same(stopped, "test.stop");
  checks.same(checks.table<Cards>().all().count(), 0);
}

}  // namespace

void check_records(Checks& checks) {
  check_every_type(checks);
  check_defaults(checks);
  check_changes(checks);
  check_versions(checks);
  check_refusals(checks);
  check_transactions(checks);
}
