// Records in and out.
#include <limits>

#include "typed_database.hpp"

namespace tenon::test {
namespace {

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

using TypedTables = TypedDatabase;

TEST_F(TypedTables, EveryTypeGoesInAndOut) {
  with([](Database& db) {
    const Table<Cards> cards(db);
    const auto board = Table<Boards>(db).insert({.name = "Board", .class_ = "c"});
    const auto red = Table<Labels>(db).insert({.name = "red"});
    const auto blue = Table<Labels>(db).insert({.name = "blue"});
    const auto me = UserId::make();
    const auto you = UserId::make();
    const NewCard made{.title = "a'; DROP TABLE x;--",
                       .body = "ü\"'",
                       .points = std::numeric_limits<std::int64_t>::min(),
                       .hours = 0.1,
                       .pinned = true,
                       .due = Date(2026y / 2 / 28),
                       .started = parse_rfc3339("2026-11-20T08:15:30.123Z"),
                       .extra = JsonText{R"({"a":[1,null]})"},
                       .state = CardsState::in_progress,
                       .mood = CardsMood::it_s_so,
                       .colors = {CardsColors::green, CardsColors::red},
                       .flags = std::vector{CardsFlags::b},
                       .board = board,
                       .labels = {blue, red},
                       .owner = me,
                       .watchers = {you, me},
                       .team = GroupId::make(),
                       .cover = File{"f1", "a \"b\".png", "image/png", 7},
                       .files = {{"f2", "b", "", 0}, {"f3", "c", "text/plain", 1}}};
    const auto id = cards.insert(made, me);
    const auto card = cards.get(id).value();
    EXPECT_EQ(card.id, id);
    EXPECT_EQ(card.title, made.title);
    EXPECT_EQ(card.body, made.body);
    EXPECT_EQ(card.points, made.points);
    EXPECT_EQ(card.hours, made.hours);
    EXPECT_TRUE(card.pinned);
    EXPECT_EQ(card.due, made.due);
    EXPECT_EQ(card.started, made.started);
    EXPECT_EQ(parse_json(card.extra->text), parse_json(made.extra->text));
    EXPECT_EQ(card.state, CardsState::in_progress);
    EXPECT_EQ(card.mood, CardsMood::it_s_so);
    EXPECT_EQ(card.colors, made.colors);
    EXPECT_EQ(card.flags, *made.flags);
    EXPECT_EQ(card.board, board);
    EXPECT_EQ(card.parent, std::nullopt);
    EXPECT_EQ(card.labels, made.labels);
    EXPECT_EQ(card.owner, me);
    EXPECT_EQ(card.watchers, made.watchers);
    EXPECT_EQ(card.team, made.team);
    EXPECT_EQ(card.cover, made.cover);
    EXPECT_EQ(card.files, made.files);
    EXPECT_EQ(card.created, card.updated);
    EXPECT_EQ(card.created_by, me);
    EXPECT_EQ(card.updated_by, me);
    EXPECT_EQ(card.version, 1);
    EXPECT_EQ(Table<Boards>(db).get(board)->class_, "c");
  });
}

TEST_F(TypedTables, WhatIsLeftOutHasItsDefaultOrIsEmpty) {
  with([](Database& db) {
    const auto own = Id<Cards>::make();
    const Table<Cards> cards(db);
    EXPECT_EQ(cards.insert({.id = own, .title = "a"}, std::nullopt), own);
    const auto card = cards.get(own).value();
    EXPECT_EQ(card.body, std::nullopt);
    EXPECT_EQ(card.points, 1);
    EXPECT_FALSE(card.pinned);
    EXPECT_EQ(card.due, std::nullopt);
    EXPECT_EQ(card.state, CardsState::open);
    EXPECT_EQ(card.mood, std::nullopt);
    EXPECT_TRUE(card.colors.empty());
    EXPECT_EQ(card.flags, std::vector{CardsFlags::a});
    EXPECT_TRUE(card.labels.empty());
    EXPECT_TRUE(card.files.empty());
    EXPECT_EQ(card.created_by, std::nullopt);
    EXPECT_EQ(cards.get(Id<Cards>::make()), std::nullopt);
  });
}

TEST_F(TypedTables, AChangeIsPartial) {
  with([](Database& db) {
    const Table<Cards> cards(db);
    const auto me = UserId::make();
    const auto label = Table<Labels>(db).insert({.name = "l"});
    const auto id = cards.insert({.title = "a",
                                  .due = Date(2026y / 1 / 2),
                                  .colors = {CardsColors::red},
                                  .labels = {label},
                                  .watchers = {me}},
                                 std::nullopt);
    EXPECT_TRUE(cards.update(id, {.title = "b", .due = std::nullopt}, me));
    auto card = cards.get(id).value();
    EXPECT_EQ(card.title, "b");
    EXPECT_EQ(card.due, std::nullopt);
    EXPECT_EQ(card.labels, std::vector{label});
    EXPECT_EQ(card.created_by, std::nullopt);
    EXPECT_EQ(card.updated_by, me);
    EXPECT_GE(card.updated, card.created);
    EXPECT_EQ(card.version, 2);
    EXPECT_TRUE(cards.update(id,
                             {.colors = std::vector<CardsColors>(),
                              .labels = std::vector<Id<Labels>>(),
                              .watchers = std::vector{UserId::make(), me}},
                             me));
    card = cards.get(id).value();
    EXPECT_TRUE(card.colors.empty());
    EXPECT_TRUE(card.labels.empty());
    EXPECT_EQ(card.watchers.size(), 2u);
    EXPECT_EQ(card.watchers.back(), me);
    EXPECT_FALSE(cards.update(Id<Cards>::make(), {.title = "c", .watchers = std::vector{me}}, me));
    const Table<Boards> boards(db);
    const auto board = boards.insert({.name = "n"});
    EXPECT_TRUE(boards.update(board, {}));
    EXPECT_FALSE(boards.update(Id<Boards>::make(), {}));
  });
}

TEST_F(TypedTables, AChangeOfAnotherVersionIsAConflict) {
  with([](Database& db) {
    const Table<Labels> labels(db);
    const auto id = labels.insert({.name = "a"});
    EXPECT_TRUE(labels.update(id, Expected{1}, {.name = "b"}));
    EXPECT_EQ(failure_of([&] { labels.update(id, Expected{1}, {.name = "c"}); }),
              "records.conflict");
    EXPECT_FALSE(labels.update(Id<Labels>::make(), Expected{1}, {.name = "c"}));
    EXPECT_EQ(failure_of([&] { labels.remove(id, Expected{1}); }), "records.conflict");
    EXPECT_EQ(labels.get(id)->name, "b");
    EXPECT_TRUE(labels.remove(id, Expected{2}));
    EXPECT_FALSE(labels.remove(id, Expected{2}));
    const Table<Cards> cards(db);
    const auto card = cards.insert({.title = "a"}, std::nullopt);
    EXPECT_EQ(failure_of([&] {
                cards.update(card, Expected{9}, {.title = "b", .labels = std::vector{id}},
                             std::nullopt);
              }),
              "records.conflict");
  });
}

TEST_F(TypedTables, WhatTheDatabaseRefusesNamesItsFields) {
  with([](Database& db) {
    const Table<Boards> boards(db);
    const Table<Cards> cards(db);
    const Table<Parts> parts(db);
    const auto board = boards.insert({.name = "a"});
    const auto nobody = UserId::make();
    EXPECT_EQ(failure_of([&] { boards.insert({.name = "a"}); }), "data.unique: name unique");
    EXPECT_EQ(failure_of([&] { boards.insert({.id = board, .name = "b"}); }),
              "data.unique: id unique");
    EXPECT_EQ(failure_of([&] { boards.insert({.name = std::string(51, 'x')}); }),
              "data.check: name invalid");
    const auto card = cards.insert({.title = "a", .board = board}, nobody);
    EXPECT_EQ(failure_of([&] { cards.insert({.title = "a", .board = board}, nobody); }),
              "data.unique: board unique, title unique");
    EXPECT_EQ(
        failure_of([&] { cards.insert({.title = "b", .board = Id<Boards>::make()}, nobody); }),
        "data.reference: board reference");
    EXPECT_EQ(failure_of([&] {
                cards.update(card,
                             {.title = "never",
                              .parent = Id<Cards>::make(),
                              .labels = std::vector{Id<Labels>::make()}},
                             nobody);
              }),
              "data.reference: parent reference, labels reference");
    EXPECT_EQ(failure_of([&] {
                cards.update(card, {.title = "never", .labels = std::vector{Id<Labels>::make()}},
                             nobody);
              }),
              "data.reference: labels reference");
    EXPECT_EQ(cards.get(card)->title, "a");
    EXPECT_EQ(failure_of([&] {
                cards.insert({.title = "twice", .watchers = {nobody, nobody}}, nobody);
              }),
              "data.duplicate: watchers duplicate");
    EXPECT_FALSE(cards.where(Cards::title == "twice").exists());
    EXPECT_EQ(failure_of([&] { cards.insert({.title = "j", .extra = JsonText{"{"}}, nobody); }),
              "data.check: extra invalid");
    EXPECT_EQ(failure_of([&] { parts.insert({.card = card, .kinds = {PartsKinds::x}}); }),
              "data.required: done_by required");
    EXPECT_EQ(failure_of([&] { parts.insert({.card = card, .done_by = {nobody}}); }),
              "data.required: kinds required");
    const auto part = parts.insert({.card = card, .done_by = {nobody}, .kinds = {PartsKinds::y}});
    EXPECT_EQ(failure_of([&] { parts.update(part, {.kinds = std::vector<PartsKinds>()}); }),
              "data.required: kinds required");
    EXPECT_EQ(failure_of([&] { parts.update(part, {.done_by = std::vector<UserId>()}); }),
              "data.required: done_by required");
    EXPECT_EQ(failure_of([&] { cards.remove(card); }), "data.reference");
    EXPECT_TRUE(parts.remove(part));
    EXPECT_TRUE(cards.remove(card));
  });
}

TEST_F(TypedTables, ATransactionHoldsSeveralChanges) {
  with([](Database& db) {
    EXPECT_THROW(db.transaction([](Transaction& tx) {
      const Table<Cards> cards(tx);
      const auto id = cards.insert({.title = "a", .watchers = {UserId::make()}}, std::nullopt);
      EXPECT_TRUE(cards.update(id, {.title = "b"}, std::nullopt));
      EXPECT_EQ(cards.get(id)->title, "b");
      throw Error(409, "test.stop", "Stop.");
    }),
                 Error);
    EXPECT_EQ(Table<Cards>(db).count(), 0);
    EXPECT_EQ(db.first<std::int64_t>("SELECT count(*) FROM cards__watchers"), 0);
  });
}

TEST_F(TypedTables, WhatStandsThereWronglyIsABug) {
  with([](Database& db) {
    const auto id = Table<Cards>(db).insert({.title = "a"}, std::nullopt);
    db.exec("PRAGMA ignore_check_constraints = ON");
    db.exec("UPDATE cards SET mood = 'bad'");
    EXPECT_THROW(static_cast<void>(Table<Cards>(db).get(id)), Misuse);
    db.exec("UPDATE cards SET mood = NULL, due = 'soon'");
    EXPECT_THROW(static_cast<void>(Table<Cards>(db).get(id)), Misuse);
  });
}

}  // namespace
}  // namespace tenon::test
