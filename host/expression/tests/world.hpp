#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "expression/evaluate.hpp"
#include "expression/tests/engine.hpp"
#include "schema/tables.hpp"

namespace tenon::expression::test {

using Random = std::mt19937_64;

/// A number below `bound`, the same on every platform.
inline std::size_t below(Random& random, std::size_t bound) {
  return static_cast<std::size_t>(random() % bound);
}
template <typename List>
const auto& one_of(Random& random, const List& list) {
  return list[below(random, list.size())];
}

/// Tables with fields of every type, to-one, to-many and to themselves.
data::schema::Tables world_tables();

/// The texts from which values, and literals of expressions, are chosen.
extern const std::vector<std::string> texts;
extern const std::vector<std::int64_t> integers;
extern const std::vector<double> numbers;
extern const std::vector<std::string> dates;
extern const std::vector<std::string> datetimes;
extern const std::vector<std::string> stages;

/// Ids of the records of a table, or those of another database.
std::vector<std::string> ids_of(std::string_view table);

class MemoryRecord : public Record {
 public:
  Value value(std::string_view field) const override;
  std::vector<std::string> members(std::string_view field) const override;

  std::map<std::string, Value, std::less<>> values;
  std::map<std::string, std::vector<std::string>, std::less<>> many;
};

/// Random records in memory, which can be written to an engine.
class World : public Records {
 public:
  explicit World(Random& random);
  std::shared_ptr<const Record> find(std::string_view table, std::string_view id) override;
  /// Makes the tables, link tables too, and writes every record.
  void write(TestEngine& engine) const;

  const data::schema::Tables tables = world_tables();

 private:
  void fill(const data::schema::Table& table, MemoryRecord& record, Random& random);

  std::map<std::string, std::map<std::string, std::shared_ptr<MemoryRecord>>, std::less<>> records_;
};

}  // namespace tenon::expression::test
