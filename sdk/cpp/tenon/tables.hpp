#pragma once

// Base of the headers that tenon-types generates from a plugin's tables.json.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenon/columns.hpp>
#include <tenon/database.hpp>
#include <tenon/detail/codec.hpp>
#include <tenon/records.hpp>

namespace tenon {

/// A page of records and the cursor of the next page.
template <class T>
struct Page {
  std::vector<typename T::Record> items;
  std::string next;  ///< cursor of the next page; empty on the last page
};

/// A query of the table T: add conditions, order and limit, then call one of list, page, first,
/// select, count and exists, which runs it. Borrows the objects that its Table borrows. Use it on
/// one thread only.
template <class T>
class Query {
 public:
  using Record = typename T::Record;

  Query(const Statements& db, const Actor& actor) noexcept : db_(&db), actor_(actor) {}

  /// Adds a condition that all records must match.
  [[nodiscard]] Query where(Condition<T> condition) && {
    condition_ = condition_ ? *std::move(condition_) && condition : std::move(condition);
    return std::move(*this);
  }
  /// Selects records that contain these words, like `q` of a request. Without an order, records are
  /// sorted by rank.
  [[nodiscard]] Query search(std::string words) && {
    search_ = std::move(words);
    return std::move(*this);
  }
  /// Sorts by at most 4 columns: `Cards::title` ascending, `-Cards::due` descending. Empty values
  /// are the smallest. Equal records, and records without an order, are in order of creation.
  template <std::convertible_to<Order<T>>... Columns>
  requires(sizeof...(Columns) > 0) [[nodiscard]] Query order_by(const Columns&... columns) && {
    sort_.clear();
    const auto add = [&](const Order<T>& order) {
      sort_.append(sort_.empty() ? "" : ",").append(order.is_descending ? "-" : "");
      sort_.append(order.column);
    };
    (add(columns), ...);
    return std::move(*this);
  }
  /// Limits the number of records. A page() has at most 200, and 50 without a limit.
  [[nodiscard]] Query limit(std::int64_t count) && {
    limit_ = std::max(count, std::int64_t{0});
    return std::move(*this);
  }

  /// Returns all matching records in memory, so set a limit. More than 200 are read in several
  /// pages. Each page is a snapshot of its own unless the query runs in a transaction or snapshot.
  std::vector<Record> list() const {
    std::vector<Record> records;
    each({}, [&](const Json& item) { records.push_back(detail::read_record<T>(item)); });
    return records;
  }

  /// Returns one page. `cursor` is `next` of the previous page of the same query.
  Page<T> page(std::string_view cursor = {}) const {
    Page<T> page;
    if (limit_ == 0) return page;
    // The host rejects a limit above the maximum.
    const std::int64_t max = std::min(limit_.value_or(0), max_page_size + 1);
    const Json response = ask({}, static_cast<std::uint32_t>(max), cursor);
    for (const Json& item : response.at("items"))
      page.items.push_back(detail::read_record<T>(item));
    page.next = next_of(response);
    return page;
  }

  /// Returns the first record, or empty.
  std::optional<Record> first() const {
    if (limit_ == 0) return std::nullopt;
    const Json response = ask({}, 1);
    if (response.at("items").empty()) return std::nullopt;
    return detail::read_record<T>(response["items"][0]);
  }

  /// Returns some columns of each record: tuples, or the values of one column.
  template <class... V>
  requires(sizeof...(V) > 0) auto select(const Column<T, V>&... columns) const {
    using One = std::conditional_t<sizeof...(V) == 1, std::tuple_element_t<0, std::tuple<V...>>,
                                   std::tuple<V...>>;
    std::string fields;
    ((fields.append(fields.empty() ? "" : ",").append(columns.name)), ...);
    std::vector<One> all;
    each(fields, [&](const Json& item) { all.push_back(One{value_in<V>(item, columns.name)...}); });
    return all;
  }

  /// Returns the number of matching records, regardless of the limit.
  std::int64_t count() const {
    const Json response = ask("id", 1, {}, true);
    return response.at("total").get<std::int64_t>();
  }

  bool exists() const { return !ask("id", 1).at("items").empty(); }

 private:
  static constexpr std::int64_t max_page_size = 200;

  Json ask(std::string_view fields, std::uint32_t limit, std::string_view cursor = {},
           bool is_counted = false) const {
    const Arguments values = condition_ ? condition_->values().arguments() : Arguments();
    const std::string_view filter = condition_ ? condition_->filter() : std::string_view();
    return parse_json(Records(db_->link())
                          .list_text(*db_, actor_,
                                     {.table = T::Info::table,
                                      .filter = filter,
                                      .search = search_,
                                      .sort = sort_,
                                      .fields = fields,
                                      .cursor = cursor,
                                      .limit = limit,
                                      .is_counted = is_counted},
                                     values));
  }

