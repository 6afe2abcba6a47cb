#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schema/findings.hpp"
#include "schema/tables.hpp"

namespace tenon::data::schema {

// The parts of tables.json's parser that look at one object alone. All note findings and return
// what could be read.

/// The key `name`; empty with a finding.
std::string read_name(const Node& node);

/// The key `formerly` of what is called `name` now.
std::vector<std::string> read_former_names(const Node& node, std::string_view name);

/// A text in the expression language, unread; empty where the key is absent.
std::string read_expression(const Node& node, const std::string& key);

/// One member of `fields`, without what concerns its neighbours.
Field parse_field(const Node& node);

}  // namespace tenon::data::schema
