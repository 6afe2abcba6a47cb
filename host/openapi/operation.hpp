#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "openapi/fragment.hpp"
#include "routing/route.hpp"

namespace tenon::openapi {

/// A pattern as OpenAPI has it: "/api/notes/{rest...}" is "/api/notes/{rest}".
std::string path_of(std::string_view pattern);
/// The names of its parameters, in order.
std::vector<std::string> parameters_of(std::string_view path);
/// Paths that differ in the names of parameters alone have the same.
std::string shape_of(std::string_view path);

/// "get.notes.notes._id" of GET /api/notes/notes/{id}: the same as long as method and path are.
std::string operation_id(const routing::Route& route, std::string_view path);

/// Returns an Operation object. `path` is the path that the document lists it under, whose
/// parameters it has; of the fragment's parameters it keeps those that are no part of a path, or of
/// this one.
std::string operation_json(const routing::Route& route, std::string_view path,
                           const Fragment& fragment, const std::string& id, std::string_view tag);

}  // namespace tenon::openapi
