#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "openapi/fragment.hpp"

namespace tenon::openapi {

struct Tag {
  std::string name;
  std::string description;   ///< CommonMark
  std::string license = {};  ///< an SPDX expression; empty: none is stated
};

/// The descriptions of the host's own routes in the files of `core/`.
struct CoreDescription {
  struct Operation {
    std::size_t tag = 0;  ///< in `tags`
    Fragment fragment;
  };
  std::vector<Tag> tags;                                     ///< one a file
  std::map<std::string, Operation, std::less<>> operations;  ///< by "GET /api/core/users"
  std::vector<Component> components;
};

/// The texts of `core/`, by name of the file.
const std::vector<std::string_view>& core_files();

/// All of them, read at the first call.
const CoreDescription& core_description();

}  // namespace tenon::openapi
