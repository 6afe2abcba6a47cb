#include "records/query/filter_values.hpp"

#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "expression/parse.hpp"

namespace tenon::records {
namespace {

std::string refusal(std::string_view filter, const std::vector<data::Cell>& values) {
  try {
    with_values(filter, values);
    return "none";
  } catch (const base::Error& error) {
    return error.code();
  }
}

TEST(FilterValues, AValueReplacesEachMark) {
  const std::vector<data::Cell> values{"a", 7, -2, 1.5, nullptr};
  EXPECT_EQ(with_values("a = ? and b = ? or c in (?, ?) or d = ?", values),
            "a = 'a' and b = 7 or c in ((-2), 1.5) or d = null");
  EXPECT_EQ(with_values("", {}), "");
}

TEST(FilterValues, AMarkInsideATextIsText) {
  const std::vector<data::Cell> values{"x"};
  EXPECT_EQ(with_values("a = 'why?' and b = 'it''s ?' and c = ?", values),
            "a = 'why?' and b = 'it''s ?' and c = 'x'");
}

TEST(FilterValues, NoTextEndsItsQuotes) {
  for (const char* text : {"' or true or a = '", "''", "'", "?", "\\'", "a\nb"}) {
    const std::vector<data::Cell> values{text};
    const std::string bound = with_values("a = ?", values);
    const auto parsed = expression::parse(bound);
    std::string again = "a = '";
    for (const char* byte = text; *byte != 0; ++byte)
      again.append(*byte == '\'' ? 2 : 1, *byte);
    EXPECT_EQ(bound, again + "'");
  }
}

TEST(FilterValues, KeepNumberAndIntegerTypes) {
  const auto bound = [](const data::Cell& value) {
    const std::vector<data::Cell> values{value};
    return with_values("?", values);
  };
  EXPECT_EQ(bound(2.0), "2.0");
  EXPECT_EQ(bound(std::numeric_limits<std::int64_t>::min()), "(-9223372036854775808)");
  for (const double number : {1e300, 1e-300, -0.5, 123456789012345680.0}) {
    const auto parsed = expression::parse(bound(number));
    EXPECT_NE(bound(number).find_first_of(".e"), std::string::npos);
  }
}

TEST(FilterValues, RefuseWrongCountsAndInvalidValues) {
  EXPECT_EQ(refusal("a = ?", {}), "records.bad_query");
  EXPECT_EQ(refusal("a = 1", {"x"}), "records.bad_query");
  EXPECT_EQ(refusal("a = ?", {data::Cell::blob("x")}), "records.bad_query");
  EXPECT_EQ(refusal("a = ?", {std::numeric_limits<double>::infinity()}), "records.bad_query");
}

}  // namespace
}  // namespace tenon::records
