#pragma once

// What the headers that tenon-tables makes of a plugin's tables.json stand on.

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

/// Records of a list, and where it goes on.
template <class T>
struct Page {
  std::vector<typename T::Record> items;
  std::string next;  ///< the cursor of the next page; empty on the last one
};

/// A question to the table T: conditions, order and limit, then one of list, page, first, select,
/// count and exists, which asks it. Borrows what its Table borrows. One thread.
template <class T>
class Query {
 public:
  using Record = typename T::Record;

  Query(const Statements& db, const Actor& actor) noexcept : db_(&db), actor_(actor) {}

  /// Records that fit this too.
  [[nodiscard]] Query where(Condition<T> condition) && {
    condition_ = condition_ ? *std::move(condition_) && condition : std::move(condition);
    return std::move(*this);
  }
  /// Records with these words, as `q` of a request finds them; the best come first unless there is
  /// an order.
  [[nodiscard]] Query search(std::string words) && {
    search_ = std::move(words);
    return std::move(*this);
  }
  /// By at most 4 columns: `Cards::title` up, `-Cards::due` down. Empty values are the smallest;
  /// equal records, and those without an order, come in the order of their making.
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
  /// At most so many records; of a page() 200 at the most, which has 50 without a limit.
  [[nodiscard]] Query limit(std::int64_t most) && {
    limit_ = std::max(most, std::int64_t{0});
    return std::move(*this);
  }

  /// All records that fit, in memory: give a limit. More than 200 are read in several pages, each a
  /// snapshot of its own unless all is inside of one.
  std::vector<Record> list() const {
    std::vector<Record> records;
    each({}, [&](const Json& item) { records.push_back(detail::read_record<T>(item)); });
    return records;
  }

  /// One page; `cursor` is `next` of the page before, of the same question.
  Page<T> page(std::string_view cursor = {}) const {
    Page<T> page;
    if (limit_ == 0) return page;
    // What is beyond the most is for the host to refuse.
    const std::int64_t most = std::min(limit_.value_or(0), max_page_size + 1);
    const Json answer = ask({}, static_cast<std::uint32_t>(most), cursor);
    for (const Json& item : answer.at("items"))
      page.items.push_back(detail::read_record<T>(item));
    page.next = next_of(answer);
    return page;
  }

  /// The first one, or empty.
  std::optional<Record> first() const {
    if (limit_ == 0) return std::nullopt;
    const Json answer = ask({}, 1);
    if (answer.at("items").empty()) return std::nullopt;
    return detail::read_record<T>(answer["items"][0]);
  }

  /// Some columns of each: tuples, or the values of one column.
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

  /// How many fit, whatever the limit.
  std::int64_t count() const {
    const Json answer = ask("id", 1, {}, true);
    return answer.at("total").get<std::int64_t>();
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
      const std::int64_t most = left < 0 ? max_page_size : std::min(left, max_page_size);
      const Json answer = ask(fields, static_cast<std::uint32_t>(most), cursor);
      const Json& items = answer.at("items");
      for (const Json& item : items)
        work(item);
      if (left > 0) left -= static_cast<std::int64_t>(items.size());
      cursor = next_of(answer);
      if (cursor.empty()) return;
    }
  }

  static std::string next_of(const Json& answer) {
    const Json& next = answer.at("next");
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

/// A record that was written, as its writer sees it: empty where they do not see it now.
template <class T>
struct Saved {
  Id<T> id;
  std::optional<typename T::Record> record;

  // As the value of a reference.
  operator const Id<T>&() const noexcept { return id; }  // NOLINT(google-explicit-constructor)
};

/// The records of a declared table as requests meet them, typed: rules, checks, files, callbacks
/// and events. `Table<Cards>(database(), Actor(request))` is for whoever asks, `Actor::system()`
/// for the plugin itself; of a transaction or snapshot inside of it. Borrows both; as their
/// threads; may block.
///
/// Throws Error as Records does: 422 "records.validation" with its fields, 403 "records.forbidden",
/// 404 "records.not_found", 409, 412 "records.conflict". A write that fails in a transaction that
/// it was given undoes all of that.
template <class T>
class Table {
 public:
  using Record = typename T::Record;
  using New = typename T::New;
  using Patch = typename T::Patch;

  Table(const Statements& db, const Actor& actor) noexcept : db_(&db), actor_(actor) {}

  Query<T> all() const { return {*db_, actor_}; }
  Query<T> where(Condition<T> condition) const { return all().where(std::move(condition)); }

  /// The record; empty where there is none, or it may not be seen.
  std::optional<Record> get(const Id<T>& id) const {
    try {
      return detail::read_record<T>(
          parse_json(records().get_text(*db_, actor_, T::Info::table, id.text())));
    } catch (const Error& error) {
      if (error.code() != "records.not_found") throw;
      return std::nullopt;
    }
  }

  /// Makes a record, with the id that it brings or a new one. What is left out has its default.
  Saved<T> insert(const New& record) const {
    Json body = detail::body_of<T>(record);
    if (record.id) body["id"] = record.id->text();
    return saved(records().insert_text(*db_, actor_, T::Info::table, to_text(body)));
  }

  /// Changes what is set in the patch; a field of many is replaced as a whole.
  Saved<T> update(const Id<T>& id, const Patch& patch) const { return change(id, {}, patch); }
  /// The same where the record has still the version that is expected.
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

  // An entity tag of any record of this version.
  static std::string tag_of(Expected expected) {
    return "\"" + std::to_string(expected.version) + "-\"";
  }

  static Saved<T> saved(const std::string& text) {
    const Json json = parse_json(text);
    Saved<T> saved{Id<T>(json.at("id").get<std::string>()), {}};
    // The id alone: it is not for its writer any more.
    if (json.size() > 1) saved.record = detail::read_record<T>(json);
    return saved;
  }

  const Statements* db_;
  Actor actor_;
};

}  // namespace tenon

#include <tenon/typed_callbacks.hpp>
