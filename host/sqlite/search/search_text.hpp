#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <sqlite3.h>

namespace tenon::data::sqlite {

/// The words of a text, in its letters and folded as a search index has them.
class SearchText {
 public:
  struct Word {
    std::size_t begin = 0;  ///< in the text
    std::size_t end = 0;
  };

  std::size_t size() const noexcept { return words_.size(); }
  const Word& operator[](std::size_t i) const noexcept { return words_[i].shown; }
  std::string_view folded(std::size_t i) const noexcept {
    const Folded& word = words_[i];
    return std::string_view(folded_).substr(word.begin, word.end - word.begin);
  }

 private:
  friend class SearchTokenizer;
  struct Folded {
    Word shown;
    std::size_t begin = 0;  // in `folded_`
    std::size_t end = 0;
  };

  void clear() noexcept {
    words_.clear();
    folded_.clear();
  }

  std::vector<Folded> words_;
  std::string folded_;
};

/// A word or phrase of a search.
struct SearchTerm {
  std::string text;
  SearchText words;
  bool is_beginning = false;  ///< the last word may continue
  bool is_excluded = false;
};

/// The request of a search: {"columns":"\"title\"","terms":[{"text":"a","beginning":false,
/// "excluded":false}]}. Without "columns", all columns of the index are searched.
struct SearchRequest {
  std::string columns;  ///< quoted names, separated by spaces
  std::vector<SearchTerm> terms;
};

/// Splits texts into words as the search indexes do, with FTS5's unicode61 without diacritics.
/// Splits ASCII texts itself, which takes a tenth of the time. Belongs to its connection: one
/// thread at a time.
class SearchTokenizer {
 public:
  explicit SearchTokenizer(sqlite3* db) noexcept : db_(db) {}
  ~SearchTokenizer();
  SearchTokenizer(const SearchTokenizer&) = delete;
  SearchTokenizer& operator=(const SearchTokenizer&) = delete;

  /// False: FTS5 is not there, or has no memory. Throws std::bad_alloc.
  bool read(std::string_view text, SearchText& words);

  /// The same where the text may have a word that begins as one of these; else no words. Looks at
  /// an ASCII text without cutting it.
  bool read_where(const std::vector<std::string_view>& beginnings, std::string_view text,
                  SearchText& words);

 private:
  static void cut_ascii(std::string_view text, SearchText& words);
  bool cut_by_fts5(std::string_view text, SearchText& words);
  bool make() noexcept;

  sqlite3* db_;
  fts5_tokenizer api_{};
  Fts5Tokenizer* made_ = nullptr;
};

/// The text of an SQL function's argument; empty for NULL.
std::string_view function_text(sqlite3_value* value) noexcept;

/// Reads the JSON of a request. Throws base::Error if it is not JSON, std::bad_alloc.
SearchRequest read_request(SearchTokenizer& tokenizer, std::string_view json);

}  // namespace tenon::data::sqlite
