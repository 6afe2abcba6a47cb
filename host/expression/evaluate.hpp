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
  /// What the column `field` holds; "id" too.
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

/// What the SQL of the expression gives for this record. Booleans are integers 0 and 1.
Value evaluate(const Checked& checked, const Record& record, Records& records,
               const Context& context);

/// As evaluate(), for conditions.
bool holds(const Checked& checked, const Record& record, Records& records, const Context& context);

/// Whether a condition is the same for all records under this context, and what it is: false can be
/// answered without a query, true needs no WHERE. Looks at no record; nullopt where it cannot tell.
std::optional<bool> is_constant(const Checked& checked, const Context& context);

/// Whether the permissions of this context alone make the condition what is_constant() says: it
/// would be the same for any other user with them, in any groups, at any time.
bool is_decided_by_permissions(const Checked& checked, const Context& context);

}  // namespace tenon::expression
