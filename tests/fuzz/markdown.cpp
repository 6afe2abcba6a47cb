// A note's text: links, titles, front matter, excerpts. The first line is a title.

#include "property.hpp"
#include "text/exported.hpp"
#include "text/front_matter.hpp"
#include "text/keys.hpp"
#include "text/paths.hpp"
#include "text/plain.hpp"
#include "text/scan.hpp"
#include "text/utf8.hpp"

namespace {

using namespace notes::text;

void check_links(std::string_view text) {
  std::size_t last = 0;
  scan_links(text, [&](const Link& link) {
    TENON_HOLDS(!link.target.empty() && link.target.size() <= max_link_bytes);
    TENON_HOLDS(tenon::fuzz::is_within(link.target, text));
    TENON_HOLDS(link.target.data() == text.data() + link.begin && link.begin >= last);
    last = link.begin;
    return true;
  });
}

void check_titles(std::string_view text) {
  const std::string title = title_of(text, "file.md");
  TENON_HOLDS(!has_control(title) && length(title) <= max_title_characters);
  TENON_HOLDS(clean_title(title) == title);
  const std::string words = excerpt(text, title);
  TENON_HOLDS(!has_control(words) && length(words) <= 160);
  TENON_HOLDS(fold(fold(text)) == fold(text));
  const auto tags = read_front_matter(text).tags;
  TENON_HOLDS(tags.size() <= max_tags);
  for (const std::string& tag : tags)
    TENON_HOLDS(!tag.empty() && length(tag) <= max_tag_characters && tag_name(tag) == tag);
  TENON_HOLDS(exported_text(text, title, "file.md", tags) == text);
}

void check_changes(const std::string& title, std::string_view text) {
  const std::string changed = exported_text(text, "Other: \"title\"", "file.md", {"x", "y z"});
  TENON_HOLDS(title_of(changed, "file.md") == "Other: \"title\"");
  TENON_HOLDS((read_front_matter(changed).tags == std::vector<std::string>{"x", "y z"}));
  std::size_t replaced = 0;
  const std::string key = fold(title);
  const std::string renamed = replace_title_links(text, key, "New", replaced);
  TENON_HOLDS(replaced != 0 || renamed == text);
  const std::string file = file_name_of(title);
  TENON_HOLDS(file.ends_with(".md") && file.find('/') == std::string::npos);
  TENON_HOLDS(is_markdown_file(file));
}

void check_paths(std::string_view text) {
  const auto path = resolve_path("a/b", text);
  if (path)
    TENON_HOLDS(!path->starts_with('/') && ("/" + *path + "/").find("/../") == std::string::npos);
  const auto parts = split_path(text);
  if (!parts) return;
  TENON_HOLDS(!parts->empty());
  for (std::size_t i = 0; i + 1 < parts->size(); ++i)
    TENON_HOLDS(is_notebook_name((*parts)[i]));
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = tenon::fuzz::text_of(data, size);
  std::string_view rest = text;
  const std::string title = clean_title(tenon::fuzz::take_line(rest));
  check_links(text);
  check_titles(text);
  check_changes(title, rest);
  check_paths(title);
  return 0;
}
