// A schema that is read as it was at one moment, whatever is written to it meanwhile.
#include <chrono>
#include <future>
#include <memory>
#include <string>

#include "data/copy/copy_source.hpp"
#include "data_copy/tests/copy_case.hpp"

namespace tenon::data::test {
namespace {

class SchemaSnapshotTest : public testing::Test {
 protected:
  SchemaSnapshotTest() : location_(folder_, Dialect::postgresql, "held") {
    Database database(location_.options);
    apply(database, copied_plugin());
    for (int i = 0; i < 3; ++i)
      database.exec("INSERT INTO tokens (what) VALUES ('before')");
  }

  std::unique_ptr<copying::CopySource> held() const {
    return copying::read_schema_snapshot(*location_.options.postgresql);
  }
  static copying::Table tokens(copying::CopySource& side) {
    for (copying::Table& table : side.tables()) {
      if (table.name == "tokens") return std::move(table);
    }
    throw std::runtime_error("there is no such table");
  }
  static std::string words(copying::CopySource& side) {
    const copying::Table table = tokens(side);
    std::string words;
    const auto stream = side.read(table, 0);
    while (const auto* row = stream->next())
      words.append(row->front().text()).append(" ");
    return words;
  }

  Folder folder_;
  const TestDatabase location_;
};

TEST_F(SchemaSnapshotTest, IsReadAsItWas) {
  const auto side = held();
  Database database(location_.options);
  database.exec("UPDATE tokens SET what = 'after'");
  EXPECT_EQ(words(*side), "before before before ");
  database.exec("DELETE FROM tokens");
  EXPECT_EQ(side->count(tokens(*side)), 3);
  EXPECT_EQ(words(*side), "before before before ");
  EXPECT_EQ(words(*held()), "");
}

TEST_F(SchemaSnapshotTest, MigrationsWaitUntilItIsReleased) {
  auto side = held();
  const auto later = std::async(std::launch::async, [this] {
    Database database(location_.options);
    Declaration next = copied_plugin();
    next.version = "1.1.0";
    next.migrations.push_back(migration(2, "ALTER TABLE tokens ADD COLUMN who TEXT",
                                        "ALTER TABLE tokens ADD COLUMN who text"));
    apply(database, next);
  });
  EXPECT_EQ(later.wait_for(std::chrono::milliseconds(300)), std::future_status::timeout);
  EXPECT_EQ(words(*side), "before before before ");
  side.reset();
  later.wait();
  EXPECT_EQ(tokens(*held()).columns.size(), 2u);
}

}  // namespace
}  // namespace tenon::data::test
