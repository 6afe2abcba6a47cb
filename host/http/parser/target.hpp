#pragma once

#include <string>
#include <string_view>

#include "http/parser/refusal.hpp"
#include "http/parser/request.hpp"

namespace tenon::http {

/// A request target taken apart (RFC 9112, section 3.2). Views point into the target or into the
/// text given for decoding.
struct Target {
  std::string_view origin;     ///< path and query as sent
  std::string_view path;       ///< decoded once
  std::string_view query;      ///< as sent, without '?'
  std::string_view authority;  ///< of an absolute form; empty otherwise
};

/// Takes the target apart and checks it: origin form, absolute form of http(s), "*" for OPTIONS.
/// The path is percent-decoded into `decoded` when it has an escape. Refused: two slashes at
/// the beginning, "." and ".." segments, NUL and other control characters, an encoded slash, broken
/// escapes, text that is not UTF-8, '#'. Null when all is well.
const Refusal* read_target(std::string_view method, std::string_view target, std::string& decoded,
                           Target& out);

}  // namespace tenon::http
