#include "identity/allowed_hosts.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "data/database.hpp"

namespace tenon::identity {

namespace {

constexpr std::string_view local_name = "localhost";
constexpr std::size_t max_name_bytes = 253;
constexpr std::size_t max_label_bytes = 63;

std::atomic<std::uint64_t> last_version{0};

constexpr char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

// Without the port and the dot of the DNS root.
std::string_view without_port(std::string_view host) noexcept {
  if (host.starts_with('[')) return host.substr(0, host.find(']'));
  host = host.substr(0, host.find(':'));
  if (host.ends_with('.')) host.remove_suffix(1);
  return host;
}

// Browsers take a host of digits and dots as an address and look nothing up.
bool is_address(std::string_view host) noexcept {
  return host.starts_with('[') ||
         std::all_of(host.begin(), host.end(), [](char c) { return is_digit(c) || c == '.'; });
}

bool equals_lower(std::string_view text, std::string_view lower_text) noexcept {
  return text.size() == lower_text.size() &&
         std::equal(text.begin(), text.end(), lower_text.begin(),
                    [](char a, char b) { return lower(a) == b; });
}

std::size_t count_others(data::Transaction& transaction, const std::string& name) {
  data::Rows rows =
      transaction.query("SELECT count(*) FROM identity_hosts WHERE name <> ?1", {name});
  rows.next();
  return static_cast<std::size_t>(rows.integer(0));
}

}  // namespace

std::string host_name(std::string_view host) {
  const std::string_view bare = without_port(host);
  if (is_address(bare) || bare.size() > max_name_bytes) return {};
  std::size_t label = 0;
  for (const char c : bare) {
    if (c == '.') {
      if (label == 0) return {};
      label = 0;
      continue;
    }
    const bool is_good =
        is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z') || c == '-' || c == '_';
    if (!is_good || ++label > max_label_bytes) return {};
  }
  if (label == 0) return {};
  const std::string_view port =
      host.substr(host.find(':') == std::string_view::npos ? host.size() : host.find(':') + 1);
  if (!std::all_of(port.begin(), port.end(), is_digit)) return {};
  std::string name(bare);
  std::transform(name.begin(), name.end(), name.begin(), lower);
  return name;
}

AllowedHosts::AllowedHosts(data::Database& database, Clock clock,
                           std::vector<std::string> configured)
    : database_(database),
      clock_(std::move(clock)),
      configured_(std::move(configured)),
      allows_any_(std::find(configured_.begin(), configured_.end(), any) != configured_.end()) {
  reload();
}

// Valid until this thread's next call.
const AllowedHosts::Names& AllowedHosts::names() const {
  struct Cached {
    std::uint64_t version = 0;
    std::shared_ptr<const Names> names;
  };
  thread_local Cached cached;
  if (cached.version != version_.load(std::memory_order_acquire)) {
    const std::lock_guard lock(mutex_);
    cached.names = names_;
    cached.version = version_.load(std::memory_order_relaxed);
  }
  return *cached.names;
}

bool AllowedHosts::is_known(std::string_view host) const {
  if (allows_any_) return true;
  const std::string_view bare = without_port(host);
  if (is_address(bare) || equals_lower(bare, local_name)) return true;
  const Names& listed = names();
  return std::any_of(listed.begin(), listed.end(),
                     [bare](const std::string& name) { return equals_lower(bare, name); });
}

std::vector<AllowedHosts::StoredHost> AllowedHosts::stored() const {
  std::vector<StoredHost> hosts;
  data::Rows rows = database_.query("SELECT name, added_ms FROM identity_hosts ORDER BY name");
  while (rows.next())
    hosts.push_back({std::string(rows.text(0)), rows.integer(1)});
  return hosts;
}

bool AllowedHosts::add(std::string_view host) {
  const std::string name = host_name(host);
  if (name.empty()) {
    throw base::Error(422, "identity.bad_host",
                      "\"" + std::string(host.substr(0, max_name_bytes)) +
                          "\" is not a host name. Give a name such as app.example.com; addresses "
                          "are always allowed.");
  }
  const std::int64_t now = clock_();
  const bool is_new = database_.write([&](data::Transaction& transaction) {
    if (count_others(transaction, name) >= max_stored) {
      throw base::Error(409, "identity.too_many_hosts",
                        "There are " + std::to_string(max_stored) +
                            " host names already. Remove one first: tenon hosts remove NAME.");
    }
    return transaction
               .exec(
                   "INSERT INTO identity_hosts(name, added_ms) VALUES(?1, ?2) ON CONFLICT DO "
                   "NOTHING",
                   {name, now})
               .changes > 0;
  });
  reload();
  return is_new;
}

bool AllowedHosts::remove(std::string_view host) {
  const bool was_there =
      database_.exec("DELETE FROM identity_hosts WHERE name = ?1", {host_name(host)}).changes > 0;
  reload();
  return was_there;
}

std::string AllowedHosts::learn(std::string_view host) {
  std::string name = host_name(host);
  if (!configured_.empty() || name.empty() || name == local_name) return {};
  add(name);
  return name;
}

void AllowedHosts::reload() {
  // Of two that reload at once the later one reads what the earlier one wrote.
  const std::lock_guard reloading(reload_mutex_);
  auto names = std::make_shared<Names>(configured_);
  for (StoredHost& host : stored())
    names->push_back(std::move(host.name));
  const std::lock_guard lock(mutex_);
  is_enforced_.store(!names->empty() && !allows_any_, std::memory_order_relaxed);
  names_ = std::move(names);
  version_.store(++last_version, std::memory_order_release);
}

}  // namespace tenon::identity
