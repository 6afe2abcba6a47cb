#include "data/sqlite/search_pieces.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <sqlite3.h>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_slice.hpp"
#include "base/json_writer.hpp"
#include "data/sqlite/fts5.hpp"
#include "data/sqlite/sqlite_error.hpp"

namespace tenon::data::sqlite {

namespace {

constexpr std::string_view cut = "…";
// Words in front of the first match that is shown.
constexpr std::size_t words_before = 4;

struct Word {
  std::size_t begin = 0;  // in the text
  std::size_t end = 0;
  std::size_t folded_end = 0;  // in the folded words
};

// The words of a text, in its letters and folded as the index has them.
class Words {
 public:
  void clear() noexcept {
    words_.clear();
    folded_.clear();
  }
  void add(std::string_view folded, int begin, int end) {
    folded_ += folded;
    words_.push_back(
        {static_cast<std::size_t>(begin), static_cast<std::size_t>(end), folded_.size()});
  }
  std::size_t size() const noexcept { return words_.size(); }
  const Word& operator[](std::size_t i) const noexcept { return words_[i]; }
  std::string_view folded(std::size_t i) const noexcept {
    const std::size_t begin = i == 0 ? 0 : words_[i - 1].folded_end;
    return std::string_view(folded_).substr(begin, words_[i].folded_end - begin);
  }

 private:
  std::vector<Word> words_;
  std::string folded_;
};

struct Term {
  Words words;
  bool is_beginning = false;

  // Whether it stands at a word of a text.
  bool is_at(const Words& text, std::size_t place) const noexcept {
    const std::size_t last = words.size() - 1;
    if (place + last >= text.size()) return false;
    for (std::size_t i = 0; i < last; ++i) {
      if (text.folded(place + i) != words.folded(i)) return false;
    }
    const std::string_view found = text.folded(place + last);
    return is_beginning ? found.starts_with(words.folded(last)) : found == words.folded(last);
  }
};

using Asked = std::vector<Term>;

// FTS5's tokenizer, and room for the words of one text after the other. One per connection.
class Tokenizer {
 public:
  explicit Tokenizer(sqlite3* db) noexcept : db_(db) {}
  ~Tokenizer() {
    if (made_ != nullptr) api_.xDelete(made_);
  }
  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;

  // False: FTS5 is not there, or has no memory.
  bool read(std::string_view text, Words& words) {
    if (made_ == nullptr && !make()) return false;
    words.clear();
    return api_.xTokenize(made_, &words, FTS5_TOKENIZE_AUX, text.data(),
                          static_cast<int>(text.size()), &take) == SQLITE_OK;
  }

  Words room;
  std::vector<std::size_t> ends;
  std::string json;

 private:
  static int take(void* words, int /*flags*/, const char* token, int size, int begin,
                  int end) noexcept {
    try {
      static_cast<Words*>(words)->add({token, static_cast<std::size_t>(size)}, begin, end);
      return SQLITE_OK;
    } catch (const std::bad_alloc&) {
      return SQLITE_NOMEM;
    }
  }

  bool make() noexcept {
    fts5_api* fts5 = fts5_of(db_);
    void* context = nullptr;
    if (fts5 == nullptr || fts5->xFindTokenizer(fts5, "unicode61", &context, &api_) != SQLITE_OK)
      return false;
    std::array<const char*, 2> options = {"remove_diacritics", "2"};
    return api_.xCreate(context, options.data(), static_cast<int>(options.size()), &made_) ==
           SQLITE_OK;
  }

