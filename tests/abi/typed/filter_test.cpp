// Conditions become filters. Their values are literals, whatever they contain.
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tenon/plugin.hpp>

#include "base/error.hpp"
#include "expression/parse.hpp"
#include "records/query/filter_values.hpp"
#include "typed_tables.hpp"

namespace tenon::test {
namespace {

using expression::Kind;
using typed::tables::Boards;
using typed::tables::Cards;
using typed::tables::CardsColors;
using typed::tables::CardsMood;
using namespace std::chrono_literals;

/// The filter as the host parses it, with the values where their marks were.
expression::Node parsed(const Condition<Cards>& condition) {
  const Arguments values = condition.values().arguments();
  std::vector<data::Cell> cells;
  for (const tenon_cell& cell : values.cells()) {
    if (cell.type == TENON_CELL_INTEGER)
      cells.emplace_back(cell.as.integer);
    else if (cell.type == TENON_CELL_NUMBER)
      cells.emplace_back(cell.as.number);
    else
      cells.emplace_back(std::string_view(cell.as.bytes, cell.size));
  }
  return expression::parse(records::with_values(condition.filter(), cells)).root;
}

const std::vector<std::string> hostile = {"' or 1 = 1 --",
                                          "'",
                                          "''",
                                          "\\",
                                          "\\'",
                                          "?",
                                          "'?'",
                                          "') or (title = '",
                                          "null",
                                          "@user",
                                          "x' or can('typed.use') or 'x' = 'x",
                                          "%' or title like '%",
                                          "\n",
                                          "\xE2\x80\x99",
                                          ""};

TEST(TypedFilter, NoTextIsMoreThanAText) {
  for (const std::string& text : hostile) {
    const auto node = parsed(Cards::title == text);
    ASSERT_EQ(node.kind, Kind::equal) << text;
    EXPECT_EQ(node.children[0].kind, Kind::path) << text;
    EXPECT_EQ(node.children[1].kind, Kind::text) << text;
    EXPECT_EQ(node.children[1].text, text);
    const auto both = parsed(Cards::title != text && Cards::body < text);
    ASSERT_EQ(both.kind, Kind::and_) << text;
    EXPECT_EQ(both.children[1].children[1].text, text);
  }
}

TEST(TypedFilter, RefusesIdsAsPatternsAndListMembers) {
  for (const std::string& text : hostile) {
    EXPECT_EQ(parsed(Cards::board == Id<Boards>(text)).children[1].text, text);
    EXPECT_EQ(parsed(has(Cards::watchers, UserId(text))).children[1].text, text);
    const auto list = parsed(in(Cards::title, {text, "b", text}));
    ASSERT_EQ(list.kind, Kind::in) << text;
    ASSERT_EQ(list.children[1].children.size(), 3u) << text;
    EXPECT_EQ(list.children[1].children[2].text, text);
    const auto like = parsed(contains(Cards::title, text));
    ASSERT_EQ(like.kind, Kind::like) << text;
    EXPECT_EQ(like.children[1].text, "%" + detail::like_escaped(text) + "%");
  }
  EXPECT_EQ(detail::like_escaped("1%_\\"), "1\\%\\_\\\\");
}

TEST(TypedFilter, ValuesAreOfTheirTypes) {
  EXPECT_EQ(parsed(Cards::points == 5).children[1].kind, Kind::integer);
  EXPECT_EQ(parsed(Cards::points == -5).children[1].integer, -5);
  EXPECT_EQ(parsed(Cards::hours == 5).children[1].kind, Kind::number);
  EXPECT_EQ(parsed(Cards::pinned == true).children[1].kind, Kind::boolean);
  EXPECT_EQ(parsed(Cards::body == std::nullopt).children[1].kind, Kind::null_);
  EXPECT_EQ(parsed(Cards::due == Date(2026y / 1 / 2)).children[1].text, "2026-01-02");
  EXPECT_EQ(parsed(Cards::started < *parse_rfc3339("2026-01-02T03:04:05.006Z")).children[1].text,
            "2026-01-02T03:04:05.006Z");
  EXPECT_EQ(parsed(Cards::mood == CardsMood::it_s_so).children[1].text, "it's \"so\"");
  EXPECT_EQ(parsed(has(Cards::colors, CardsColors::red)).children[1].text, "red");
  EXPECT_EQ(parsed(in(Cards::points, {})).kind, Kind::boolean);
  EXPECT_THROW(parsed(Cards::hours == std::numeric_limits<double>::infinity()), base::Error);
}

TEST(TypedFilter, ConditionsJoinAsTheyAreWritten) {
  const auto a = Cards::title == "a";
  const auto b = Cards::title == "b";
  const auto c = Cards::title == "c";
  EXPECT_EQ((a && b && c).filter(), "title = ? and title = ? and title = ?");
  EXPECT_EQ((a || (b || c)).filter(), "title = ? or title = ? or title = ?");
  EXPECT_EQ(((a || b) && c).filter(), "(title = ? or title = ?) and title = ?");
  EXPECT_EQ((a || (b && c)).filter(), "title = ? or (title = ? and title = ?)");
  EXPECT_EQ((!(a && b) && c).filter(), "not (title = ? and title = ?) and title = ?");
  EXPECT_EQ((!!a).filter(), "not (not (title = ?))");
  const auto node = parsed(a || (b && !c));
  EXPECT_EQ(node.children[1].children[1].children[0].children[1].text, "c");
}

TEST(TypedFilter, ManyJoinedConditionsAreNotDeep) {
  auto all = Cards::title == "0";
  for (int i = 1; i < 50; ++i)
    all = std::move(all) && Cards::title != std::to_string(i);
  EXPECT_EQ(parsed(all).children.size(), 50u);
}

}  // namespace
}  // namespace tenon::test
