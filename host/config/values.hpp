#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Readers of single values. Each throws std::invalid_argument whose text says what is expected.
namespace tenon::config {

/// "65536", "64KiB", "8MiB", "1GiB" → bytes.
std::size_t read_size(std::string_view text, std::size_t min, std::size_t max);

/// "500ms", "30s", "10m", "12h", "7d".
std::chrono::milliseconds read_duration(std::string_view text, std::chrono::milliseconds min,
                                        std::chrono::milliseconds max);

/// A whole number.
std::size_t read_count(std::string_view text, std::size_t min, std::size_t max);

/// "true" or "false".
bool read_flag(std::string_view text);

/// "0", "0.01", "1".
double read_ratio(std::string_view text);

/// "http://HOST[:PORT][/PATH]", returned as it is.
std::string read_http_url(std::string_view text);

/// "https://HOST/PATH", "http://HOST/PATH" or "/FOLDER", returned as it is; what it says beyond
/// that is checked by the reader of the registry.
std::string read_registry_location(std::string_view text);

/// A URL of PostgreSQL, postgresql://… or postgres://…, returned as it is; what it says beyond that
/// is checked by libpq. The text of a refusal holds nothing of it.
std::string read_database_url(std::string_view text);

struct Endpoint {
  std::string host;
  std::uint16_t port = 0;
};
/// "127.0.0.1:8080", "[::1]:0", "localhost:80".
Endpoint read_endpoint(std::string_view text);

/// An IPv4 or IPv6 address, or a block of them in CIDR form, returned as it is.
std::string read_network(std::string_view text);

/// "app.example.com" in lower case, or "*"; without a port, and no address.
std::string read_host_name(std::string_view text);

/// The parts between commas without surrounding white space; empty parts are left out.
std::vector<std::string> split_list(std::string_view text);

/// Without surrounding white space.
std::string_view trim(std::string_view text) noexcept;

/// "64KiB" of 65536, "12h" of its milliseconds: the largest unit that divides it.
std::string show_size(std::size_t bytes);
std::string show_duration(std::chrono::milliseconds duration);

}  // namespace tenon::config
