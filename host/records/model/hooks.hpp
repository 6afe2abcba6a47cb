#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "blobs/blobs.hpp"
#include "expression/context.hpp"
#include "records/api/body.hpp"

namespace tenon::data {
class JsonText;
class Transaction;
}  // namespace tenon::data

namespace tenon::records {

/// An operation on a record.
enum class RecordOperation : std::uint8_t { create, update, remove };

/// A write that is about to be made.
struct PendingWrite {
  RecordOperation operation;
  const TableModel& table;
  std::string_view id;
  std::string_view before;  ///< the whole record, JSON; empty for a create
  std::string_view change;  ///< the fields that are set, JSON; empty for a delete
  const expression::Context& context;
  bool enforce_rules = true;  ///< false: made by the plugin for itself
};

/// The result of a plugin's hook before a write.
struct HookResult {
  std::vector<Change> changes;             ///< replace those of the write, or are added to them
  std::vector<blobs::Blobs::Claim> ended;  ///< of records that it deleted in the transaction
};

/// Code of a plugin that runs when its tables are written and read. Thread-safe. Keeps no reference
/// to its arguments.
class Hooks {
 public:
  virtual ~Hooks() = default;
  virtual bool has_before(std::string_view table, RecordOperation operation) const noexcept = 0;
  virtual bool has_extender(std::string_view table) const noexcept = 0;
  /// The table with every field open; of has_before() only.
  virtual const TableModel& unrestricted(std::string_view table) const = 0;
  /// Runs while the write lock is held. An exception rolls back the write and becomes its response.
  virtual HookResult before(const PendingWrite& write, data::Transaction& transaction) = 0;
  /// Appends the records, each with the added data as its last member "extra". `records` is a JSON
  /// array or one object. If the plugin fails they are appended unchanged.
  virtual void extend(const TableModel& table, const expression::Context& context,
                      std::string_view records, data::JsonText& text) = 0;
};

/// The hooks where they have any for the table, else null.
inline std::shared_ptr<Hooks> hooks_of(const std::shared_ptr<Hooks>& hooks,
                                       std::string_view table) {
  const bool has_any =
      hooks && (hooks->has_extender(table) || hooks->has_before(table, RecordOperation::create) ||
                hooks->has_before(table, RecordOperation::update) ||
                hooks->has_before(table, RecordOperation::remove));
  return has_any ? hooks : nullptr;
}

}  // namespace tenon::records
