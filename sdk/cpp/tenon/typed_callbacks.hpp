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

/// A write of a record of T that is about to be made, lent to a callback before it: RecordWrite
/// with structs. One thread.
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
  /// The record as it is; empty for a create.
  const std::optional<Record>& before() const noexcept { return before_; }
  /// What is set; nothing for a delete.
  const Patch& change() const noexcept { return change_; }
  /// The record as it is going to be, with the defaults of what a create leaves out; for a delete
  /// as it is. What the host sets as it writes is not known yet: `version`, `updated` and the like
  /// are those before, and nothing for a create.
  Record record() const {
    Json json = before_json_;
    if (json.is_null()) {
      json = parse_json(T::Info::defaults);
      json["id"] = raw_->id();
    }
    if (!change_json_.is_null()) json.update(change_json_);
    return detail::read_record<T>(json, detail::Fields::some);
  }

  /// Who asks; empty for nobody.
  std::optional<UserId> user() const {
    if (raw_->user().empty()) return std::nullopt;
    return UserId(std::string(raw_->user()));
  }
  /// Made by the plugin for itself.
  bool is_without_rules() const noexcept { return raw_->is_without_rules(); }
  /// Whoever makes the write, for writes beside it.
  Actor actor() const noexcept { return raw_->actor(); }
  /// The transaction of the write: what is done in it is kept with the write or not at all.
  Transaction& db() const noexcept { return raw_->db(); }

  /// Sets fields beside those of the change, or in their place. Throws Error where they are not as
  /// they should be. What this gives is as it was.
  void set(const Patch& fields) const { raw_->set(detail::body_of<T>(fields)); }
  /// Says what is wrong with a field, `Cards::title`; the write is then answered with 422.
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

/// What was done to a record of T, and the record as it is now.
template <class T>
struct TypedChange {
  RecordOperation operation = RecordOperation::update;
  std::int64_t sequence = 0;  ///< in the plugin's log; ascends
  Id<T> id;                   ///< empty for RecordOperation::gap
  /// Empty when it is gone. It may have changed again since, of which another change tells.
  std::optional<typename T::Record> record;
};

namespace detail {

/// The changes with their records, which are read at most `max_ids` at once: a filter of as many
/// ids is within what an expression may have.
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
