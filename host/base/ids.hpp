#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tenon::base {

/// A new sortable 128-bit id: UUIDv7 (RFC 9562, section 5.7) in its 36-character lower-case text
/// form. Ids made by one process ascend strictly. Thread-safe.
std::string new_id();

/// True for the text form of a UUID of any version, lower case.
bool is_id(std::string_view text) noexcept;

/// `bytes` cryptographically random bytes as base64url without padding. Thread-safe.
std::string random_token(std::size_t bytes = 32);

/// SHA-256 of `text` as 64 lower-case hex digits.
std::string sha256_hex(std::string_view text);

/// A hash of `text` as 16 lower-case hex digits, the same on every machine and in every run
/// (SipHash-2-4 with a key of zeros): an eighth of the time of SHA-256. Use it to compare
/// versions of a text only. An attacker can find two texts with one hash, so no decision that is
/// worth forging may depend on it.
std::string short_hash(std::string_view text);

/// Compares without revealing by its time where two texts differ.
bool equal_in_constant_time(std::string_view left, std::string_view right) noexcept;

}  // namespace tenon::base
