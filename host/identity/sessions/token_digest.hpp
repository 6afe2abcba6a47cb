#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace tenon::identity {

/// SHA-256 of a session token.
using TokenDigest = std::array<unsigned char, 32>;

TokenDigest digest_of(std::string_view token) noexcept;

/// Returns digest_of() a token that many requests carry. A thread remembers the digests of the
/// tokens it saw last by a keyed hash of 128 bits (SipHash). Its key is this process's own, so that
/// no client can make two tokens collide. No token is kept.
TokenDigest remembered_digest_of(std::string_view token) noexcept;

std::string hex_of(const TokenDigest& digest);
std::optional<TokenDigest> digest_from_hex(std::string_view hex) noexcept;

}  // namespace tenon::identity
