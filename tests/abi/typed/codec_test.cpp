// Structs to JSON and back.
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include <tenon/plugin.hpp>

#include "typed_tables.hpp"

namespace tenon::test {
namespace {

using typed::tables::Card;
using typed::tables::CardPatch;
using typed::tables::Cards;
using typed::tables::CardsColors;
using typed::tables::CardsFlags;
using typed::tables::CardsState;
using typed::tables::NewCard;
using typed::tables::Parts;
using namespace std::chrono_literals;

Json whole() {
  return {{"id", "c1"},
          {"title", "A"},
          {"points", 3},
          {"pinned", true},
          {"state", "In progress"},
          {"flags", {"a"}},
          {"created", "2026-11-20T08:15:30.123Z"},
          {"updated", "2026-11-20T08:15:30.123Z"},
          {"version", 4}};
}

Card read(const Json& json) {
  return detail::read_record<Cards>(json);
}

TEST(TypedCodec, LeavesMissingMembersEmpty) {
  const Card card = read(whole());
  EXPECT_EQ(card.id.text(), "c1");
  EXPECT_EQ(card.state, CardsState::in_progress);
  EXPECT_EQ(card.flags, std::vector{CardsFlags::a});
  EXPECT_EQ(card.body, std::nullopt);
  EXPECT_EQ(card.budget, std::nullopt);
  EXPECT_EQ(card.secret, std::nullopt);
  EXPECT_TRUE(card.labels.empty());
  EXPECT_EQ(card.version, 4);
}

TEST(TypedCodec, WhatIsNotAsDeclaredIsABug) {
  const auto with = [](const char* name, const Json& value) {
    Json json = whole();
    json[name] = value;
    return json;
  };
  EXPECT_THROW(read(with("title", nullptr)), Misuse);
  EXPECT_THROW(read(with("title", 1)), Misuse);
  EXPECT_THROW(read(with("state", "gone")), Misuse);
  EXPECT_THROW(read(with("due", "soon")), Misuse);
  EXPECT_THROW(read(with("colors", {"blue"})), Misuse);
  EXPECT_THROW(read(with("cover", {{"name", "a"}})), Misuse);
  Json less = whole();
  less.erase("title");
  EXPECT_THROW(read(less), Misuse);
  EXPECT_EQ(detail::read_record<Cards>(less, detail::Fields::some).title, "");
}

TEST(TypedCodec, ABodyHasWhatIsSet) {
  EXPECT_EQ(detail::body_of<Cards>(NewCard{.title = "a"}), Json({{"title", "a"}}));
  EXPECT_EQ(detail::body_of<Cards>(CardPatch{}), Json::object());
  EXPECT_EQ(detail::body_of<Cards>(CardPatch{.body = std::nullopt,
                                             .due = Date(2026y / 2 / 28),
                                             .extra = JsonText{R"({"a":[1,null]})"},
                                             .state = CardsState::done,
                                             .colors = std::vector<CardsColors>()}),
            Json({{"body", nullptr},
                  {"due", "2026-02-28"},
                  {"extra", {{"a", {1, nullptr}}}},
                  {"state", "done"},
                  {"colors", Json::array()}}));
  EXPECT_EQ(detail::body_of<Cards>(NewCard{.title = "a",
                                           .cover = File::of_upload("u"),
                                           .files = {{.id = "f", .name = "n", .type = "t"}}}),
            Json({{"title", "a"}, {"cover", {{"upload", "u"}}}, {"files", {{{"id", "f"}}}}}));
}

TEST(TypedCodec, WhatHasNoTextIsRefused) {
  EXPECT_THROW(detail::body_of<Cards>(CardPatch{.hours = std::numeric_limits<double>::quiet_NaN()}),
               Misuse);
  EXPECT_THROW(detail::body_of<Cards>(CardPatch{.extra = JsonText{"{"}}), Error);
}

TEST(TypedCodec, APatchIsReadAsItWasSet) {
  const CardPatch patch = detail::read_patch<Cards>(
      {{"title", "b"}, {"due", nullptr}, {"labels", {"l1"}}, {"cover", {{"id", "f"}}}});
  EXPECT_EQ(patch.title.value(), "b");
  EXPECT_TRUE(patch.due.is_set());
  EXPECT_EQ(patch.due.value(), std::nullopt);
  EXPECT_EQ(patch.labels.value().front().text(), "l1");
  EXPECT_EQ(patch.cover.value()->id, "f");
  EXPECT_FALSE(patch.body.is_set());
  EXPECT_FALSE(patch.points.is_set());
}

TEST(TypedCodec, DefaultsAreThoseOfTheTable) {
  EXPECT_EQ(parse_json(Cards::Info::defaults), Json({{"points", 1},
                                                     {"pinned", false},
                                                     {"state", "open"},
                                                     {"flags", {"a"}},
                                                     {"budget", 0},
                                                     {"secret", "s"}}));
  EXPECT_EQ(parse_json(Parts::Info::defaults), Json::object());
}

}  // namespace
}  // namespace tenon::test
