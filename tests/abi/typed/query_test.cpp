// Which records a question finds.
#include "typed_database.hpp"

namespace tenon::test {
namespace {

using typed::tables::Boards;
using typed::tables::Cards;
using typed::tables::CardsColors;
using typed::tables::CardsMood;
using typed::tables::CardsState;
using typed::tables::Labels;
using typed::tables::NewCard;
using namespace std::chrono_literals;

class TypedQuery : public TypedDatabase {
 protected:
  static Id<Cards> add(Database& db, const NewCard& card) {
    return Table<Cards>(db).insert(card, std::nullopt);
  }
  /// Titles that a condition finds, in the order of their making.
  static std::string titles(Database& db, Condition<Cards> condition) {
    std::string all;
    const auto found =
        Table<Cards>(db).where(std::move(condition)).order_by(Cards::id).select(Cards::title);
    for (const std::string& title : found)
      all += title;
    return all;
  }
};

TEST_F(TypedQuery, ValuesAreComparedByTheirTypes) {
  with([](Database& db) {
    add(db, {.title = "a", .points = 1, .hours = 1.5, .due = Date(2026y / 1 / 1)});
    add(db, {.title = "b", .points = 2, .due = Date(2026y / 2 / 1), .state = CardsState::done});
    add(db, {.title = "c", .points = 3, .pinned = true, .mood = CardsMood::good});
    EXPECT_EQ(titles(db, Cards::points == 2), "b");
    EXPECT_EQ(titles(db, Cards::points != 2), "ac");
    EXPECT_EQ(titles(db, Cards::points >= 2), "bc");
    EXPECT_EQ(titles(db, Cards::hours > 1), "a");
    EXPECT_EQ(titles(db, Cards::pinned == true), "c");
    EXPECT_EQ(titles(db, Cards::state == CardsState::done), "b");
    EXPECT_EQ(titles(db, Cards::state != CardsState::done), "ac");
    EXPECT_EQ(titles(db, Cards::due < Date(2026y / 2 / 1)), "a");
    EXPECT_EQ(titles(db, Cards::created <= now() + 1h), "abc");
    EXPECT_EQ(titles(db, Cards::updated > Cards::created), "");
    EXPECT_EQ(titles(db, in(Cards::points, {1, 3})), "ac");
    EXPECT_EQ(titles(db, in(Cards::mood, {CardsMood::good})), "c");
    EXPECT_EQ(titles(db, in(Cards::points, {})), "");
  });
}

TEST_F(TypedQuery, EmptyIsAValueAsInExpressions) {
  with([](Database& db) {
    add(db, {.title = "a", .body = "x"});
    add(db, {.title = "b", .body = "y"});
    add(db, {.title = "c"});
    EXPECT_EQ(titles(db, Cards::body == std::nullopt), "c");
    EXPECT_EQ(titles(db, Cards::body != std::nullopt), "ab");
    EXPECT_EQ(titles(db, Cards::body != "x"), "bc");
    EXPECT_EQ(titles(db, !(Cards::body == "x")), "bc");
    EXPECT_EQ(titles(db, !(Cards::body < "y")), "bc");
    EXPECT_EQ(titles(db, Cards::body == std::optional<std::string>()), "c");
    EXPECT_EQ(titles(db, Cards::body == std::optional<std::string>("y")), "b");
    EXPECT_EQ(titles(db, Cards::body != std::optional<std::string>("y")), "ac");
  });
}

TEST_F(TypedQuery, ConditionsJoinAsTheyAreWritten) {
  with([](Database& db) {
    for (const char* title : {"a", "b", "c", "d"})
      add(db, {.title = title, .points = title[0] - 'a'});
    EXPECT_EQ(titles(db, (Cards::title == "a" || Cards::title == "b") && Cards::points > 0), "b");
    EXPECT_EQ(titles(db, Cards::title == "a" || (Cards::title == "b" && Cards::points > 0)), "ab");
    EXPECT_EQ(titles(db, !(Cards::title == "a" || Cards::title == "b")), "cd");
    const auto condition = Cards::points >= 1;
    EXPECT_EQ(titles(db, !condition), "a");
    EXPECT_EQ(titles(db, condition && !(Cards::points == 3)), "bc");
  });
}

TEST_F(TypedQuery, NoTextIsSql) {
  with([](Database& db) {
    const std::string bad = "' OR 1=1; --";
    add(db, {.title = "a"});
    add(db, {.title = bad});
    EXPECT_EQ(titles(db, Cards::title == bad), bad);
    EXPECT_EQ(titles(db, contains(Cards::title, "' or")), bad);
    EXPECT_EQ(titles(db, contains(Cards::title, "%")), "");
    EXPECT_EQ(titles(db, contains(Cards::title, "_")), "");
    EXPECT_EQ(titles(db, contains(Cards::title, "\\")), "");
    EXPECT_EQ(titles(db, starts_with(Cards::title, "A")), "a");
    EXPECT_EQ(titles(db, Cards::id == Id<Cards>(bad)), "");
  });
}

TEST_F(TypedQuery, ListsAndLinksAreAskedForTheirMembers) {
  with([](Database& db) {
    const auto label = Table<Labels>(db).insert({.name = "l"});
    const auto me = UserId::make();
    const auto board = Table<Boards>(db).insert({.name = "b"});
    add(db, {.title = "a", .colors = {CardsColors::red, CardsColors::green}, .labels = {label}});
    add(db, {.title = "b", .board = board, .watchers = {me}});
    EXPECT_EQ(titles(db, has(Cards::colors, CardsColors::green)), "a");
    EXPECT_EQ(titles(db, !has(Cards::colors, CardsColors::green)), "b");
    EXPECT_EQ(titles(db, has(Cards::labels, label)), "a");
    EXPECT_EQ(titles(db, has(Cards::watchers, me) && Cards::board == board), "b");
    EXPECT_EQ(titles(db, has(Cards::watchers, UserId::make())), "");
    EXPECT_EQ(titles(db, has_none(Cards::labels)), "b");
  });
}

TEST_F(TypedQuery, OrderAndLimit) {
  with([](Database& db) {
    add(db, {.title = "a", .points = 2});
    add(db, {.title = "b", .points = 1});
    add(db, {.title = "c", .points = 2});
    const Table<Cards> cards(db);
    const auto ordered = [&](auto... columns) {
      std::string all;
      for (const auto& card : cards.all().order_by(columns...).list())
        all += card.title;
      return all;
    };
    EXPECT_EQ(ordered(Cards::points), "bac");
    EXPECT_EQ(ordered(-Cards::points), "cab");
    EXPECT_EQ(ordered(-Cards::points, Cards::title), "acb");
    EXPECT_EQ(cards.all().order_by(-Cards::title).limit(2).list().size(), 2u);
    EXPECT_EQ(cards.all().order_by(-Cards::title).first()->title, "c");
    EXPECT_EQ(cards.all().order_by(-Cards::title).limit(0).first(), std::nullopt);
    EXPECT_EQ(cards.where(Cards::points == 2).limit(1).count(), 2);
    EXPECT_TRUE(cards.where(Cards::points == 2).exists());
    EXPECT_FALSE(cards.where(Cards::points == 9).exists());
    const auto pairs = cards.where(Cards::points == 1).select(Cards::title, Cards::body);
    EXPECT_EQ(
        pairs,
        (std::vector<std::tuple<std::string, std::optional<std::string>>>{{"b", std::nullopt}}));
    EXPECT_EQ(cards.where(Cards::points == 2).where(Cards::title != "c").remove(), 1);
    EXPECT_EQ(cards.count(), 2);
  });
}

}  // namespace
}  // namespace tenon::test
