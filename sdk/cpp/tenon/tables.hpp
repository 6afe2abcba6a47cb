#pragma once

// What the headers that tenon-tables makes of a plugin's tables.json stand on.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenon/columns.hpp>
#include <tenon/database.hpp>
#include <tenon/detail/table_errors.hpp>
#include <tenon/detail/table_write.hpp>

namespace tenon {

/// A question to the table T: conditions, order and limit, then one of list, first, select, count,
/// exists and remove, which runs it. Borrows the statements that it was made of. One thread.
template <class T>
class Query {
 public:
  using Record = typename T::Record;

  explicit Query(Statements& db) noexcept : db_(&db) {}

  /// Records that fit this too.
  [[nodiscard]] Query where(Condition<T> condition) && {
    condition_ = condition_ ? *std::move(condition_) && condition : std::move(condition);
    return std::move(*this);
  }
  /// By these columns: `Cards::title` up, `-Cards::due` down. Empty values are the smallest; equal
  /// records come in the order of their making (or against it, behind a last column that goes
  /// down). Without an order they come in any.
  template <std::convertible_to<Order<T>>... Columns>
  requires(sizeof...(Columns) > 0) [[nodiscard]] Query order_by(const Columns&... columns) && {
    order_.clear();
    bool is_descending = false;
    bool has_id = false;
    const auto add = [&](const Order<T>& order) {
      order_.append(order_.empty() ? " ORDER BY " : ", ").append(detail::quoted(order.column));
      if (order.is_descending) order_ += " DESC";
      is_descending = order.is_descending;
      has_id = has_id || order.column == "id";
    };
    (add(columns), ...);
    if (!has_id) order_.append(", \"rowid\"").append(is_descending ? " DESC" : "");
    return std::move(*this);
  }
  /// At most so many records, 0 or more.
  [[nodiscard]] Query limit(std::int64_t most) && {
    limit_ = most;
    return std::move(*this);
  }

  /// All records that fit, in memory: give a limit.
  std::vector<Record> list() const {
    detail::Values values;
    std::vector<Record> records;
    for (const Row& row : run(T::Info::select, values))
      records.push_back(read_record(row));
    return records;
  }

  /// The first one, or empty.
  std::optional<Record> first() const {
    detail::Values values;
    Rows rows = run(T::Info::select, values, 1);
    if (rows.empty()) return std::nullopt;
    return read_record(*rows.begin());
  }

  /// Some columns of each: tuples, or the values of one column.
  template <class... V>
  requires(sizeof...(V) > 0) auto select(const Column<T, V>&... columns) const {
    using One = std::conditional_t<sizeof...(V) == 1, std::tuple_element_t<0, std::tuple<V...>>,
                                   std::tuple<V...>>;
    std::string names;
    ((names.append(names.empty() ? "" : ", ").append(detail::quoted(columns.name))), ...);
    detail::Values values;
    std::vector<One> all;
    for (const Row& row : run(names, values)) {
      all.push_back([&row]<std::size_t... I>(std::index_sequence<I...>) {
        return One{detail::read<V>(row, I)...};
      }(std::index_sequence_for<V...>()));
    }
    return all;
  }

  /// How many fit, whatever the limit.
  std::int64_t count() const {
    detail::Values values;
    return run_unordered("SELECT count(*)", values, "").template first<std::int64_t>().value_or(0);
  }

  bool exists() const {
    detail::Values values;
    return !run_unordered("SELECT 1", values, " LIMIT 1").empty();
  }

  /// Deletes all that fit, whatever order and limit, and returns how many. Throws Error 409
  /// "data.reference" where others refer to one of them.
  std::int64_t remove() const {
    detail::Values values;
    const std::string sql = "DELETE" + from(values);
    try {
      return db_->exec(sql, values.arguments()).rows;
    } catch (const Error& error) {
      throw detail::in_words(error);
    }
  }

 private:
  static Record read_record(const Row& row) {
    Record record{};
    std::size_t index = 0;
    T::Info::visit_record(record, [&](auto& member) {
      member = detail::read<std::remove_cvref_t<decltype(member)>>(row, index++);
    });
    return record;
  }

  std::string from(detail::Values& values) const {
    std::string sql = " FROM " + detail::quoted(T::Info::table);
    if (condition_) {
      sql.append(" WHERE ").append(condition_->sql());
      values.append(condition_->values());
    }
    return sql;
  }

