#include "expression/tests/property.hpp"

#include <memory>

#include "base/tests/sampling.hpp"
#include "engines/tests/each_engine.hpp"
#include "expression/tests/postgresql_engine.hpp"
#include "expression/tests/sqlite_engine.hpp"

namespace tenon::expression::test {
namespace {

class ExpressionProperty : public data::test::EachEngine {
 protected:
  static std::unique_ptr<TestEngine> make_engine() {
    if (current() == data::Dialect::sqlite) return std::make_unique<SqliteEngine>();
    return std::make_unique<PostgresqlEngine>(data::test::PostgresqlCluster::shared().url());
  }
};
TENON_ON_BOTH_ENGINES(ExpressionProperty);

TEST_P(ExpressionProperty, SqlAgreesWithTheEvaluator) {
  SCOPED_TRACE(base::test::how_to_repeat());
  const base::test::SampledSteps steps(4);
  for (int seed = 1 + steps.first(); seed <= 4; seed += steps.interval())
    EXPECT_EQ(disagreement(*make_engine(), static_cast<std::uint64_t>(seed), 750), "");
}

}  // namespace
}  // namespace tenon::expression::test
