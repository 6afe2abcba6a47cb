#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/cell.hpp>
#include <tenon/database.hpp>
#include <tenon/detail/link.hpp>
#include <tenon/json.hpp>
#include <tenon/request.hpp>
#include <tenon/tables.h>

namespace tenon {

/// An operation on a record. before_write() accepts several: `RecordOperation::create |
/// RecordOperation::update`.
enum class RecordOperation : std::uint32_t {
  create = TENON_TABLES_CREATE,
  update = TENON_TABLES_UPDATE,
  remove = TENON_TABLES_DELETE,
  gap = TENON_TABLES_GAP  ///< of RecordChange: changes were lost; read the whole table again
};
constexpr RecordOperation operator|(RecordOperation one, RecordOperation other) noexcept {
  return static_cast<RecordOperation>(static_cast<std::uint32_t>(one) |
                                      static_cast<std::uint32_t>(other));
}

/// The user on whose behalf records are read and written. Borrows its arguments.
class Actor {
 public:
  /// The user who makes the request. The rules of the tables apply.
  explicit Actor(const Request& request) noexcept : Actor(0, request.handle(), {}) {}
  /// The user with this id. The rules of the tables apply.
  static Actor user(std::string_view id) noexcept { return {0, 0, id}; }
  /// A client that is not signed in.
  static Actor anonymous() noexcept { return {0, 0, {}}; }
  /// The plugin itself. No rules are checked.
  static Actor system() noexcept { return {TENON_TABLES_AS_SYSTEM, 0, {}}; }
  /// Returns an actor with the same user and author for whom no rules are checked.
  Actor without_rules() const noexcept { return {TENON_TABLES_AS_SYSTEM, source_, user_}; }

  tenon_tables_actor raw() const noexcept {
    return {sizeof(tenon_tables_actor), flags_, source_, detail::span(user_)};
  }

 private:
  friend class RecordWrite;
  Actor(std::uint32_t flags, tenon_handle source, std::string_view user) noexcept
      : flags_(flags), source_(source), user_(user) {}

  std::uint32_t flags_;
  tenon_handle source_;
  std::string_view user_;
};

/// A pending write of a record; a callback borrows it. Its data is valid until the callback
/// returns. Use it on one thread only.
class RecordWrite {
 public:
  RecordWrite(detail::Link& link, const tenon_tables_write& raw, Transaction& db) noexcept
      : link_(&link), raw_(&raw), db_(&db) {}
  RecordWrite(const RecordWrite&) = delete;
  RecordWrite& operator=(const RecordWrite&) = delete;

  RecordOperation operation() const noexcept {
    return static_cast<RecordOperation>(raw_->operation);
  }
  std::string_view table() const noexcept { return detail::view(raw_->table); }
  std::string_view id() const noexcept { return detail::view(raw_->id); }
  /// Returns JSON of the current record with all fields; empty for a create.
  std::string_view before_text() const noexcept { return detail::view(raw_->before); }
  /// Returns JSON of the fields that are set; empty for a delete.
  std::string_view change_text() const noexcept { return detail::view(raw_->change); }
  /// Returns the id of the requesting user; empty if anonymous.
  std::string_view user() const noexcept { return detail::view(raw_->user); }
  /// Returns true if the plugin makes the write as Actor::system() or without rules.
  bool is_without_rules() const noexcept { return (raw_->flags & TENON_TABLES_AS_SYSTEM) != 0; }
  /// Returns the user who makes the write, for further writes in its transaction.
  Actor actor() const noexcept { return {0, raw_->handle, {}}; }
  /// Returns the transaction of the write. Changes made in it are committed or rolled back together
  /// with the write.
  Transaction& db() const noexcept { return *db_; }