  Rows run_unordered(std::string_view what, detail::Values& values, std::string_view end) const {
    const std::string sql = std::string(what).append(from(values)).append(end);
    return db_->query(sql, values.arguments());
  }

  Rows run(std::string_view columns, detail::Values& values,
           std::optional<std::int64_t> most = {}) const {
    std::string sql = "SELECT ";
    sql.append(columns).append(from(values)).append(order_);
    if (limit_ && (!most || *limit_ < *most)) most = limit_;
    if (most) {
      sql += " LIMIT ?";
      values.add(*most);
    }
    return db_->query(sql, values.arguments());
  }

  Statements* db_;
  std::optional<Condition<T>> condition_;
  std::string order_;
  std::optional<std::int64_t> limit_;
};

/// The version that a record must still have.
struct Expected {
  std::int64_t version = 0;
};

/// The records of a declared table, typed: `Table<Cards> cards(database())`. Inside the transaction
/// or snapshot that it is made of; of a Database each call is a transaction of its own. Access
/// rules are for requests over HTTP and are not asked here. Borrows the statements; as their
/// threads.
///
/// `by` is who did it, for tables with authorship alone; nullopt where nobody did. Changes throw
/// Error 409 "data.unique" and "data.reference", 422 "data.required" and "data.check", with the
/// fields that the host named.
template <class T>
class Table {
 public:
  using Record = typename T::Record;
  using New = typename T::New;
  using Patch = typename T::Patch;
  using By = std::optional<UserId>;

  explicit Table(Statements& db) noexcept : db_(&db) {}

  Query<T> all() const { return Query<T>(*db_); }
  Query<T> where(Condition<T> condition) const { return all().where(std::move(condition)); }
  std::int64_t count() const { return all().count(); }

  /// The record, or empty.
  std::optional<Record> get(const Id<T>& id) const { return where(T::id == id).first(); }

  /// Makes a record and returns its id: the one that it brings, or a new one. What is left out has
  /// its default. Defaults, timestamps and version are set as for records over HTTP.
  Id<T> insert(const New& record) const requires(!T::Info::has_authorship) {
    return write([&](Statements& db) { return detail::insert_record<T>(db, record, {}); });
  }
  Id<T> insert(const New& record, const By& by) const requires T::Info::has_authorship {
    return write([&](Statements& db) { return detail::insert_record<T>(db, record, by); });
  }

  /// Changes what is set in the patch; a field of many is replaced as a whole. False when there is
  /// no such record.
  bool update(const Id<T>& id, const Patch& patch) const requires(!T::Info::has_authorship) {
    return write([&](Statements& db) { return detail::update_record<T>(db, id, patch, {}, {}); });
  }
  bool update(const Id<T>& id, const Patch& patch,
              const By& by) const requires T::Info::has_authorship {
    return write([&](Statements& db) { return detail::update_record<T>(db, id, patch, by, {}); });
  }

  /// The same where the record has still the version that is expected; throws Error 412
  /// "records.conflict" where not.
  bool update(const Id<T>& id, Expected expected, const Patch& patch) const
      requires(T::Info::has_version && !T::Info::has_authorship) {
    return write([&](Statements& db) {
      return detail::update_record<T>(db, id, patch, {}, expected.version);
    });
  }
  bool update(const Id<T>& id, Expected expected, const Patch& patch, const By& by) const
      requires(T::Info::has_version&& T::Info::has_authorship) {
    return write([&](Statements& db) {
      return detail::update_record<T>(db, id, patch, by, expected.version);
    });
  }

  /// Deletes the record. False when there is none; throws Error 409 "data.reference" when others
  /// refer to it.
  bool remove(const Id<T>& id) const { return where(T::id == id).remove() > 0; }
  /// The same where it has still this version, else Error 412 "records.conflict".
  bool remove(const Id<T>& id, Expected expected) const requires T::Info::has_version {
    if (where(T::id == id && T::version == expected.version).remove() > 0) return true;
    if (where(T::id == id).exists()) throw detail::conflict();
    return false;
  }

 private:
  // Several statements are one change.
  template <class F>
  auto write(const F& work) const {
    if (!T::Info::has_links || !db_->is_alone()) return work(*db_);
    return static_cast<Database*>(db_)->transaction([&](Transaction& db) { return work(db); });
  }

  Statements* db_;
};

}  // namespace tenon
