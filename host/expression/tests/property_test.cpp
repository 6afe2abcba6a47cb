#include "expression/tests/property.hpp"

#include <gtest/gtest.h>

#include "expression/tests/sqlite_engine.hpp"

namespace tenon::expression::test {
namespace {

TEST(ExpressionPropertyTest, SqliteAgreesWithTheEvaluator) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    SqliteEngine engine;
    EXPECT_EQ(disagreement(engine, seed, 750), "");
  }
}

}  // namespace
}  // namespace tenon::expression::test