  sqlite3* db_;
  fts5_tokenizer api_{};
  Fts5Tokenizer* made_ = nullptr;
};

std::string_view text_of(sqlite3_value* value) noexcept {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  if (text == nullptr) return {};
  return {text, static_cast<std::size_t>(sqlite3_value_bytes(value))};
}

// Null: there is no tokenizer. Throws base::Error.
std::unique_ptr<Asked> read_asked(Tokenizer& tokenizer, std::string_view json) {
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
    if (!is_excluded && term.words.size() > 0) asked->push_back(std::move(term));
  };
  const base::JsonSlice whole(json);
  if (whole.type() != base::JsonType::object) return asked;
  whole.each_member([&](const std::string& name, const base::JsonSlice& value) {
    if (name == "terms" && value.type() == base::JsonType::array) value.each_element(read_term);
  });
  return is_read ? std::move(asked) : nullptr;
}

// Of each word, the end of the longest match that begins there; 0: none does.
bool find_matches(const Asked& asked, const Words& text, std::vector<std::size_t>& ends) {
  ends.assign(text.size(), 0);
  bool has_some = false;
  for (const Term& term : asked) {
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

void append_piece(base::JsonWriter& json, std::string_view before, std::string_view text,
                  std::string_view behind, bool is_match) {
  if (before.empty() && text.empty() && behind.empty()) return;
  std::string whole(before);
  whole.append(text).append(behind);
  json.begin_object().member("text", whole).member("match", is_match).end_object();
}

void write_pieces(std::string_view text, const Words& words, const std::vector<std::size_t>& ends,
                  std::size_t most, std::string& out) {
  const std::size_t first = best_place(ends, most);
  const std::size_t last = std::min(words.size(), first + most);
  std::string_view before = first > 0 ? cut : std::string_view();
  std::size_t shown = first > 0 ? words[first].begin : 0;  // up to here the text is written
  base::JsonWriter json(out);
  json.begin_array();
  for (std::size_t i = first; i < last;) {
    if (ends[i] == 0) {
      ++i;
      continue;
    }
    // A match that begins within another one goes on with it.
    std::size_t end = std::min(ends[i], last);
    for (std::size_t j = i + 1; j < end; ++j)
      end = std::max(end, std::min(ends[j], last));
    append_piece(json, before, text.substr(shown, words[i].begin - shown), {}, false);
    append_piece(json, {}, text.substr(words[i].begin, words[end - 1].end - words[i].begin), {},
                 true);
    before = {};
    shown = words[end - 1].end;
    i = end;
  }
  const bool is_whole = last == words.size();
  const std::size_t end = is_whole ? text.size() : words[last - 1].end;
  append_piece(json, before, text.substr(shown, std::max(end, shown) - shown),
               is_whole ? std::string_view() : cut, false);
  json.end_array();
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

void search_pieces(sqlite3_context* context, int /*count*/, sqlite3_value** values) noexcept {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL || sqlite3_value_type(values[1]) == SQLITE_NULL)
    return;
  auto& tokenizer = *static_cast<Tokenizer*>(sqlite3_user_data(context));
  try {
    auto* asked = static_cast<Asked*>(sqlite3_get_auxdata(context, 1));
    std::unique_ptr<Asked> read;
    if (asked == nullptr) {
      read = read_asked(tokenizer, text_of(values[1]));
      if (!read) {
        sqlite3_result_error_nomem(context);
        return;
      }
      asked = read.get();
    }
    const std::string_view text = beginning(text_of(values[0]));
    const auto most = static_cast<std::size_t>(std::clamp(sqlite3_value_int(values[2]), 1, 1000));
    if (!tokenizer.read(text, tokenizer.room)) {
      sqlite3_result_error_nomem(context);
      return;
    }
    if (find_matches(*asked, tokenizer.room, tokenizer.ends)) {
      tokenizer.json.clear();
      write_pieces(text, tokenizer.room, tokenizer.ends, most, tokenizer.json);
      sqlite3_result_text64(context, tokenizer.json.data(), tokenizer.json.size(), SQLITE_TRANSIENT,
                            SQLITE_UTF8);
    }
    // Last: SQLite may let go of it at once.
    if (read) {
      sqlite3_set_auxdata(context, 1, read.release(),
                          [](void* old) { delete static_cast<Asked*>(old); });
    }
  } catch (const base::Error& error) {
    sqlite3_result_error(context, error.what(), -1);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

}  // namespace

void add_search_pieces(sqlite3* db) {
  // SQLite deletes the tokenizer also where it refuses the function.
  const int code = sqlite3_create_function_v2(
      db, "tenon_search_pieces", 3, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
      new Tokenizer(db), search_pieces, nullptr, nullptr,
      [](void* tokenizer) { delete static_cast<Tokenizer*>(tokenizer); });
  if (code != SQLITE_OK) throw sqlite_error(db, code);
}

}  // namespace tenon::data::sqlite
