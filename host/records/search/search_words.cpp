#include "records/search/search_words.hpp"

#include <algorithm>
#include <cctype>

#include "records/model/limits.hpp"
#include "records/query/query_text.hpp"

namespace tenon::records {

namespace {

constexpr char quote = '"';

bool is_space(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= ' ' || byte == 0x7F;
}

bool is_in_word(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || std::isalnum(byte) != 0;
}

// A single letter of an alphabet begins too many words: the index would read them all. A character
// of three bytes may be a word.
bool is_long_enough(std::string_view text) noexcept {
  const auto word = std::find_if_not(text.rbegin(), text.rend(), is_in_word) - text.rbegin();
  const std::size_t letter =
      word != 0 && static_cast<unsigned char>(text[text.size() - 1]) >= 0x80 ? 2 : 1;
  return static_cast<std::size_t>(word) > letter;
}

std::string with_plain_spaces(std::string_view typed) {
  std::string text(typed);
  for (char& c : text) {
    if (is_space(c)) c = ' ';
  }
  return text;
}

class WordReader {
 public:
  explicit WordReader(std::string_view text) : text_(text) {}

  std::vector<SearchTerm> read() {
    while (!is_at_end()) {
      if (text_[position_] == ' ') {
        ++position_;
      } else {
        read_term();
      }
    }
    return std::move(terms_);
  }

 private:
  bool is_at_end() const noexcept { return position_ == text_.size(); }

  void read_term() {
    SearchTerm term;
    const bool is_first = position_ == 0 || text_[position_ - 1] == ' ';
    const bool continues = position_ + 1 < text_.size() && text_[position_ + 1] != ' ';
    term.is_excluded = text_[position_] == '-' && is_first && continues;
    if (term.is_excluded) ++position_;
    const bool is_phrase = text_[position_] == quote;
    if (is_phrase) ++position_;
    const std::size_t end =
        std::min(is_phrase ? text_.find(quote, position_) : text_.find_first_of(" \"", position_),
                 text_.size());
    term.text = text_.substr(position_, end - position_);
    term.is_beginning = end == text_.size() && !term.is_excluded && is_long_enough(term.text);
    position_ = is_phrase && end < text_.size() ? end + 1 : end;
    if (term.text.find_first_not_of(' ') == std::string::npos) return;
    terms_.push_back(std::move(term));
    if (terms_.size() > max_search_terms)
      refuse_query("q", "at most " + std::to_string(max_search_terms) + " words are expected");
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::vector<SearchTerm> terms_;
};

}  // namespace

std::vector<SearchTerm> parse_search(std::string_view typed) {
  if (typed.size() > max_search_bytes)
    refuse_query("q", "at most " + std::to_string(max_search_bytes) + " bytes are expected");
  const std::string text = with_plain_spaces(typed);
  return WordReader(text).read();
}

}  // namespace tenon::records