  /// Sets fields in addition to those of the change, or replaces them. `fields` is the text of a
  /// JSON object. Throws Error if a field is invalid.
  void set_text(std::string_view fields) const {
    tenon_error error = detail::empty_error();
    detail::check(TENON_CALL(*link_, tenon_tables, set, raw_->handle, detail::span(fields), &error),
                  error);
  }
  /// Reports an invalid field. The client then gets 422.
  void refuse(std::string_view field, std::string_view code, std::string_view message) const {
    detail::check(TENON_CALL(*link_, tenon_tables, reject_field, raw_->handle, detail::span(field),
                             detail::span(code), detail::span(message)),
                  "reporting an invalid field");
  }

#ifndef TENON_WITHOUT_JSON
  Json before() const {
    return before_text().empty() ? Json() : parse_json(before_text());
  }
  Json change() const {
    return change_text().empty() ? Json() : parse_json(change_text());
  }
  void set(const Json& fields) const {
    set_text(to_text(fields));
  }
#endif

 private:
  detail::Link* link_;
  const tenon_tables_write* raw_;
  Transaction* db_;
};

/// A change of a record.
struct RecordChange {
  RecordOperation operation = RecordOperation::update;
  std::int64_t sequence = 0;  ///< position in the plugin's change log; increases
  std::string_view id;        ///< empty for RecordOperation::gap
};

/// The records of one response; a callback borrows it that adds data to them. Use it on one thread
/// only.
class RecordPage {
 public:
  RecordPage(detail::Link& link, const tenon_tables_page& raw) noexcept
      : link_(&link), raw_(&raw) {}
  RecordPage(const RecordPage&) = delete;
  RecordPage& operator=(const RecordPage&) = delete;

  std::uint32_t size() const noexcept { return raw_->count; }
  std::string_view table() const noexcept { return detail::view(raw_->table); }
  /// Returns the id of the reader; empty if anonymous.
  std::string_view user() const noexcept { return detail::view(raw_->user); }
  /// Returns JSON of a record as the reader sees it.
  std::string_view record_text(std::uint32_t index) const noexcept {
    return detail::view(raw_->records[index]);
  }
  /// Adds the text of a JSON object of at most 64 KiB as the member "extra" of the record.
  void add_text(std::uint32_t index, std::string_view extra) const {
    tenon_error error = detail::empty_error();
    detail::check(TENON_CALL(*link_, tenon_tables, add_extra, raw_->handle, index,
                             detail::span(extra), &error),
                  error);
  }

#ifndef TENON_WITHOUT_JSON
  Json record(std::uint32_t index) const {
    return parse_json(record_text(index));
  }
  void add(std::uint32_t index, const Json& extra) const {
    add_text(index, to_text(extra));
  }
#endif

 private:
  detail::Link* link_;
  const tenon_tables_page* raw_;
};

/// Selects records: `{.table = "cards", .filter = "owner = @user and place = ?", .sort = "-due"}`.
struct RecordQuery {
  std::string_view table;
  std::string_view filter{};  ///< an expression; a ? for each value
  std::string_view search{};  ///< search words, as parameter q of a request
  std::string_view sort{};
  std::string_view fields{};
  std::string_view expand{};
  std::string_view cursor{};
  std::uint32_t limit = 0;  ///< 1 to 200; 0: 50
  bool is_counted = false;
};

namespace detail {

/// Runs a callback and converts exceptions to a code and an error.
template <class F>
tenon_code record_callback(Link& link, tenon_error* error, const char* what, F&& work) noexcept {
  try {
    work();
    return TENON_OK;
  } catch (const Error& failure) {
    return describe(error, failure.cause() < 0 ? failure.cause() : TENON_E_INTERNAL,
                    failure.status(), failure.code(), failure.message());
  } catch (const std::exception& failure) {
    link.report(TENON_LOG_ERROR, what, failure.what());
    return describe(error, TENON_E_INTERNAL, 500, "plugin.threw", failure.what());
  } catch (...) {
    link.report(TENON_LOG_ERROR, what, {});
    return describe(error, TENON_E_INTERNAL, 500, "plugin.threw",
                    "An exception that is not a std::exception was thrown.");
  }
}

/// The callbacks of a table, each with the plugin's function.
template <class F>
struct BeforeWrite {
  F work;
  Link* link;