  template <class F>
  void each(std::string_view fields, const F& work) const {
    std::int64_t left = limit_.value_or(-1);
    std::string cursor;
    while (left != 0) {
      const std::int64_t max = left < 0 ? max_page_size : std::min(left, max_page_size);
      const Json response = ask(fields, static_cast<std::uint32_t>(max), cursor);
      const Json& items = response.at("items");
      for (const Json& item : items)
        work(item);
      if (left > 0) left -= static_cast<std::int64_t>(items.size());
      cursor = next_of(response);
      if (cursor.empty()) return;
    }
  }

  static std::string next_of(const Json& response) {
    const Json& next = response.at("next");
    return next.is_null() ? std::string() : next.get<std::string>();
  }
  template <class V>
  static V value_in(const Json& item, std::string_view name) {
    V value{};
    detail::read_field(value, item, name, detail::Fields::all);
    return value;
  }

  const Statements* db_;
  Actor actor_;
  std::optional<Condition<T>> condition_;
  std::string search_;
  std::string sort_;
  std::optional<std::int64_t> limit_;
};

/// The version that a record must still have.
struct Expected {
  std::int64_t version = 0;
};

/// A written record as its writer sees it. `record` is empty if the writer may not see it.
template <class T>
struct Saved {
  Id<T> id;
  std::optional<typename T::Record> record;

  // Converts to the value of a reference.
  operator const Id<T>&() const noexcept { return id; }  // NOLINT(google-explicit-constructor)
};

/// The typed records of a declared table, with the rules, checks, files, callbacks and events that
/// HTTP requests have. `Table<Cards>(database(), Actor(request))` acts for the user of the request,
/// `Actor::system()` for the plugin itself. It borrows both arguments. Inside a transaction or
/// snapshot, pass that instead of database(). Use it on the threads that the database object
/// allows; may block.
///
/// Throws the Errors of Records: 422 "records.validation" with its fields, 403 "records.forbidden",
/// 404 "records.not_found", 409, 412 "records.conflict". If a write fails in a given transaction,
/// that whole transaction is rolled back.
template <class T>
class Table {
 public:
  using Record = typename T::Record;
  using New = typename T::New;
  using Patch = typename T::Patch;

  Table(const Statements& db, const Actor& actor) noexcept : db_(&db), actor_(actor) {}

  Query<T> all() const { return {*db_, actor_}; }
  Query<T> where(Condition<T> condition) const { return all().where(std::move(condition)); }

  /// Returns the record, or empty if it does not exist or the actor may not see it.
  std::optional<Record> get(const Id<T>& id) const {
    try {
      return detail::read_record<T>(
          parse_json(records().get_text(*db_, actor_, T::Info::table, id.text())));
    } catch (const Error& error) {
      if (error.code() != "records.not_found") throw;
      return std::nullopt;
    }
  }

  /// Creates a record with the given id or a new one. Omitted fields get their defaults.
  Saved<T> insert(const New& record) const {
    Json body = detail::body_of<T>(record);
    if (record.id) body["id"] = record.id->text();
    return saved(records().insert_text(*db_, actor_, T::Info::table, to_text(body)));
  }

  /// Changes the fields that are set in the patch. A field with several values is replaced as a
  /// whole.
  Saved<T> update(const Id<T>& id, const Patch& patch) const { return change(id, {}, patch); }
  /// Changes the record only if it still has the expected version.
  Saved<T> update(const Id<T>& id, Expected expected,
                  const Patch& patch) const requires T::Info::has_version {
    return change(id, tag_of(expected), patch);
  }

  /// Deletes the record.
  void remove(const Id<T>& id) const { records().remove(*db_, actor_, T::Info::table, id.text()); }
  void remove(const Id<T>& id, Expected expected) const requires T::Info::has_version {
    records().remove(*db_, actor_, T::Info::table, id.text(), tag_of(expected));
  }

 private:
  Records records() const { return Records(db_->link()); }

  Saved<T> change(const Id<T>& id, const std::string& if_match, const Patch& patch) const {
    return saved(records().update_text(*db_, actor_, T::Info::table, id.text(),
                                       to_text(detail::body_of<T>(patch)), if_match));
  }

  // An entity tag that matches any record of this version.
  static std::string tag_of(Expected expected) {
    return "\"" + std::to_string(expected.version) + "-\"";
  }

  static Saved<T> saved(const std::string& text) {
    const Json json = parse_json(text);
    Saved<T> saved{Id<T>(json.at("id").get<std::string>()), {}};
    // Only the id: the writer may no longer see the record.
    if (json.size() > 1) saved.record = detail::read_record<T>(json);
    return saved;
  }

  const Statements* db_;
  Actor actor_;
};

}  // namespace tenon

#include <tenon/typed_callbacks.hpp>
