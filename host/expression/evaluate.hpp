#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expression/check.hpp"
#include "expression/context.hpp"

namespace tenon::expression {

/// A record as the evaluator sees it: as stored now, before a change or after it. Not for several
/// threads at once.
class Record {
 public:
  virtual ~Record() = default;
  /// Returns the value of the column `field`; also of "id".
  virtual Value value(std::string_view field) const = 0;
  /// The values of a many field: ids, choices, or files as JSON.
  virtual std::vector<std::string> members(std::string_view field) const = 0;
};

/// Finds the records that references lead to.
class Records {
 public:
  virtual ~Records() = default;
  /// nullptr where there is none.
  virtual std::shared_ptr<const Record> find(std::string_view table, std::string_view id) = 0;
};

/// Returns the same value as the SQL of the expression for this record. Booleans are integers 0 and
/// 1.
Value evaluate(const Checked& checked, const Record& record, Records& records,
               const Context& context);

/// Evaluates a condition.
bool holds(const Checked& checked, const Record& record, Records& records, const Context& context);

/// Returns the value of a condition if it is the same for all records under this context: false
/// needs no query, true needs no WHERE. Reads no record; nullopt if the value is unknown.
std::optional<bool> is_constant(const Checked& checked, const Context& context);

/// Whether the permissions of this context alone make the condition what is_constant() says: it
/// would be the same for any other user with them, in any groups, at any time.
bool is_decided_by_permissions(const Checked& checked, const Context& context);

}  // namespace tenon::expression
