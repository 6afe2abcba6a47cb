#include "openapi/components.hpp"

namespace tenon::openapi {

namespace {

constexpr std::string_view reference = "\"#/components/";

}  // namespace

void Components::add(const std::vector<Component>& components) {
  for (const Component& one : components)
    known_.emplace(Key(one.section, one.name), one.text);
}

bool Components::reach(std::string_view text, std::set<Key>& reached) const {
  bool is_whole = true;
  std::vector<std::string_view> texts{text};
  while (!texts.empty()) {
    std::string_view rest = texts.back();
    texts.pop_back();
    for (std::size_t at = rest.find(reference); at != std::string_view::npos;
         at = rest.find(reference)) {
      rest.remove_prefix(at + reference.size());
      const std::string_view path = rest.substr(0, rest.find('"'));
      const std::size_t slash = path.find('/');
      const Key key(path.substr(0, slash),
                    slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1));
      const auto found = known_.find(key);
      if (found == known_.end())
        is_whole = false;
      else if (reached.insert(key).second)
        texts.push_back(found->second);
    }
  }
  return is_whole;
}

bool Components::has_all_of(std::string_view text) const {
  std::set<Key> reached;
  return reach(text, reached);
}

void Components::use(std::string_view text) {
  reach(text, used_);
}

void Components::write(base::JsonWriter& json) const {
  const std::string* open = nullptr;
  for (const Key& key : used_) {
    if (!open || *open != key.first) {
      if (open) json.end_object();
      json.key(key.first).begin_object();
      open = &key.first;
    }
    json.key(key.second).raw(known_.at(key));
  }
  if (open) json.end_object();
}

}  // namespace tenon::openapi
