#pragma once

#include <string_view>

namespace tenon::plugins {

/// Whether a response header sets a policy of the browser for the origin, which all plugins share:
/// Access-Control-…, Content-Security-Policy, Cross-Origin-…-Policy, Clear-Site-Data,
/// Service-Worker-Allowed. A plugin sends one only where its manifest declares it. In any case.
bool is_policy_header(std::string_view name) noexcept;

/// Whether a manifest may declare a policy header: all but Service-Worker-Allowed, which would let
/// a script of a plugin respond to requests of the shell and of other plugins.
bool is_declarable_header(std::string_view name) noexcept;

}  // namespace tenon::plugins
