#include "packages/archive/ui_script.hpp"

#include <array>
#include <cctype>
#include <cstddef>

namespace tenon::plugins {

namespace {

constexpr std::array<std::string_view, 17> module_names{"react",
                                                        "react/jsx-runtime",
                                                        "react/jsx-dev-runtime",
                                                        "react-dom",
                                                        "react-dom/client",
                                                        "react-router",
                                                        "@tanstack/react-query",
                                                        "@tenon/host",
                                                        "@tenon/ui",
                                                        "@tenon/ui/forms",
                                                        "@tenon/ui/overlays",
                                                        "@tenon/ui/data",
                                                        "@tenon/ui/dates",
                                                        "@tenon/ui/charts",
                                                        "@tenon/ui/records",
                                                        "@tenon/ui/transfer",
                                                        "@tenon/ui/uploads"};

struct Mark {
  std::string_view package;
  std::string_view text;
  bool is_assigned;  // others read it; only the package itself sets it
};

constexpr std::array<Mark, 7> marks{{
    {"react", "__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE", true},
    {"react-dom", "__DOM_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE", true},
    {"scheduler", "unstable_scheduleCallback", true},
    {"react-router", "may be used only in the context of a <Router>", false},
    {"@tanstack/react-query", "No QueryClient set, use QueryClientProvider", false},
    {"@tenon/host", "usePlugin() outside of a plugin's page", false},
    {"@tenon/ui", "Nothing was lost on the server.", false},
}};

bool is_space(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool is_word(char c) noexcept {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

bool is_set_at(std::string_view script, std::size_t at) {
  while (at < script.size() && is_space(script[at]))
    ++at;
  return at < script.size() && script[at] == '=' &&
         (at + 1 == script.size() || (script[at + 1] != '=' && script[at + 1] != '>'));
}

bool has_mark(std::string_view script, const Mark& mark) {
  std::size_t at = script.find(mark.text);
  while (at != std::string_view::npos) {
    const std::size_t after = at + mark.text.size();
    if (!mark.is_assigned || is_set_at(script, after)) return true;
    at = script.find(mark.text, after);
  }
  return false;
}

// Reads import and export…from statements one after the other.
class Statements {
 public:
  explicit Statements(std::string_view script) : rest_(script) {}

  std::vector<std::string> read() {
    std::vector<std::string> found;
    while (skip_blank()) {
      if (!take("import") && !take("export")) break;
      skip_blank();
      // import(…) and import.meta are no statements; export of something own has no module.
      if (!skip_bindings()) break;
      const std::string_view module = take_text();
      if (module.empty()) break;
      found.emplace_back(module);
    }
    return found;
  }

 private:
  // False at the end, and where a comment has none.
  bool skip_blank() {
    while (!rest_.empty()) {
      if (is_space(rest_.front()) || rest_.front() == ';') {
        rest_.remove_prefix(1);
      } else if (rest_.starts_with("//")) {
        skip_past("\n");
      } else if (rest_.starts_with("/*")) {
        skip_past("*/");
      } else {
        return true;
      }
    }
    return false;
  }

  void skip_past(std::string_view end) {
    const std::size_t at = rest_.find(end, 2);
    rest_.remove_prefix(at == std::string_view::npos ? rest_.size() : at + end.size());
  }

  bool take(std::string_view word) {
    if (!rest_.starts_with(word) || (rest_.size() > word.size() && is_word(rest_[word.size()])))
      return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  // Skips the text between the keyword and the module's name: nothing, or names that end with
  // "from".
  bool skip_bindings() {
    std::string_view last;
    std::size_t at = 0;
    while (at < rest_.size()) {
      const char c = rest_[at];
      if (c == '"' || c == '\'') {
        rest_.remove_prefix(at);
        return last.empty() || last == "from";
      }
      const std::size_t begin = at;
      while (at < rest_.size() && (is_word(rest_[at]) || (rest_[at] & 0x80) != 0))
        ++at;
      if (at > begin) {
        last = rest_.substr(begin, at - begin);
        if (last == "const" || last == "let" || last == "var" || last == "function" ||
            last == "class" || last == "async")
          return false;
        continue;
      }
      if (c != '{' && c != '}' && c != ',' && c != '*' && !is_space(c)) return false;
      ++at;
    }
    return false;
  }

  std::string_view take_text() {
    const std::size_t end = rest_.find_first_of(rest_.front() == '"' ? "\"\\\n" : "'\\\n", 1);
    if (end == std::string_view::npos || rest_[end] != rest_.front()) return {};
    const std::string_view text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return text;
  }

  std::string_view rest_;
};

}  // namespace

std::span<const std::string_view> shared_modules() noexcept {
  return module_names;
}

std::vector<std::string> leading_imports(std::string_view script) {
  return Statements(script).read();
}

std::vector<std::string_view> bundled_copies(std::string_view script) {
  std::vector<std::string_view> found;
  for (const Mark& mark : marks)
    if (has_mark(script, mark)) found.push_back(mark.package);
  return found;
}

}  // namespace tenon::plugins
