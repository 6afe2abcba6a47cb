#include "sqlite/search/search_pieces.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <sqlite3.h>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_slice.hpp"
#include "data/json_values.hpp"
#include "sqlite/connection/sqlite_error.hpp"
#include "sqlite/search/search_text.hpp"

namespace tenon::data::sqlite {

namespace {

constexpr std::string_view cut = "…";
// Words in front of the first match that is shown.
constexpr std::size_t words_before = 4;

struct Term {
  SearchText words;
  bool is_beginning = false;

  // Whether it stands at a word of a text.
  bool is_at(const SearchText& text, std::size_t place) const noexcept {
    const std::size_t last = words.size() - 1;
    if (place + last >= text.size()) return false;
    for (std::size_t i = 0; i < last; ++i) {
      if (text.folded(place + i) != words.folded(i)) return false;
    }
    const std::string_view found = text.folded(place + last);
    return is_beginning ? found.starts_with(words.folded(last)) : found == words.folded(last);
  }
};

struct Asked {
  std::vector<Term> terms;
  std::vector<std::string_view> first_words;  // of the terms, which do not move any more
};

// What a function keeps from one text to the next.
struct Room {
  explicit Room(sqlite3* db) noexcept : tokenizer(db) {}

  SearchTokenizer tokenizer;
  SearchText words;
  std::vector<std::size_t> ends;
  JsonText json;
};

std::string_view highlighted_text(sqlite3_value* value) noexcept {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  if (text == nullptr) return {};
  return {text, static_cast<std::size_t>(sqlite3_value_bytes(value))};
}

// Null: there is no tokenizer. Throws base::Error.
std::unique_ptr<Asked> read_asked(SearchTokenizer& tokenizer, std::string_view json) {
  base::check_json(json);
  auto asked = std::make_unique<Asked>();
  bool is_read = true;
  const auto read_term = [&](const base::JsonSlice& slice) {
    Term term;
    bool is_excluded = false;
    std::string text;
    if (slice.type() != base::JsonType::object) return;
    slice.each_member([&](const std::string& name, const base::JsonSlice& value) {
      if (name == "text" && value.type() == base::JsonType::string) text = value.string();
      if (value.type() != base::JsonType::boolean) return;
      if (name == "beginning") term.is_beginning = value.boolean();
      if (name == "excluded") is_excluded = value.boolean();
    });
    is_read = is_read && tokenizer.read(text, term.words);
    if (!is_excluded && term.words.size() > 0) asked->terms.push_back(std::move(term));
  };
  const base::JsonSlice whole(json);
  if (whole.type() != base::JsonType::object) return asked;
  whole.each_member([&](const std::string& name, const base::JsonSlice& value) {
    if (name == "terms" && value.type() == base::JsonType::array) value.each_element(read_term);
  });
  for (const Term& term : asked->terms)
    asked->first_words.push_back(term.words.folded(0));
  return is_read ? std::move(asked) : nullptr;
}

// Of each word, the end of the longest match that begins there; 0: none does.
bool find_matches(const Asked& asked, const SearchText& text, std::vector<std::size_t>& ends) {
  ends.assign(text.size(), 0);
  bool has_some = false;
  for (const Term& term : asked.terms) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (!term.is_at(text, i)) continue;
      ends[i] = std::max(ends[i], i + term.words.size());
      has_some = true;
    }
  }
  return has_some;
}

// The first word of the place with the most matches within `most` words.
std::size_t best_place(const std::vector<std::size_t>& ends, std::size_t most) {
  if (ends.size() <= most) return 0;
  std::size_t best = 0;
  std::size_t first = 0;
  std::size_t count = 0;  // of matches that begin in the words from i on
  for (std::size_t i = ends.size(); i-- > 0;) {
    if (ends[i] != 0) ++count;
    if (i + most < ends.size() && ends[i + most] != 0) --count;
    if (ends[i] == 0 || count < best) continue;
    best = count;
    first = i;
  }
  return std::min(first - std::min(first, words_before), ends.size() - most);
}

void put_piece(JsonText& json, bool& is_first, std::string_view text, bool is_match) {
  if (text.empty()) return;
  put_string(json, is_first ? R"({"text":)" : R"(,{"text":)", text);
  json.put(is_match ? R"(,"match":true})" : R"(,"match":false})");
  is_first = false;
}

// What stands between two matches, at the begin or at the end.
void put_between(JsonText& json, bool& is_first, std::string_view text, bool is_cut_before,
                 bool is_cut_behind) {
  if (!is_cut_before && !is_cut_behind) return put_piece(json, is_first, text, false);
  std::string whole(is_cut_before ? cut : std::string_view());
  whole.append(text).append(is_cut_behind ? cut : std::string_view());
  put_piece(json, is_first, whole, false);
}

