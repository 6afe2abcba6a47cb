#include "sqlite/search/highlight.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <sqlite3.h>

#include "base/error.hpp"
#include "data/json_values.hpp"
#include "sqlite/connection/sqlite_error.hpp"
#include "sqlite/search/search_text.hpp"

namespace tenon::data::sqlite {

namespace {

constexpr std::string_view cut = "…";
// Words in front of the first match that is shown.
constexpr std::size_t words_before = 4;

// Whether a term matches at a word of a text.
bool is_at(const SearchTerm& term, const SearchText& text, std::size_t position) noexcept {
  const std::size_t last = term.words.size() - 1;
  if (position + last >= text.size()) return false;
  for (std::size_t i = 0; i < last; ++i) {
    if (text.folded(position + i) != term.words.folded(i)) return false;
  }
  const std::string_view found = text.folded(position + last);
  const std::string_view wanted = term.words.folded(last);
  return term.is_beginning ? found.starts_with(wanted) : found == wanted;
}

struct Wanted {
  std::vector<SearchTerm> terms;
  std::vector<std::string_view> first_words;  // views of `terms`, which is not modified any more
};

// Memory that a function reuses from one text to the next.
struct Scratch {
  explicit Scratch(sqlite3* db) noexcept : tokenizer(db) {}

  SearchTokenizer tokenizer;
  SearchText words;
  std::vector<std::size_t> ends;
  JsonText json;
};

std::unique_ptr<Wanted> read_wanted(SearchTokenizer& tokenizer, std::string_view json) {
  auto wanted = std::make_unique<Wanted>();
  wanted->terms = read_request(tokenizer, json).terms;
  std::erase_if(wanted->terms,
                [](const SearchTerm& term) { return term.is_excluded || term.words.size() == 0; });
  for (const SearchTerm& term : wanted->terms)
    wanted->first_words.push_back(term.words.folded(0));
  return wanted;
}

// Of each word, the end of the longest match that begins there; 0: none does.
bool find_matches(const Wanted& wanted, const SearchText& text, std::vector<std::size_t>& ends) {
  ends.assign(text.size(), 0);
  bool has_some = false;
  for (const SearchTerm& term : wanted.terms) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (!is_at(term, text, i)) continue;
      ends[i] = std::max(ends[i], i + term.words.size());
      has_some = true;
    }
  }
  return has_some;
}

// Returns the first of the `max_words` words that contain the most matches.
std::size_t best_start(const std::vector<std::size_t>& ends, std::size_t max_words) {
  if (ends.size() <= max_words) return 0;
  std::size_t best = 0;
  std::size_t first = 0;
  std::size_t count = 0;  // of matches that begin in the words from i on
  for (std::size_t i = ends.size(); i-- > 0;) {
    if (ends[i] != 0) ++count;
    if (i + max_words < ends.size() && ends[i + max_words] != 0) --count;
    if (ends[i] == 0 || count < best) continue;
    best = count;
    first = i;
  }
  return std::min(first - std::min(first, words_before), ends.size() - max_words);
}

void put_piece(JsonText& json, bool& is_first, std::string_view text, bool is_match) {
  if (text.empty()) return;
  put_string(json, is_first ? R"({"text":)" : R"(,{"text":)", text);
  json.put(is_match ? R"(,"match":true})" : R"(,"match":false})");
  is_first = false;
}

// Appends the text between two matches, at the start or at the end.
void put_between(JsonText& json, bool& is_first, std::string_view text, bool is_cut_before,
                 bool is_cut_after) {
  if (!is_cut_before && !is_cut_after) return put_piece(json, is_first, text, false);
  std::string whole(is_cut_before ? cut : std::string_view());
  whole.append(text).append(is_cut_after ? cut : std::string_view());
  put_piece(json, is_first, whole, false);
}

