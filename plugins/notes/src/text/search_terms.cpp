#include "text/search_terms.hpp"

#include <algorithm>
#include <utility>

#include "text/utf8.hpp"

namespace notes::text {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view typed) : typed_(typed) {}

  std::vector<Term> read() {
    while (position_ < typed_.size() && words_ < max_search_words) {
      const char c = typed_[position_];
      const bool at_begin = position_ == 0 || typed_[position_ - 1] == ' ';
      if (c == '"') {
        ++position_;
        take(true, std::exchange(exclude_next_, false));
      } else if (c == '-' && at_begin) {
        exclude_next_ = true;
        ++position_;
      } else if (c == ' ') {
        exclude_next_ = false;
        ++position_;
      } else {
        take(false, std::exchange(exclude_next_, false));
      }
    }
    return std::move(terms_);
  }

 private:
  /// Words up to the closing quote or the next space. Separators inside ("e-mail") make a phrase,
  /// as FTS5 splits the text.
  void take(bool quoted, bool excluded) {
    Term term;
    term.excluded = excluded;
    bool gap = true;
    bool closed = false;
    while (position_ < typed_.size()) {
      const std::size_t begin = position_;
      const char32_t character = next_character(typed_, position_);
      if (character == '"') {
        if (!quoted) position_ = begin;
        closed = quoted;
        break;
      }
      if (!quoted && (character == ' ' || character == '\t')) {
        closed = true;
        break;
      }
      if (is_separator(character)) {
        gap = true;
        continue;
      }
      if (gap && words_ == max_search_words) break;
      if (gap) {
        ++words_;
        if (!term.words.empty()) term.words += ' ';
      }
      gap = false;
      term.words += typed_.substr(begin, position_ - begin);
    }
    term.unfinished = !closed && position_ == typed_.size() && !gap;
    if (!term.words.empty()) terms_.push_back(std::move(term));
  }

  std::string_view typed_;
  std::size_t position_ = 0;
  std::size_t words_ = 0;
  bool exclude_next_ = false;
  std::vector<Term> terms_;
};

std::string quoted(const Term& term) {
  std::string out = "\"";
  out.append(term.words).append("\"");
  if (term.unfinished) out += '*';
  return out;
}

}  // namespace

std::vector<Term> search_terms(std::string_view typed) {
  auto terms = Reader(first(typed, max_search_characters)).read();
  const bool is_wanted =
      std::any_of(terms.begin(), terms.end(), [](const Term& term) { return !term.excluded; });
  return is_wanted ? std::move(terms) : std::vector<Term>();
}

std::string match_expression(const std::vector<Term>& terms, std::string_view column) {
  std::string wanted;
  std::string unwanted;
  for (const auto& term : terms) {
    if (term.excluded) {
      unwanted.append(" NOT ").append(quoted(term));
    } else {
      wanted.append(wanted.empty() ? "" : " AND ").append(quoted(term));
    }
  }
  std::string expression = "(" + wanted + ")" + unwanted;
  if (column.empty()) return expression;
  return std::string(column).append(" : (").append(expression).append(")");
}

std::vector<Segment> segments(std::string_view marked) {
  std::vector<Segment> result;
  bool match = false;
  std::string current;
  const auto flush = [&] {
    if (!current.empty()) result.push_back({std::exchange(current, {}), match});
  };
  for (const char c : marked) {
    if (c == match_begin.front() || c == match_end.front()) {
      flush();
      match = c == match_begin.front();
    } else {
      current += c;
    }
  }
  flush();
  return result;
}

}  // namespace notes::text
