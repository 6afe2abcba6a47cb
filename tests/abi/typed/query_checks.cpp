#include "checks.hpp"

namespace {

using tenon::Date;
using tenon::Id;
using tenon::UserId;
using typed::tables::Boards;
using typed::tables::Cards;
using typed::tables::CardsColors;
using typed::tables::CardsMood;
using typed::tables::CardsState;
using typed::tables::Labels;
using namespace std::chrono_literals;

/// Titles that a condition finds, in the order of their making.
std::string titles(const Checks& checks, tenon::Condition<Cards> condition) {
  std::string all;
  for (const auto& title : checks.table<Cards>().where(std::move(condition)).select(Cards::title))
    all += title;
  return all;
}

void check_types(Checks& checks) {
  checks.clear();
  const auto cards = checks.table<Cards>();
  cards.insert({.title = "a", .points = 1, .hours = 1.5, .due = Date(2026y / 1 / 1)});
  cards.insert({.title = "b", .points = 2, .due = Date(2026y / 2 / 1), .state = CardsState::done});
  cards.insert({.title = "c", .points = 3, .pinned = true, .mood = CardsMood::good});
  checks.same(titles(checks, Cards::points == 2), "b");
  checks.same(titles(checks, Cards::points != 2), "ac");
  checks.same(titles(checks, Cards::points >= 2), "bc");
  checks.same(titles(checks, Cards::points > -1), "abc");
  checks.same(titles(checks, Cards::hours > 1), "a");
  checks.same(titles(checks, Cards::pinned == true), "c");
  checks.same(titles(checks, Cards::pinned == false), "ab");
  checks.same(titles(checks, Cards::pinned != true), "ab");
  checks.same(titles(checks, Cards::state == CardsState::done), "b");
  checks.same(titles(checks, Cards::state != CardsState::done), "ac");
  checks.same(titles(checks, Cards::due < Date(2026y / 2 / 1)), "a");
  checks.same(titles(checks, Cards::created <= tenon::now() + 1h), "abc");
  checks.same(titles(checks, Cards::updated > Cards::created), "");
  checks.same(titles(checks, in(Cards::points, {1, 3})), "ac");
  checks.same(titles(checks, in(Cards::mood, {CardsMood::good})), "c");
  checks.same(titles(checks, in(Cards::points, {})), "");
  checks.same(titles(checks, !in(Cards::points, {})), "abc");
}

void check_empty(Checks& checks) {
  checks.clear();
  const auto cards = checks.table<Cards>();
  cards.insert({.title = "a", .body = "x"});
  cards.insert({.title = "b", .body = "y"});
  cards.insert({.title = "c"});
  checks.same(titles(checks, Cards::body == std::nullopt), "c");
  checks.same(titles(checks, Cards::body != std::nullopt), "ab");
  checks.same(titles(checks, Cards::body != "x"), "bc");
  checks.same(titles(checks, !(Cards::body == "x")), "bc");
  checks.same(titles(checks, !(Cards::body < "y")), "bc");
  checks.same(titles(checks, Cards::body == std::optional<std::string>()), "c");
  checks.same(titles(checks, Cards::body == std::optional<std::string>("y")), "b");
  checks.same(titles(checks, Cards::body != std::optional<std::string>("y")), "ac");
  checks.same(titles(checks, Cards::extra == std::nullopt), "abc");
}

void check_joined(Checks& checks) {
  checks.clear();
  for (const char* title : {"a", "b", "c", "d"})
    checks.table<Cards>().insert({.title = title, .points = title[0] - 'a'});
  const auto a = Cards::title == "a";
  const auto b = Cards::title == "b";
  checks.same(titles(checks, (a || b) && Cards::points > 0), "b");
  checks.same(titles(checks, a || (b && Cards::points > 0)), "ab");
  checks.same(titles(checks, !(a || b)), "cd");
  checks.same(titles(checks, !!a), "a");
  checks.same(titles(checks, Cards::points >= 1 && !(Cards::points == 3)), "bc");
}

void check_texts(Checks& checks) {
  checks.clear();
  const std::string bad = "' or 1=1 --";
  checks.table<Cards>().insert({.title = "a"});
  checks.table<Cards>().insert({.title = bad});
  checks.same(titles(checks, Cards::title == bad), bad);
  checks.same(titles(checks, Cards::title == "' or title != '"), "");
  checks.same(titles(checks, in(Cards::title, {"x') or ('a' = 'a", bad})), bad);
  checks.same(titles(checks, contains(Cards::title, "' OR")), bad);
  checks.same(titles(checks, contains(Cards::title, "%")), "");
  checks.same(titles(checks, contains(Cards::title, "_")), "");
  checks.same(titles(checks, contains(Cards::title, "\\")), "");
  checks.same(titles(checks, starts_with(Cards::title, "A")), "a");
  checks.same(titles(checks, Cards::id == Id<Cards>(bad)), "");
  checks.same(Checks::failure_of([&] {
                static_cast<void>(titles(checks, Cards::title == std::string(5000, 'x')));
              }),
              "expression.invalid: filter invalid");
}

void check_many(Checks& checks) {
  checks.clear();
  const auto label = checks.table<Labels>().insert({.name = "l"}).id;
  const auto board = checks.table<Boards>().insert({.name = tenon::new_id()}).id;
  const auto me = UserId::make();
  const auto cards = checks.table<Cards>();
  cards.insert({.title = "a", .colors = {CardsColors::red, CardsColors::green}, .labels = {label}});
  cards.insert({.title = "b", .board = board, .watchers = {me}});
  checks.same(titles(checks, has(Cards::colors, CardsColors::green)), "a");
  checks.same(titles(checks, !has(Cards::colors, CardsColors::green)), "b");
  checks.same(titles(checks, has_none(Cards::colors)), "b");
  checks.same(titles(checks, has(Cards::labels, label)), "a");
  checks.same(titles(checks, has(Cards::watchers, me) && Cards::board == board), "b");
  checks.same(titles(checks, has(Cards::watchers, UserId::make())), "");
  checks.same(titles(checks, has_none(Cards::labels)), "b");
  checks.same(titles(checks, !has_none(Cards::labels)), "a");
  checks.same(titles(checks, has_none(Cards::files)), "ab");
}

void check_order(Checks& checks) {
  checks.clear();
  const auto cards = checks.table<Cards>();
  cards.insert({.title = "a", .points = 2});
  cards.insert({.title = "b", .points = 1});
  cards.insert({.title = "c", .points = 2});
  const auto ordered = [&](auto... columns) {
    std::string all;
    for (const auto& card : cards.all().order_by(columns...).list())
      all += card.title;
    return all;
  };
  checks.same(ordered(Cards::points), "bac");
  checks.same(ordered(-Cards::points, Cards::title), "acb");
  checks.same(cards.all().order_by(-Cards::title).limit(2).list().size(), 2u);
  checks.same(cards.all().order_by(-Cards::title).first()->title, "c");
  checks.same(cards.all().limit(0).first().has_value(), false);
  checks.same(cards.all().limit(0).list().empty(), true);
  checks.same(cards.where(Cards::points == 2).limit(1).count(), 2);
  checks.same(cards.where(Cards::points == 2).exists(), true);
  checks.same(cards.where(Cards::points == 9).exists(), false);
  checks.same(cards.where(Cards::points == 2).where(Cards::title != "c").count(), 1);
  const auto pairs = cards.where(Cards::points == 1).select(Cards::title, Cards::body);
  checks.same(pairs, std::vector{std::tuple(std::string("b"), std::optional<std::string>())});
}

void check_pages(Checks& checks) {
  checks.clear();
  checks.db.transaction([&](tenon::Transaction& db) {
    const tenon::Table<Cards> cards(db, tenon::Actor::system());
    for (int i = 0; i < 250; ++i)
      cards.insert({.title = std::to_string(i), .points = i});
    checks.same(cards.all().list().size(), 250u);
  });
  const auto cards = checks.table<Cards>();
  checks.same(cards.all().list().size(), 250u);
  checks.same(cards.all().limit(230).order_by(-Cards::points).list().back().points, 20);
  checks.same(cards.all().page().items.size(), 50u);
  const auto first = cards.all().order_by(Cards::points).limit(200).page();
  const auto second = cards.all().order_by(Cards::points).limit(200).page(first.next);
  checks.same(first.items.size(), 200u);
  checks.same(second.items.size(), 50u);
  checks.same(second.items.front().points, 200);
  checks.same(second.next, "");
  checks.same(Checks::failure_of(
                  [&] { static_cast<void>(cards.all().order_by(Cards::title).page(first.next)); }),
              "records.bad_cursor");
  checks.same(
      Checks::failure_of([&] { static_cast<void>(cards.all().limit(201).page()); }).substr(0, 17),
      "records.bad_query");
  checks.db.read([&](tenon::Read& db) {
    checks.same(tenon::Table<Cards>(db, tenon::Actor::system()).all().count(), 250);
  });
  checks.clear();
}

}  // namespace

void check_queries(Checks& checks) {
  check_types(checks);
  check_empty(checks);
  check_joined(checks);
  check_texts(checks);
  check_many(checks);
  check_order(checks);
  check_pages(checks);
}
