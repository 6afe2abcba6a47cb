#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace tenon::identity {

/// SHA-256 of a session token.
using TokenDigest = std::array<unsigned char, 32>;

TokenDigest digest_of(std::string_view token) noexcept;

/// The same for a token that requests bring again and again: a thread remembers the digests of the
/// tokens it saw last by a keyed hash of 128 bits (SipHash) whose key is this process's own, so
/// that nobody can make two tokens meet. No token is kept.
TokenDigest remembered_digest_of(std::string_view token) noexcept;

std::string hex_of(const TokenDigest& digest);
std::optional<TokenDigest> digest_from_hex(std::string_view hex) noexcept;

}  // namespace tenon::identity
