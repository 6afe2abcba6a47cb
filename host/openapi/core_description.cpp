#include "openapi/core_description.hpp"

#include "base/json.hpp"
#include "base/json_slice.hpp"

namespace tenon::openapi {

namespace {

void read_file(std::string_view text, CoreDescription& core) {
  base::check_json(text);
  base::JsonSlice(text).each_member([&](const std::string& part, const base::JsonSlice& members) {
    if (part == "components") {
      const std::string wrapped = "{\"x-components\":" + std::string(members.text()) + "}";
      const Fragment fragment = read_fragment(wrapped);
      core.components.insert(core.components.end(), fragment.components.begin(),
                             fragment.components.end());
      return;
    }
    if (part == "tag") core.tags.emplace_back();
    members.each_member([&](const std::string& name, const base::JsonSlice& value) {
      if (part == "tag")
        (name == "name" ? core.tags.back().name : core.tags.back().description) = value.string();
      else
        core.operations[name] = {core.tags.size() - 1, read_fragment(value.text())};
    });
  });
}

CoreDescription read_all() {
  CoreDescription core;
  for (const std::string_view text : core_files())
    read_file(text, core);
  return core;
}

}  // namespace

const CoreDescription& core_description() {
  static const CoreDescription core = read_all();
  return core;
}

}  // namespace tenon::openapi
