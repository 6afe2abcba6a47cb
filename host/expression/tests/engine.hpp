#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/cell.hpp"
#include "expression/sql.hpp"

namespace tenon::expression::test {

/// A database that the property is tried on.
class TestEngine {
 public:
  virtual ~TestEngine() = default;
  virtual Dialect dialect() const = 0;
  /// One statement without rows; parameters are ?1 or $1.
  virtual void run(const std::string& sql, data::Cells cells) = 0;
  /// The first column of all rows, read as `type`.
  virtual std::vector<Value> column(const std::string& sql, data::Cells cells, Type type) = 0;
};

}  // namespace tenon::expression::test
