#include "config/values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <utility>

#include <arpa/inet.h>

namespace tenon::config {

namespace {

using Unit = std::pair<std::string_view, std::uint64_t>;
constexpr std::array<Unit, 4> size_units{
    {{"GiB", 1ULL << 30}, {"MiB", 1ULL << 20}, {"KiB", 1ULL << 10}, {"", 1}}};
constexpr std::array<Unit, 5> duration_units{
    {{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1000}, {"ms", 1}}};

std::optional<std::uint64_t> read_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size() || text.empty())
    return std::nullopt;
  return number;
}

template <std::size_t Size>
std::optional<std::uint64_t> read_with_unit(std::string_view text,
                                            const std::array<Unit, Size>& units) {
  const std::size_t digits = text.find_first_not_of("0123456789");
  const std::string_view unit =
      digits == std::string_view::npos ? std::string_view() : text.substr(digits);
  const auto number = read_number(text.substr(0, digits));
  if (!number) return std::nullopt;
  for (const auto& [name, factor] : units) {
    if (name != unit) continue;
    if (*number > ~std::uint64_t{0} / factor) return std::nullopt;
    return *number * factor;
  }
  return std::nullopt;
}

template <std::size_t Size>
std::string show_with_unit(std::uint64_t amount, const std::array<Unit, Size>& units) {
  for (const auto& [name, factor] : units) {
    if (amount >= factor && amount % factor == 0)
      return std::to_string(amount / factor) + std::string(name);
  }
  return std::to_string(amount) + std::string(units.back().first);
}

bool is_address(const std::string& text, int& bits) {
  if (text.find('\0') != std::string::npos) return false;  // inet_pton stops there
  std::array<unsigned char, 16> bytes;
  if (inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) {
    bits = 32;
    return true;
  }
  bits = 128;
  return inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1;
}

}  // namespace

std::string show_size(std::size_t bytes) {
  return show_with_unit(bytes, size_units);
}

std::string show_duration(std::chrono::milliseconds duration) {
  return show_with_unit(static_cast<std::uint64_t>(duration.count()), duration_units);
}

std::size_t read_size(std::string_view text, std::size_t min, std::size_t max) {
  const auto bytes = read_with_unit(text, size_units);
  if (!bytes || *bytes < min || *bytes > max) {
    throw std::invalid_argument("a size from " + show_size(min) + " to " + show_size(max) +
                                ", such as 64KiB");
  }
  return *bytes;
}

std::chrono::milliseconds read_duration(std::string_view text, std::chrono::milliseconds min,
                                        std::chrono::milliseconds max) {
  const auto amount = read_with_unit(text, duration_units);
  if (!amount || *amount < static_cast<std::uint64_t>(min.count()) ||
      *amount > static_cast<std::uint64_t>(max.count())) {
    throw std::invalid_argument("a duration from " + show_duration(min) + " to " +
                                show_duration(max) +
                                " with its unit (ms, s, m, h, d), such as 30s");
  }
  return std::chrono::milliseconds(*amount);
}

std::size_t read_count(std::string_view text, std::size_t min, std::size_t max) {
  const auto number = read_number(text);
  if (!number || *number < min || *number > max) {
    throw std::invalid_argument("a whole number from " + std::to_string(min) + " to " +
                                std::to_string(max));
  }
  return *number;
}

bool read_flag(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  throw std::invalid_argument("true or false");
}

double read_ratio(std::string_view text) {
  double ratio = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, ratio, std::chars_format::fixed);
  if (text.empty() || result.ec != std::errc() || result.ptr != end || !(ratio >= 0 && ratio <= 1))
    throw std::invalid_argument("a number from 0 to 1");
  return ratio;
}

std::string read_registry_location(std::string_view text) {
  constexpr std::size_t max_bytes = 2000;
  const bool is_location =
      text.starts_with("https://") || text.starts_with("http://") || text.starts_with('/');
  const bool is_odd = std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == 0x7F;
  });
  if (!is_location || is_odd || text.size() > max_bytes) {
    throw std::invalid_argument(
        "a URL as https://HOST/PATH or an absolute folder, of at most 2,000 bytes");
  }
  return std::string(text);
}

