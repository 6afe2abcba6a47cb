#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/records.hpp>
#include <tenon/tables.hpp>

namespace tenon {

/// A pending write of a record of T, which a before-write callback borrows: a RecordWrite with
/// structs. Use it on one thread only.
template <class T>
class TypedWrite {
 public:
  using Record = typename T::Record;
  using Patch = typename T::Patch;

  explicit TypedWrite(const RecordWrite& write)
      : raw_(&write), before_json_(write.before()), change_json_(write.change()) {
    if (!before_json_.is_null()) before_ = detail::read_record<T>(before_json_);
    if (!change_json_.is_null()) change_ = detail::read_patch<T>(change_json_);
  }
  TypedWrite(const TypedWrite&) = delete;
  TypedWrite& operator=(const TypedWrite&) = delete;

  RecordOperation operation() const noexcept { return raw_->operation(); }
  Id<T> id() const { return Id<T>(std::string(raw_->id())); }
  /// Returns the current record; empty for a create.
  const std::optional<Record>& before() const noexcept { return before_; }
  /// Returns the fields that are set; none for a delete.
  const Patch& change() const noexcept { return change_; }
  /// Returns the record after the write, with the defaults of fields that a create omits; for a
  /// delete the current record. Fields that the host sets during the write are not known yet:
  /// `version`, `updated` and similar fields have their current values, and none for a create.
  Record record() const {
    Json json = before_json_;
    if (json.is_null()) {
      json = parse_json(T::Info::defaults);
      json["id"] = raw_->id();
    }
    if (!change_json_.is_null()) json.update(change_json_);
    return detail::read_record<T>(json, detail::Fields::some);
  }

  /// Returns the requesting user; empty if anonymous.
  std::optional<UserId> user() const {
    if (raw_->user().empty()) return std::nullopt;
    return UserId(std::string(raw_->user()));
  }
  /// Returns true if the plugin makes the write as Actor::system() or without rules.
  bool is_without_rules() const noexcept { return raw_->is_without_rules(); }
  /// Returns the user who makes the write, for further writes in its transaction.
  Actor actor() const noexcept { return raw_->actor(); }
  /// Returns the transaction of the write. Changes made in it are committed or rolled back together
  /// with the write.
  Transaction& db() const noexcept { return raw_->db(); }

  /// Sets fields in addition to those of the change, or replaces them. Throws Error if a field is
  /// invalid. The values that this object returns do not change.
  void set(const Patch& fields) const { raw_->set(detail::body_of<T>(fields)); }
  /// Reports an invalid field, e.g. `Cards::title`. The client then gets 422.
  template <class Field>
  requires(std::same_as<Field, Column<T, typename Field::Value>> ||
           std::same_as<
               Field,
               ManyColumn<T, typename Field::Value::value_type>>) void refuse(const Field& field,
                                                                              std::string_view code,
                                                                              std::string_view
                                                                                  message) const {
    raw_->refuse(field.name, code, message);
  }

 private:
  const RecordWrite* raw_;
  Json before_json_;
  Json change_json_;
  std::optional<Record> before_;
  Patch change_;
};

/// A change of a record of T, with the current record.
template <class T>
struct TypedChange {
  RecordOperation operation = RecordOperation::update;
  std::int64_t sequence = 0;  ///< position in the plugin's change log; increases
  Id<T> id;                   ///< empty for RecordOperation::gap
  /// Empty if the record is deleted. It may have changed again since; another change follows then.
  std::optional<typename T::Record> record;
};

namespace detail {

/// Returns the changes with their records. It reads at most `max_ids` records in one query, because
/// the number of values in an expression is limited.
template <class T>
std::vector<TypedChange<T>> with_records(const Statements& db,
                                         const std::vector<RecordChange>& changes) {
  constexpr std::size_t max_ids = 50;
  std::vector<TypedChange<T>> typed;
  typed.reserve(changes.size());
  std::map<Id<T>, std::optional<typename T::Record>> records;
  for (const RecordChange& change : changes) {
    typed.push_back({change.operation, change.sequence, Id<T>(std::string(change.id)), {}});
    if (change.operation == RecordOperation::create || change.operation == RecordOperation::update)
      records.try_emplace(typed.back().id);
  }
  std::vector<Id<T>> ids;
  const auto read = [&] {
    for (auto& record : Table<T>(db, Actor::system()).where(in(T::id, ids)).list())
      records[record.id] = std::move(record);
    ids.clear();
  };
  for (const auto& [id, record] : records) {
    ids.push_back(id);
    if (ids.size() == max_ids) read();
  }
  if (!ids.empty()) read();
  for (TypedChange<T>& change : typed) {
    if (const auto found = records.find(change.id); found != records.end())
      change.record = found->second;
  }
  return typed;
}

}  // namespace detail

template <class T, class F>
void Records::before_write(RecordOperation operations, F work) {
  before_write(T::Info::table, operations,
               [work = std::move(work)](const RecordWrite& write) mutable {
                 const TypedWrite<T> typed(write);
                 work(typed);
               });
}

template <class T, class F>
void Records::after_write(F work) {
  after_write(T::Info::table, [work = std::move(work),
                               link = link_](const std::vector<RecordChange>& changes) mutable {
    const Database db(*link);
    work(detail::with_records<T>(db, changes));
  });
}

}  // namespace tenon
