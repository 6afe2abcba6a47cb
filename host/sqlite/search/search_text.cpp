#include "sqlite/search/search_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <new>

#include "base/json.hpp"
#include "base/json_slice.hpp"
#include "sqlite/search/fts5.hpp"

namespace tenon::data::sqlite {

namespace {

constexpr std::uint64_t each_byte = 0x0101010101010101;
constexpr std::uint64_t high_bits = 0x80 * each_byte;

// ASCII letters made small, eight at a time: of a byte below 0x80 the sums carry nothing over.
std::uint64_t folded(std::uint64_t bytes) noexcept {
  const std::uint64_t from_a = bytes + (0x80 - 'A') * each_byte;
  const std::uint64_t after_z = bytes + (0x80 - 'Z' - 1) * each_byte;
  return bytes | (((from_a ^ after_z) & high_bits) >> 2U);
}

// Writes the text folded; false where it is not ASCII alone.
bool fold_ascii(std::string_view text, std::string& out) {
  out.resize(text.size());
  std::uint64_t all = 0;
  std::size_t i = 0;
  for (; i + sizeof all <= text.size(); i += sizeof all) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + i, sizeof bytes);
    all |= bytes;
    bytes = folded(bytes);
    std::memcpy(out.data() + i, &bytes, sizeof bytes);
  }
  if (i < text.size()) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + i, text.size() - i);
    all |= bytes;
    bytes = folded(bytes);
    std::memcpy(out.data() + i, &bytes, text.size() - i);
  }
  return (all & high_bits) == 0;
}

// Of ASCII, unicode61 takes letters and digits for words.
constexpr std::array<bool, 128> make_word_letters() {
  std::array<bool, 128> letters{};
  for (std::size_t i = 0; i < letters.size(); ++i)
    letters[i] = (i >= '0' && i <= '9') || (i >= 'a' && i <= 'z');
  return letters;
}
constexpr std::array<bool, 128> word_letters = make_word_letters();

bool is_in_word(char folded) noexcept {
  return word_letters[static_cast<unsigned char>(folded)];
}

}  // namespace

SearchTokenizer::~SearchTokenizer() {
  if (made_ != nullptr) api_.xDelete(made_);
}

bool SearchTokenizer::read(std::string_view text, SearchText& words) {
  words.clear();
  if (!fold_ascii(text, words.folded_)) return cut_by_fts5(text, words);
  cut_ascii(text, words);
  return true;
}

bool SearchTokenizer::read_where(const std::vector<std::string_view>& beginnings,
                                 std::string_view text, SearchText& words) {
  words.clear();
  if (!fold_ascii(text, words.folded_)) return cut_by_fts5(text, words);
  const bool may_have = std::any_of(
      beginnings.begin(), beginnings.end(),
      [&](std::string_view one) { return words.folded_.find(one) != std::string::npos; });
  if (may_have) cut_ascii(text, words);
  return true;
}

void SearchTokenizer::cut_ascii(std::string_view text, SearchText& words) {
  const std::string& folded = words.folded_;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_in_word(folded[i])) {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < text.size() && is_in_word(folded[i]))
      ++i;
    words.words_.push_back({{begin, i}, begin, i});
  }
}

bool SearchTokenizer::cut_by_fts5(std::string_view text, SearchText& words) {
  if (made_ == nullptr && !make()) return false;
  words.folded_.clear();
  const auto take = [](void* all, int /*flags*/, const char* token, int size, int begin,
                       int end) noexcept {
    auto& taken = *static_cast<SearchText*>(all);
    try {
      const std::size_t from = taken.folded_.size();
      taken.folded_.append(token, static_cast<std::size_t>(size));
      taken.words_.push_back({{static_cast<std::size_t>(begin), static_cast<std::size_t>(end)},
                              from,
                              taken.folded_.size()});
      return SQLITE_OK;
    } catch (const std::bad_alloc&) {
      return SQLITE_NOMEM;
    }
  };
  return api_.xTokenize(made_, &words, FTS5_TOKENIZE_AUX, text.data(),
                        static_cast<int>(text.size()), take) == SQLITE_OK;
}

bool SearchTokenizer::make() noexcept {
  fts5_api* fts5 = fts5_of(db_);
  void* context = nullptr;
  if (fts5 == nullptr || fts5->xFindTokenizer(fts5, "unicode61", &context, &api_) != SQLITE_OK)
    return false;
  std::array<const char*, 2> options = {"remove_diacritics", "2"};
  return api_.xCreate(context, options.data(), static_cast<int>(options.size()), &made_) ==
         SQLITE_OK;
}

std::string_view function_text(sqlite3_value* value) noexcept {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  if (text == nullptr) return {};
  return {text, static_cast<std::size_t>(sqlite3_value_bytes(value))};
}

SearchRequest read_request(SearchTokenizer& tokenizer, std::string_view json) {
  base::check_json(json);
  SearchRequest request;
  const auto read_term = [&](const base::JsonSlice& slice) {
    SearchTerm term;
    if (slice.type() != base::JsonType::object) return;
    slice.each_member([&](const std::string& name, const base::JsonSlice& value) {
      if (name == "text" && value.type() == base::JsonType::string) term.text = value.string();
      if (value.type() != base::JsonType::boolean) return;
      if (name == "beginning") term.is_beginning = value.boolean();
      if (name == "excluded") term.is_excluded = value.boolean();
    });
    if (!tokenizer.read(term.text, term.words)) throw std::bad_alloc();
    request.terms.push_back(std::move(term));
  };
  const base::JsonSlice whole(json);
  if (whole.type() != base::JsonType::object) return request;
  whole.each_member([&](const std::string& name, const base::JsonSlice& value) {
    if (name == "terms" && value.type() == base::JsonType::array) value.each_element(read_term);
    if (name == "columns" && value.type() == base::JsonType::string)
      request.columns = value.string();
  });
  return request;
}

}  // namespace tenon::data::sqlite
