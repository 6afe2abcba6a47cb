#include "app/supervisor/process_title.hpp"

#include <cstring>
#include <string_view>

namespace tenon::app {

namespace {

int word_count = 0;
char** first_word = nullptr;

}  // namespace

void remember_command_line(int count, char** words) noexcept {
  word_count = count;
  first_word = words;
}

void show_as_host() noexcept {
  constexpr std::string_view from = "serve";
  constexpr std::string_view to = "host";
  static_assert(to.size() <= from.size());
  if (word_count < 2 || first_word[1] != from) return;
  // The words lie one after the other, and the system shows what is there.
  char* const word = first_word[1];
  char* const last = first_word[word_count - 1];
  char* const end = last + std::strlen(last) + 1;
  char* const rest = word + from.size();
  std::memcpy(word, to.data(), to.size());
  std::memmove(word + to.size(), rest, static_cast<std::size_t>(end - rest));
  std::memset(end - (from.size() - to.size()), '\0', from.size() - to.size());
}

}  // namespace tenon::app
