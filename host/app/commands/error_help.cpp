#include "app/commands/error_help.hpp"

#include <algorithm>

namespace tenon::app {

namespace {

constexpr std::string_view heading = "\n### ";

std::string without_marks(std::string_view markdown) {
  std::string text;
  for (std::size_t i = 0; i < markdown.size(); ++i) {
    // "[text](target)" becomes "text (docs/target)".
    const std::size_t middle = markdown[i] == '[' ? markdown.find("](", i) : std::string_view::npos;
    const std::size_t end = middle == std::string_view::npos ? middle : markdown.find(')', middle);
    if (end != std::string_view::npos) {
      text.append(markdown.substr(i + 1, middle - i - 1)).append(" (docs/");
      text.append(markdown.substr(middle + 2, end - middle - 2)).append(")");
      i = end;
    } else if (markdown[i] != '`') {
      text += markdown[i];
    }
  }
  return text;
}

}  // namespace

std::string explain_error(std::string_view code) {
  const std::string wanted = std::string(heading) + std::string(code) + "\n";
  const std::size_t at = error_pages.find(wanted);
  if (at == std::string_view::npos) return {};
  std::string_view page = error_pages.substr(at + wanted.size());
  page = page.substr(0, std::min(page.find("\n#"), page.size()));
  while (page.ends_with('\n'))
    page.remove_suffix(1);
  page.remove_prefix(std::min(page.find_first_not_of('\n'), page.size()));
  return std::string(code) + "\n\n" + without_marks(page) + "\n";
}

std::vector<std::string> explained_errors() {
  std::vector<std::string> codes;
  for (std::size_t at = error_pages.find(heading); at != std::string_view::npos;
       at = error_pages.find(heading, at + 1)) {
    const std::string_view rest = error_pages.substr(at + heading.size());
    codes.emplace_back(rest.substr(0, rest.find('\n')));
  }
  std::sort(codes.begin(), codes.end());
  return codes;
}

}  // namespace tenon::app
