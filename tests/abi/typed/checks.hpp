#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/plugin.hpp>

#include "typed_tables.hpp"

/// Checks the typed tables from inside a plugin that runs in the real server.
class Checks {
 public:
  explicit Checks(tenon::Database& database) : db(database) {}

  template <class A, class B>
  void same(const A& got, const B& wanted, int line = __builtin_LINE(),
            const char* file = __builtin_FILE()) {
    ++count;
    if (got == wanted) return;
    std::string text = std::string(file) + ":" + std::to_string(line);
    if constexpr (std::convertible_to<const A&, std::string_view>)
      text.append(": ").append(std::string_view(got));
    failed.push_back(std::move(text));
  }

  /// "code: field code, …" of what `work` throws; empty where nothing is.
  template <class F>
  static std::string failure_of(F work) {
    try {
      work();
    } catch (const tenon::Error& error) {
      std::string text = error.code();
      for (const auto& field : error.fields())
        text += (&field == error.fields().data() ? ": " : ", ") + field.field + " " + field.code;
      return text;
    }
    return {};
  }

  /// The tables for the plugin itself.
  template <class T>
  tenon::Table<T> table() const {
    return {db, tenon::Actor::system()};
  }
  /// Leaves no card.
  void clear() const {
    using typed::tables::Cards;
    for (const auto& part : table<typed::tables::Parts>().all().list())
      table<typed::tables::Parts>().remove(part.id);
    for (const auto& id : table<Cards>().all().select(Cards::id))
      table<Cards>().remove(id);
  }

  tenon::Database& db;
  int count = 0;
  std::vector<std::string> failed;
};

/// Which records a question finds.
void check_queries(Checks& checks);
/// Records in and out.
void check_records(Checks& checks);
/// Settings by the constants of plugin.json.
void check_settings(Checks& checks, tenon::Settings& settings);
/// Records for other people than the plugin itself. Both are users; `bob` may use the plugin too.
void check_rules(Checks& checks, const tenon::UserId& ada, const tenon::UserId& bob);