  static tenon_code fn(void* ctx, const tenon_tables_write* raw, tenon_error* error) noexcept {
    auto& self = *static_cast<BeforeWrite*>(ctx);
    return record_callback(*self.link, error, "a before-write callback threw an exception", [&] {
      const bool was_open = std::exchange(Transaction::is_open_on_this_thread(), false);
      Transaction db(*self.link, raw->transaction);
      const RecordWrite write(*self.link, *raw, db);
      try {
        self.work(write);
      } catch (const Error& failure) {
        for (const FieldError& field : failure.fields())
          write.refuse(field.field, field.code, field.message);
        end(db, was_open);
        throw;
      } catch (...) {
        end(db, was_open);
        throw;
      }
      end(db, was_open);
    });
  }
  static void drop(void* ctx) noexcept { delete static_cast<BeforeWrite*>(ctx); }

 private:
  static void end(Transaction& db, bool was_open) noexcept {
    db.leave();
    Transaction::is_open_on_this_thread() = was_open;
  }
};

template <class F>
struct AfterWrite {
  F work;
  Link* link;

  static tenon_code fn(void* ctx, tenon_span, const tenon_tables_change* const* raw,
                       std::uint32_t count, tenon_error* error) noexcept {
    auto& self = *static_cast<AfterWrite*>(ctx);
    return record_callback(*self.link, error, "an after-write callback threw an exception", [&] {
      std::vector<RecordChange> changes;
      changes.reserve(count);
      for (std::uint32_t i = 0; i < count; ++i)
        changes.push_back(
            {static_cast<RecordOperation>(raw[i]->operation), raw[i]->sequence, view(raw[i]->id)});
      self.work(std::as_const(changes));
    });
  }
  static void drop(void* ctx) noexcept { delete static_cast<AfterWrite*>(ctx); }
};

template <class F>
struct Extender {
  F work;
  Link* link;

  static tenon_code fn(void* ctx, const tenon_tables_page* raw, tenon_error* error) noexcept {
    auto& self = *static_cast<Extender*>(ctx);
    return record_callback(*self.link, error, "an extend callback threw an exception", [&] {
      const RecordPage page(*self.link, *raw);
      self.work(page);
    });
  }
  static void drop(void* ctx) noexcept { delete static_cast<Extender*>(ctx); }
};

}  // namespace detail

/// Records of the plugin's declared tables, with the rules, checks, files and events that HTTP
/// requests have; and callbacks that run when requests write and read records. Register callbacks
/// in the plugin's constructor, once for each table and kind. All other functions are usable from
/// start on and block. Thread-safe.
///
/// `db` is the transaction to read or write in, or database() for a transaction of its own. After a
/// write in a given transaction throws, that transaction can only be rolled back. The functions
/// throw Error with the response that a request would get: 422 "records.validation" with its
/// fields, 404 "records.not_found", 403 "records.forbidden", 412 "records.conflict".
class Records {
 public:
  explicit Records(detail::Link& link) noexcept : link_(&link) {}

  /// Registers `work(const RecordWrite&)`, which runs before each write of the table with one of
  /// the operations, in the transaction of the write. All other writers wait meanwhile, so it must
  /// be quick. If it throws, the write is rolled back; an Error with a status below 500 is the
  /// response.
  template <class F>
  void before_write(std::string_view table, RecordOperation operations, F work) {
    const auto& tables =
        link_->need<tenon_tables>(TENON_NEED(tenon_tables, before_write), "before_write");
    const auto raw = made<tenon_tables_before, detail::BeforeWrite<F>>(std::move(work));
    tenon_error error = detail::empty_error();
    detail::check(tables.before_write(link_->host(), detail::span(table),
                                      static_cast<std::uint32_t>(operations), &raw, &error),
                  error);
  }