void put_pieces(std::string_view text, const SearchText& words,
                const std::vector<std::size_t>& ends, std::size_t most, JsonText& json) {
  const std::size_t first = best_place(ends, most);
  const std::size_t last = std::min(words.size(), first + most);
  bool is_cut = first > 0;
  std::size_t shown = is_cut ? words[first].begin : 0;  // up to here the text is written
  bool is_first = true;
  json.put('[');
  for (std::size_t i = first; i < last;) {
    if (ends[i] == 0) {
      ++i;
      continue;
    }
    // A match that begins within another one goes on with it.
    std::size_t end = std::min(ends[i], last);
    for (std::size_t j = i + 1; j < end; ++j)
      end = std::max(end, std::min(ends[j], last));
    put_between(json, is_first, text.substr(shown, words[i].begin - shown), is_cut, false);
    shown = words[end - 1].end;
    put_piece(json, is_first, text.substr(words[i].begin, shown - words[i].begin), true);
    is_cut = false;
    i = end;
  }
  const bool is_whole = last == words.size();
  const std::size_t end = is_whole ? text.size() : words[last - 1].end;
  put_between(json, is_first, text.substr(shown, std::max(end, shown) - shown), is_cut, !is_whole);
  json.put(']');
}

std::string_view beginning(std::string_view text) noexcept {
  if (text.size() <= max_pieced_characters) return text;
  std::size_t characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool goes_on = (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80;
    if (!goes_on && characters++ == max_pieced_characters) return text.substr(0, i);
  }
  return text;
}

// Where in a text what was asked for stands: room.words and room.ends. False: nowhere. Throws
// std::bad_alloc.
bool find_places(Room& room, const Asked& asked, std::string_view text) {
  if (!room.tokenizer.read_where(asked.first_words, text, room.words)) throw std::bad_alloc();
  return find_matches(asked, room.words, room.ends);
}

std::size_t words_shown(sqlite3_value* value) noexcept {
  return static_cast<std::size_t>(std::clamp(sqlite3_value_int(value), 1, 1000));
}

// Of a function, what its argument `number` asks for, read once a statement. Calls `use` with it.
template <typename Use>
void with_asked(sqlite3_context* context, sqlite3_value** values, int number, const Use& use) {
  auto& room = *static_cast<Room*>(sqlite3_user_data(context));
  try {
    const auto* asked = static_cast<const Asked*>(sqlite3_get_auxdata(context, number));
    std::unique_ptr<Asked> read;
    if (asked == nullptr) {
      read = read_asked(room.tokenizer, highlighted_text(values[number]));
      if (!read) throw std::bad_alloc();
      asked = read.get();
    }
    use(room, *asked);
    // Last: SQLite may let go of it at once.
    if (read) {
      sqlite3_set_auxdata(context, number, read.release(),
                          [](void* old) { delete static_cast<Asked*>(old); });
    }
  } catch (const base::Error& error) {
    sqlite3_result_error(context, error.what(), -1);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

void put_result(sqlite3_context* context, const JsonText& json) noexcept {
  sqlite3_result_text64(context, json.view().data(), json.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

void search_pieces(sqlite3_context* context, int /*count*/, sqlite3_value** values) noexcept {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL || sqlite3_value_type(values[1]) == SQLITE_NULL)
    return;
  with_asked(context, values, 1, [&](Room& room, const Asked& asked) {
    const std::string_view text = beginning(highlighted_text(values[0]));
    if (!find_places(room, asked, text)) return;
    room.json.clear();
    put_pieces(text, room.words, room.ends, words_shown(values[2]), room.json);
    put_result(context, room.json);
  });
}

void search_highlight(sqlite3_context* context, int count, sqlite3_value** values) noexcept {
  if (count < 2 || count % 2 != 0) {
    sqlite3_result_error(context, "tenon_search_highlight: a name stands without its text", -1);
    return;
  }
  if (sqlite3_value_type(values[0]) == SQLITE_NULL) return;
  with_asked(context, values, 0, [&](Room& room, const Asked& asked) {
    const std::size_t most = words_shown(values[1]);
    room.json.clear();
    std::string_view comma = "{";
    for (int i = 2; i < count; i += 2) {
      if (sqlite3_value_type(values[i + 1]) == SQLITE_NULL) continue;
      const std::string_view text = beginning(highlighted_text(values[i + 1]));
      if (!find_places(room, asked, text)) continue;
      put_string(room.json, comma, highlighted_text(values[i]));
      room.json.put(':');
      put_pieces(text, room.words, room.ends, most, room.json);
      comma = ",";
    }
    if (comma == "{") room.json.put('{');
    room.json.put('}');
    put_result(context, room.json);
    sqlite3_result_subtype(context, host_json);
  });
}

struct Function {
  const char* name;
  int arguments;
  int flags;
  void (*call)(sqlite3_context*, int, sqlite3_value**);
};

#ifdef SQLITE_RESULT_SUBTYPE
constexpr int gives_subtype = SQLITE_RESULT_SUBTYPE;
#else
constexpr int gives_subtype = 0;
#endif

}  // namespace

void add_search_pieces(sqlite3* db) {
  for (const Function& function :
       {Function{"tenon_search_pieces", 3, 0, &search_pieces},
        Function{"tenon_search_highlight", -1, gives_subtype, &search_highlight}}) {
    // SQLite deletes the room also where it refuses the function.
    const int code = sqlite3_create_function_v2(
        db, function.name, function.arguments,
        SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY | function.flags, new Room(db),
        function.call, nullptr, nullptr, [](void* room) { delete static_cast<Room*>(room); });
    if (code != SQLITE_OK) throw sqlite_error(db, code);
  }
}

}  // namespace tenon::data::sqlite