std::string read_database_url(std::string_view text) {
  constexpr std::size_t max_bytes = 4096;
  const bool is_known = text.starts_with("postgresql://") || text.starts_with("postgres://");
  const bool is_odd = std::any_of(text.begin(), text.end(),
                                  [](char c) { return (c >= 0 && c <= ' ') || c == 0x7F; });
  // libpq would take a part of such a password for a host or a port, and report it.
  const std::string_view rest = text.substr(std::min(text.find("//") + 2, text.size()));
  const std::string_view user = rest.substr(0, rest.find('@') == rest.npos ? 0 : rest.rfind('@'));
  if (!is_known || is_odd || text.size() > max_bytes ||
      user.find_first_of("/?#@") != std::string_view::npos) {
    throw std::invalid_argument(
        "a URL as postgresql://USER:PASSWORD@HOST/NAME, with spaces and / ? # @ in a part of it "
        "written %20 %2F %3F %23 %40");
  }
  return std::string(text);
}

std::string read_http_url(std::string_view text) {
  constexpr std::string_view scheme = "http://";
  const auto refuse = [] { throw std::invalid_argument("a URL as http://HOST:PORT/PATH"); };
  if (!text.starts_with(scheme)) refuse();
  const std::string_view rest = text.substr(scheme.size());
  const std::string_view authority = rest.substr(0, rest.find('/'));
  const bool is_odd = std::any_of(text.begin(), text.end(), [](char c) {
    return c <= ' ' || c >= 0x7F || c == '@' || c == '#' || c == '\\' || c == '"';
  });
  if (authority.empty() || is_odd) refuse();
  // A port is checked with its host.
  const std::size_t colon = authority.rfind(':');
  const bool has_port = colon != std::string_view::npos && !authority.ends_with(']');
  try {
    const Endpoint endpoint =
        read_endpoint(has_port ? std::string(authority) : std::string(authority) + ":80");
    if (endpoint.port == 0) refuse();
  } catch (const std::invalid_argument&) {
    refuse();
  }
  return std::string(text);
}

Endpoint read_endpoint(std::string_view text) {
  const std::invalid_argument wrong(
      "HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080; port 0 picks a free one");
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) throw wrong;
  std::string_view host = text.substr(0, colon);
  const auto port = read_number(text.substr(colon + 1));
  if (!port || *port > 65'535) throw wrong;
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
    int bits = 0;
    if (!is_address(std::string(host), bits) || bits != 128) throw wrong;
  } else if (host.empty() || host.find_first_of(":[]/@ \t") != std::string_view::npos) {
    throw wrong;
  }
  return {std::string(host), static_cast<std::uint16_t>(*port)};
}

std::string read_network(std::string_view text) {
  const std::invalid_argument wrong("addresses or CIDR blocks, such as 10.0.0.0/8, ::1");
  const std::size_t slash = text.find('/');
  int bits = 0;
  if (!is_address(std::string(text.substr(0, slash)), bits)) throw wrong;
  if (slash != std::string_view::npos) {
    const auto prefix = read_number(text.substr(slash + 1));
    if (!prefix || *prefix > static_cast<std::uint64_t>(bits)) throw wrong;
  }
  return std::string(text);
}

std::string read_host_name(std::string_view text) {
  if (text == "*") return "*";
  const std::invalid_argument wrong(
      "host names without a port, such as app.example.com, or *; addresses need no entry");
  std::string name;
  std::size_t label = 0;
  bool has_letter = false;
  for (char c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const bool is_letter = (c >= 'a' && c <= 'z') || c == '-' || c == '_';
    if (!is_letter && c != '.' && (c < '0' || c > '9')) throw wrong;
    has_letter |= is_letter;
    if (c == '.' && label == 0) throw wrong;
    label = c == '.' ? 0 : label + 1;
    if (label > 63) throw wrong;
    name += c;
  }
  if (!has_letter || label == 0 || name.size() > 253) throw wrong;
  return name;
}

std::string_view trim(std::string_view text) noexcept {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view part = trim(text.substr(0, comma));
    if (!part.empty()) parts.emplace_back(part);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return parts;
}

}  // namespace tenon::config
