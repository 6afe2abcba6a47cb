#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "expression/sql.hpp"

namespace tenon::expression {

/// Writes one typed expression as SQL. Every node becomes an expression that can be an operand of
/// any operator.
class SqlWriter {
 public:
  explicit SqlWriter(const SqlOptions& options)
      : dialect_(options.dialect), alias_(options.alias), first_(options.first_parameter) {}

  /// `is_exact`: false, not null, where it does not hold.
  std::string condition(const Typed& node, bool is_exact);
  std::string value(const Typed& node);
  std::vector<Slot> take_slots() { return std::move(slots_); }

 private:
  bool is_sqlite() const noexcept { return dialect_ == Dialect::sqlite; }

  // conditions (sql_conditions.cpp)
  std::string joined(const Typed& node, std::size_t first, std::size_t last, bool is_exact);
  std::string equality(const Typed& node, bool is_exact);
  std::string order(const Typed& node);
  std::string in_list(const Typed& node);
  std::string in_groups(const Typed& node);
  std::string like(const Typed& node);
  std::string negated(const Typed& inner);

  // values (sql_values.cpp)
  std::string raw(const Typed& node);
  std::string arithmetic(const Typed& node);
  std::string function(const Typed& node);
  std::string cast(const std::string& sql, Type type) const;
  std::string collated(const Typed& node);
  std::string parameter(Slot slot, Type type);

  // paths (sql_paths.cpp)
  std::string column(const Path& path);
  std::string any(const Typed& node);
  std::string is_empty(const Path& path);
  std::string new_alias() { return "e" + std::to_string(++aliases_); }

  /// The source and condition of a path, and the SQL of its values.
  struct Source {
    std::string from;
    std::string where;
    std::string value;
  };
  Source source(const Path& path);
  std::string members(const std::string& column, const std::string& alias) const;

  const Dialect dialect_;
  const std::string alias_;
  const std::size_t first_;
  std::vector<Slot> slots_;
  std::size_t aliases_ = 0;
  std::string member_;  ///< the value that the innermost EXISTS looks at
};

}  // namespace tenon::expression