  /// Registers `work(const std::vector<RecordChange>&)`, which receives committed changes in order
  /// and at least once. If it throws, the host delivers the same changes again later, and later
  /// changes wait. May block and write.
  template <class F>
  void after_write(std::string_view table, F work) {
    const auto& tables =
        link_->need<tenon_tables>(TENON_NEED(tenon_tables, after_write), "after_write");
    const auto raw = made<tenon_tables_after, detail::AfterWrite<F>>(std::move(work));
    tenon_error error = detail::empty_error();
    detail::check(tables.after_write(link_->host(), detail::span(table), &raw, &error), error);
  }

  /// Registers callbacks for the table T of a header that the build generates from tables.json:
  /// `work(const TypedWrite<Cards>&)`, `work(const std::vector<TypedChange<Cards>>&)`, see
  /// typed_callbacks.hpp.
  template <class T, class F>
  void before_write(RecordOperation operations, F work);
  template <class T, class F>
  void after_write(F work);

  /// Registers `work(const RecordPage&)`, which adds data to lists and single records that are read
  /// over HTTP. If it throws, the response is sent without the added data. May block.
  template <class F>
  void extend(std::string_view table, F work) {
    const auto& tables = link_->need<tenon_tables>(TENON_NEED(tenon_tables, extend), "extend");
    const auto raw = made<tenon_tables_extender, detail::Extender<F>>(std::move(work));
    tenon_error error = detail::empty_error();
    detail::check(tables.extend(link_->host(), detail::span(table), &raw, &error), error);
  }

  /// Returns a record as JSON.
  std::string get_text(const Statements& db, const Actor& actor, std::string_view table,
                       std::string_view id) {
    return call(db, [&](const tenon_text_sink& sink, tenon_error* error) {
      const tenon_tables_actor raw_actor = actor.raw();
      return TENON_CALL(*link_, tenon_tables, get, &raw_actor, db.handle(), detail::span(table),
                        detail::span(id), &sink, error);
    });
  }

  /// Returns a page of records as JSON: {"items":[…],"next":…}. `values` has one value for each ?
  /// of the filter, always bound.
  template <class... Args>
  std::string list_text(const Statements& db, const Actor& actor, const RecordQuery& query,
                        const Args&... values) {
    static_assert((detail::Bindable<Args> && ...),
                  "a filter value has a type that no column can store");
    const std::array<tenon_cell, sizeof...(Args)> cells{detail::to_cell(values)...};
    return list_cells(db, actor, query, cells);
  }
  std::string list_text(const Statements& db, const Actor& actor, const RecordQuery& query,
                        const Arguments& values) {
    return list_cells(db, actor, query, values.cells());
  }

  /// Creates a record from the text of a JSON object and returns it as the actor sees it.
  std::string insert_text(const Statements& db, const Actor& actor, std::string_view table,
                          std::string_view record) {
    return call(db, [&](const tenon_text_sink& sink, tenon_error* error) {
      const tenon_tables_actor raw_actor = actor.raw();
      return TENON_CALL(*link_, tenon_tables, insert, &raw_actor, db.handle(), detail::span(table),
                        detail::span(record), &sink, error);
    });
  }

  /// Changes the fields that the JSON object contains and returns the record as the actor sees it.
  /// `if_match` is the value of the header field If-Match; empty: any version.
  std::string update_text(const Statements& db, const Actor& actor, std::string_view table,
                          std::string_view id, std::string_view fields,
                          std::string_view if_match = {}) {
    return call(db, [&](const tenon_text_sink& sink, tenon_error* error) {
      const tenon_tables_actor raw_actor = actor.raw();
      return TENON_CALL(*link_, tenon_tables, update, &raw_actor, db.handle(), detail::span(table),
                        detail::span(id), detail::span(fields), detail::span(if_match), &sink,
                        error);
    });
  }

