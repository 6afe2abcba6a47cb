#include "sqlite/connection/bounded_functions.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <sqlite3.h>

#include "sqlite/connection/sqlite_error.hpp"

namespace tenon::data::sqlite {

namespace {

// SQLite's own functions, which a connection that replaces them has no way to call any more: a
// connection to nothing has them.
class Originals {
 public:
  explicit Originals(int value_bytes) : value_bytes_(value_bytes) {}
  Originals(const Originals&) = delete;
  Originals& operator=(const Originals&) = delete;
  ~Originals() {
    for (auto& [call, statement] : statements_)
      sqlite3_finalize(statement);
    sqlite3_close_v2(db_);
  }

  int value_bytes() const noexcept { return value_bytes_; }

  void call(const char* name, sqlite3_context* context, int count, sqlite3_value** values) {
    sqlite3_stmt* statement = prepared(name, count);
    if (statement == nullptr) {
      sqlite3_result_error(context, db_ == nullptr ? "out of memory" : sqlite3_errmsg(db_), -1);
      return;
    }
    for (int i = 0; i < count; ++i)
      sqlite3_bind_value(statement, i + 1, values[i]);
    const int code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
      sqlite3_result_value(context, sqlite3_column_value(statement, 0));
    } else {
      sqlite3_result_error(context, sqlite3_errmsg(db_), -1);
      sqlite3_result_error_code(context, code);
    }
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
  }

 private:
  sqlite3_stmt* prepared(const char* name, int count) {
    if (db_ == nullptr) {
      if (sqlite3_open_v2(
              "", &db_,
              SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX,
              nullptr) != SQLITE_OK)
        return nullptr;
      sqlite3_limit(db_, SQLITE_LIMIT_LENGTH, value_bytes_);
    }
    sqlite3_stmt*& statement = statements_[{name, count}];
    if (statement == nullptr) {
      std::string sql = std::string("SELECT ") + name + "(";
      for (int i = 0; i < count; ++i)
        sql += i == 0 ? "?" : ", ?";
      sqlite3_prepare_v3(db_, (sql + ")").c_str(), -1, SQLITE_PREPARE_PERSISTENT, &statement,
                         nullptr);
    }
    return statement;
  }