void put_pieces(std::string_view text, const SearchText& words,
                const std::vector<std::size_t>& ends, std::size_t max_words, JsonText& json) {
  const std::size_t first = best_start(ends, max_words);
  const std::size_t last = std::min(words.size(), first + max_words);
  bool is_cut = first > 0;
  std::size_t shown = is_cut ? words[first].begin : 0;  // up to here the text is written
  bool is_first = true;
  json.put('[');
  for (std::size_t i = first; i < last;) {
    if (ends[i] == 0) {
      ++i;
      continue;
    }
    // A match that begins within another one extends it.
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
    const bool is_continuation = (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80;
    if (!is_continuation && characters++ == max_pieced_characters) return text.substr(0, i);
  }
  return text;
}

// Finds the matches in a text: scratch.words and scratch.ends. Returns false if there is none.
// Throws std::bad_alloc.
bool find_matches(Scratch& scratch, const Wanted& wanted, std::string_view text) {
  if (!scratch.tokenizer.read_where(wanted.first_words, text, scratch.words))
    throw std::bad_alloc();
  return find_matches(wanted, scratch.words, scratch.ends);
}

std::size_t words_shown(sqlite3_value* value) noexcept {
  return static_cast<std::size_t>(std::clamp(sqlite3_value_int(value), 1, 1000));
}

// Calls `use` with the request in argument `number` of a function, which is parsed once per
// statement.
template <typename Use>
void with_wanted(sqlite3_context* context, sqlite3_value** values, int number, const Use& use) {
  auto& scratch = *static_cast<Scratch*>(sqlite3_user_data(context));
  try {
    const auto* wanted = static_cast<const Wanted*>(sqlite3_get_auxdata(context, number));
    std::unique_ptr<Wanted> read;
    if (wanted == nullptr) {
      read = read_wanted(scratch.tokenizer, function_text(values[number]));
      wanted = read.get();
    }
    use(scratch, *wanted);
    // Last, because SQLite may free it at once.
    if (read) {
      sqlite3_set_auxdata(context, number, read.release(),
                          [](void* old) { delete static_cast<Wanted*>(old); });
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

void highlight_pieces(sqlite3_context* context, int /*count*/, sqlite3_value** values) noexcept {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL || sqlite3_value_type(values[1]) == SQLITE_NULL)
    return;
  with_wanted(context, values, 1, [&](Scratch& scratch, const Wanted& wanted) {
    const std::string_view text = beginning(function_text(values[0]));
    if (!find_matches(scratch, wanted, text)) return;
    scratch.json.clear();
    put_pieces(text, scratch.words, scratch.ends, words_shown(values[2]), scratch.json);
    put_result(context, scratch.json);
  });
}

void search_highlight(sqlite3_context* context, int count, sqlite3_value** values) noexcept {
  if (count < 2 || count % 2 != 0) {
    sqlite3_result_error(context, "tenon_highlight() expects a text for each name", -1);
    return;
  }
  if (sqlite3_value_type(values[0]) == SQLITE_NULL) return;
  with_wanted(context, values, 0, [&](Scratch& scratch, const Wanted& wanted) {
    const std::size_t max_words = words_shown(values[1]);
    scratch.json.clear();
    std::string_view comma = "{";
    for (int i = 2; i < count; i += 2) {
      if (sqlite3_value_type(values[i + 1]) == SQLITE_NULL) continue;
      const std::string_view text = beginning(function_text(values[i + 1]));
      if (!find_matches(scratch, wanted, text)) continue;
      put_string(scratch.json, comma, function_text(values[i]));
      scratch.json.put(':');
      put_pieces(text, scratch.words, scratch.ends, max_words, scratch.json);
      comma = ",";
    }
    if (comma == "{") scratch.json.put('{');
    scratch.json.put('}');
    put_result(context, scratch.json);
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

void add_highlight_functions(sqlite3* db) {
  for (const Function& function :
       {Function{"tenon_search_pieces", 3, 0, &highlight_pieces},
        Function{"tenon_highlight", -1, gives_subtype, &search_highlight}}) {
    // SQLite deletes the scratch also where it refuses the function.
    const int code = sqlite3_create_function_v2(
        db, function.name, function.arguments,
        SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY | function.flags, new Scratch(db),
        function.call, nullptr, nullptr,
        [](void* scratch) { delete static_cast<Scratch*>(scratch); });
    if (code != SQLITE_OK) throw sqlite_error(db, code);
  }
}

}  // namespace tenon::data::sqlite