  void remove(const Statements& db, const Actor& actor, std::string_view table, std::string_view id,
              std::string_view if_match = {}) {
    call(db, [&](const tenon_text_sink& sink, tenon_error* error) {
      const tenon_tables_actor raw_actor = actor.raw();
      return TENON_CALL(*link_, tenon_tables, remove, &raw_actor, db.handle(), detail::span(table),
                        detail::span(id), detail::span(if_match), &sink, error);
    });
  }

#ifndef TENON_WITHOUT_JSON
  /// These functions take and return JSON values.
  Json get(const Statements& db, const Actor& actor, std::string_view table, std::string_view id) {
    return parse_json(get_text(db, actor, table, id));
  }
  template <class... Args>
  Json list(const Statements& db, const Actor& actor, const RecordQuery& query,
            const Args&... values) {
    return parse_json(list_text(db, actor, query, values...));
  }
  Json insert(const Statements& db, const Actor& actor, std::string_view table,
              const Json& record) {
    return parse_json(insert_text(db, actor, table, to_text(record)));
  }
  Json update(const Statements& db, const Actor& actor, std::string_view table, std::string_view id,
              const Json& fields, std::string_view if_match = {}) {
    return parse_json(update_text(db, actor, table, id, to_text(fields), if_match));
  }
#endif

 private:
  friend class Search;

  std::string list_cells(const Statements& db, const Actor& actor, const RecordQuery& query,
                         std::span<const tenon_cell> cells) {
    const tenon_tables_query raw{sizeof(tenon_tables_query),
                                 query.is_counted ? TENON_TABLES_COUNT : 0,
                                 detail::span(query.table),
                                 detail::span(query.filter),
                                 cells.data(),
                                 static_cast<std::uint32_t>(cells.size()),
                                 query.limit,
                                 detail::span(query.search),
                                 detail::span(query.sort),
                                 detail::span(query.fields),
                                 detail::span(query.expand),
                                 detail::span(query.cursor)};
    return call(db, [&](const tenon_text_sink& sink, tenon_error* error) {
      const tenon_tables_actor raw_actor = actor.raw();
      return TENON_CALL(*link_, tenon_tables, list, &raw_actor, db.handle(), &raw, &sink, error);
    });
  }

  template <class Raw, class Callback, class F>
  Raw made(F work) const {
    auto callback = std::make_unique<Callback>(Callback{std::move(work), link_});
    return {&Callback::fn, callback.release(), &Callback::drop};
  }

  template <class F>
  std::string call(const Statements& db, F&& work) {
    link_->require(State::starting, State::quiescing, "a record");
    detail::Link::require_blocking("a record");
    if (db.is_alone() && Transaction::is_open_on_this_thread())
      throw Misuse(
          "this thread has an open transaction: pass it instead of the database to access records");
    struct Copied {
      std::string text;
      bool has_failed = false;
    } taken;
    const tenon_text_sink sink{[](void* ctx, tenon_span text) noexcept {
                                 auto& to = *static_cast<Copied*>(ctx);
                                 try {
                                   to.text = detail::view(text);
                                 } catch (...) {
                                   to.has_failed = true;
                                 }
                               },
                               &taken};
    tenon_error error = detail::empty_error();
    const tenon_code code = work(sink, &error);
    if (taken.has_failed) throw std::bad_alloc();
    if (code < 0) throw failure(code, error, taken.text);
    return std::move(taken.text);
  }

  // Adds the field errors of the problem document, if it has any.
  static Error failure(tenon_code code, const tenon_error& described, const std::string& problem) {
    Error error = Error::from_host(code, described);
#ifndef TENON_WITHOUT_JSON
    if (problem.empty()) return error;
    const Json json = parse_json(problem);
    std::vector<FieldError> fields;
    if (const auto errors = json.find("errors"); errors != json.end()) {
      for (const Json& one : *errors)
        fields.push_back({one.value("field", ""), one.value("code", ""), one.value("message", "")});
    }
    error = error.in_other_words(json.value("detail", error.message()), std::move(fields));
    if (const auto record = json.find("record"); record != json.end())
      error.with(to_text(Json{{"record", *record}}));
#else
    static_cast<void>(problem);
#endif
    return error;
  }

  detail::Link* link_;
};

}  // namespace tenon