  const int value_bytes_;
  sqlite3* db_ = nullptr;
  std::map<std::pair<std::string_view, int>, sqlite3_stmt*> statements_;
};

struct Function {
  const char* name;
  std::int64_t max_work;  ///< bytes of the first argument times bytes of the second
};

// Each takes some seconds at its bound.
constexpr std::array<Function, 7> functions = {{{"replace", 40'000'000'000},
                                                {"trim", 300'000'000},
                                                {"ltrim", 300'000'000},
                                                {"rtrim", 300'000'000},
                                                {"json_patch", 40'000'000'000},
                                                {"printf", 0},
                                                {"format", 0}}};

struct Bounded {
  const Function& function;
  std::shared_ptr<Originals> originals;
};

template <typename Body>
void guarded(sqlite3_context* context, Body&& body) noexcept {
  try {
    body();
  } catch (const std::exception&) {
    sqlite3_result_error_nomem(context);
  }
}

void call_bounded(sqlite3_context* context, int count, sqlite3_value** values) noexcept {
  const auto& bounded = *static_cast<const Bounded*>(sqlite3_user_data(context));
  if (count >= 2 && std::int64_t{sqlite3_value_bytes(values[0])} * sqlite3_value_bytes(values[1]) >
                        bounded.function.max_work) {
    sqlite3_result_error_toobig(context);
    return;
  }
  guarded(context, [&] { bounded.originals->call(bounded.function.name, context, count, values); });
}

// A number of a conversion; `*` takes it from the next argument.
std::int64_t read_number(std::string_view& format, int& next, int count, sqlite3_value** values) {
  if (format.starts_with('*')) {
    format.remove_prefix(1);
    const int index = next++;
    return index < count
               ? std::abs(std::int64_t{static_cast<int>(sqlite3_value_int64(values[index]))})
               : 0;
  }
  std::int64_t number = 0;
  const auto [end, code] = std::from_chars(format.data(), format.data() + format.size(), number);
  format.remove_prefix(static_cast<std::size_t>(end - format.data()));
  return code == std::errc::result_out_of_range ? INT64_MAX : number;
}

// Whether a %c is to be repeated more often than a value may have bytes: SQLite counts to the end
// although it has stopped to write long before.
bool repeats_too_often(std::string_view format, std::int64_t max_length, int count,
                       sqlite3_value** values) {
  int next = 1;
  for (std::size_t at = format.find('%'); at != std::string_view::npos; at = format.find('%')) {
    format.remove_prefix(at + 1);
    format.remove_prefix(std::min(format.size(), format.find_first_not_of("-+ 0#,!")));
    std::int64_t precision = 0;
    read_number(format, next, count, values);
    if (format.starts_with('.')) {
      format.remove_prefix(1);
      precision = read_number(format, next, count, values);
    }
    format.remove_prefix(std::min(format.size(), format.find_first_not_of('l')));
    if (format.empty()) return false;
    if (format[0] == 'c' && precision > max_length) return true;
    if (format[0] != '%' && format[0] != 'n') ++next;
    format.remove_prefix(1);
  }
  return false;
}

void call_printf(sqlite3_context* context, int count, sqlite3_value** values) noexcept {
  const auto& bounded = *static_cast<const Bounded*>(sqlite3_user_data(context));
  const auto* format =
      count == 0 ? nullptr : reinterpret_cast<const char*>(sqlite3_value_text(values[0]));
  if (format != nullptr &&
      repeats_too_often(format, bounded.originals->value_bytes(), count, values)) {
    sqlite3_result_error_toobig(context);
    return;
  }
  guarded(context, [&] { bounded.originals->call(bounded.function.name, context, count, values); });
}

bool continues_character(char byte) noexcept {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

// Returns the position of the needle, counted from 1, in bytes of blobs and in characters of texts;
// 0: not found.
void find_first(sqlite3_context* context, int, sqlite3_value** values) noexcept {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL || sqlite3_value_type(values[1]) == SQLITE_NULL)
    return;
  const bool are_blobs =
      sqlite3_value_type(values[0]) == SQLITE_BLOB && sqlite3_value_type(values[1]) == SQLITE_BLOB;
  const auto bytes_of = [&](sqlite3_value* value) {
    const void* data = are_blobs ? sqlite3_value_blob(value) : sqlite3_value_text(value);
    return std::string_view(
        static_cast<const char*>(data),
        data == nullptr ? 0 : static_cast<std::size_t>(sqlite3_value_bytes(value)));
  };
  const std::string_view text = bytes_of(values[0]);
  const std::string_view needle = bytes_of(values[1]);
  if (needle.empty()) {
    sqlite3_result_int(context, 1);
    return;
  }
  if (needle.size() > text.size()) {
    sqlite3_result_int(context, 0);
    return;
  }
  const void* found = memmem(text.data(), text.size(), needle.data(), needle.size());
  const auto position = static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
  // A needle that begins within a character is found at the beginning alone.
  if (found == nullptr || (!are_blobs && position > 0 && continues_character(needle[0]))) {
    sqlite3_result_int(context, 0);
    return;
  }
  std::int64_t number = 1;
  for (std::size_t i = 1; i <= position; ++i)
    number += are_blobs || !continues_character(text[i]) ? 1 : 0;
  sqlite3_result_int64(context, number);
}

void add_function(sqlite3* db, const char* name, int arguments, Bounded* owned,
                  void (*function)(sqlite3_context*, int, sqlite3_value**)) {
  // Also when it fails, SQLite deletes what is given.
  const int code = sqlite3_create_function_v2(
      db, name, arguments, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, owned, function,
      nullptr, nullptr, [](void* old) { delete static_cast<Bounded*>(old); });
  if (code != SQLITE_OK) throw sqlite_error(db, code);
}

}  // namespace

void add_bounded_functions(sqlite3* db) {
  const auto originals = std::make_shared<Originals>(sqlite3_limit(db, SQLITE_LIMIT_LENGTH, -1));
  for (const Function& function : functions) {
    const std::string_view name = function.name;
    const bool prints = function.max_work == 0;
    add_function(db, function.name,
                 prints              ? -1
                 : name == "replace" ? 3
                                     : 2,
                 new Bounded{function, originals}, prints ? &call_printf : &call_bounded);
  }
  add_function(db, "instr", 2, nullptr, &find_first);
}

}  // namespace tenon::data::sqlite
