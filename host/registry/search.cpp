#include "registry/search.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <Poco/UTF8String.h>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "registry/limits.hpp"

namespace tenon::plugins {

namespace {

// The score of a word by where it is found.
constexpr int whole_id = 100;
constexpr int beginning_of_id = 50;
constexpr int beginning_of_name = 40;
constexpr int inside_name = 20;
constexpr int inside_author = 10;
constexpr int inside_description = 5;

std::vector<std::string> words_of(std::string_view query) {
  if (query.size() > RegistryLimits::query || !base::is_valid_utf8(query)) {
    const std::string message = "What is searched for is UTF-8 of at most " +
                                std::to_string(RegistryLimits::query) + " bytes.";
    throw base::Error(422, "plugins.registry_query", message, {{"q", "invalid", message}});
  }
  std::vector<std::string> words;
  std::size_t at = 0;
  while (words.size() < RegistryLimits::words) {
    at = query.find_first_not_of(" \t\r\n", at);
    if (at == std::string_view::npos) break;
    const std::size_t end = std::min(query.find_first_of(" \t\r\n", at), query.size());
    words.push_back(Poco::UTF8::toLower(std::string(query.substr(at, end - at))));
    at = end;
  }
  return words;
}

// 0 where it is not inside at all.
int worth(const std::string& text, const std::string& word, int inside, int at_the_beginning) {
  const std::size_t found = text.find(word);
  if (found == std::string::npos) return 0;
  return found == 0 || text.find(" " + word) != std::string::npos ? at_the_beginning : inside;
}

int rank(const IndexedPlugin& plugin, const std::vector<std::string>& words) {
  const std::string name = Poco::UTF8::toLower(plugin.name);
  const std::string author = Poco::UTF8::toLower(plugin.author);
  const std::string description = Poco::UTF8::toLower(plugin.description);
  int sum = 0;
  for (const std::string& word : words) {
    int best = plugin.id == word ? whole_id : worth(plugin.id, word, inside_name, beginning_of_id);
    best = std::max(best, worth(name, word, inside_name, beginning_of_name));
    best = std::max(best, worth(author, word, inside_author, inside_author));
    best = std::max(best, worth(description, word, inside_description, inside_description));
    if (best == 0) return 0;
    sum += best;
  }
  return sum;
}

}  // namespace

std::vector<const IndexedPlugin*> search_plugins(const PackageIndex& index,
                                                 std::string_view query) {
  const std::vector<std::string> words = words_of(query);
  std::vector<std::pair<int, const IndexedPlugin*>> ranked;
  for (const IndexedPlugin& plugin : index.plugins) {
    const int found = words.empty() ? 1 : rank(plugin, words);
    if (found > 0) ranked.emplace_back(found, &plugin);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& left, const auto& right) { return left.first > right.first; });
  std::vector<const IndexedPlugin*> plugins;
  for (const auto& [found, plugin] : ranked)
    plugins.push_back(plugin);
  return plugins;
}

}  // namespace tenon::plugins
