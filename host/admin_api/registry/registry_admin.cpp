#include "admin_api/registry/registry_admin.hpp"

#include <algorithm>
#include <charconv>

#include "admin_api/page_query.hpp"
#include "admin_api/registry/registry_json.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "blobs/image_type.hpp"
#include "http/parser/request.hpp"
#include "registry/index_cache.hpp"
#include "registry/index_json.hpp"
#include "registry/search.hpp"

namespace tenon::console {

namespace {

using base::JsonWriter;

constexpr const char* query_refused = "plugins.registry_query";

// A time, or null for none.
void write_registry_time(JsonWriter& json, const char* name, std::int64_t ms) {
  json.key(name);
  if (ms == 0)
    json.null();
  else
    json.value(base::rfc3339(ms));
}

[[noreturn]] void refuse_unknown(const std::string& message) {
  throw base::Error(404, "plugins.registry_unknown", message);
}

std::size_t read_cursor(std::string_view query) {
  const std::string text = http::query_value(query, "cursor");
  if (text.empty()) return 0;
  std::size_t offset = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), offset);
  if (failure != std::errc{} || end != text.data() + text.size()) {
    const std::string message = "The cursor is none that a page ended with.";
    throw base::Error(422, query_refused, message, {{"cursor", "invalid", message}});
  }
  return offset;
}

// Returns the requested part of the list; empty: all of it.
std::string read_show(std::string_view query) {
  std::string show = http::query_value(query, "show");
  if (!show.empty() && show != "installable" && show != "installed" && show != "upgradable") {
    const std::string message = "This is \"installable\", \"installed\" or \"upgradable\".";
    throw base::Error(422, query_refused, message, {{"show", "invalid", message}});
  }
  return show;
}

// Returns 0, which no download has, for a text that is no number.
std::uint64_t read_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc{} && end == text.data() + text.size() ? number : 0;
}

void write_keys(JsonWriter& json, const plugins::PackageIndex& index,
                const plugins::KeyTrustLookup& trust_of_key) {
  for (const plugins::PublicKey& key : index.keys) {
    const auto trust = trust_of_key ? trust_of_key(key.id()) : plugins::KeyTrust::unknown;
    json.begin_object()
        .member("number", key.id())
        .member("public", plugins::public_line(key))
        .member("standing", plugins::to_string(trust))
        .end_object();
  }
}

}  // namespace

struct RegistryAdmin::CheckedIndex {
  std::vector<plugins::InstalledPlugin> present;
  std::vector<plugins::PluginOffer> plugins;

  plugins::PluginOffer& offer_with_orders(std::size_t index) {
    plugins::add_install_orders(plugins, plugins[index], present);
    return plugins[index];
  }

  // Returns whether the list that `show` names has it.
  bool is_shown(const std::string& show, std::size_t index) {
    if (show.empty()) return true;
    const std::string& here = plugins[index].installed;
    if (show == "installed") return !here.empty();
    if (here.empty() != (show == "installable")) return false;
    const plugins::VersionOffer* newest = offer_with_orders(index).newest_installable();
    if (!newest) return false;
    // A prerelease is no upgrade of a release.
    return here.empty() || newest->version->version.prerelease.empty() ||
           here.find('-') != std::string::npos;
  }
};

RegistryAdmin::CheckedIndex RegistryAdmin::check(const plugins::PackageIndex& index) const {
  CheckedIndex checked{installed_(), {}};
  plugins::HostFacts facts = plugins::facts_of_this_host();
  for (const plugins::InstalledPlugin& one : checked.present)
    facts.installed.emplace(one.manifest.id, one.manifest.version_text);
  facts.key = key_;
  checked.plugins = plugins::check_compatibility(index, facts);
  return checked;
}

std::string RegistryAdmin::page(const plugins::RegistryState& state, std::string_view query) const {
  const std::size_t limit = read_limit(query, max_page, query_refused);
  const std::size_t offset = read_cursor(query);
  static const plugins::PackageIndex nothing;
  const plugins::PackageIndex& index = state.index ? *state.index : nothing;
  const std::string show = read_show(query);
  CheckedIndex all = check(index);
  // Their positions in the index.
  std::vector<std::size_t> found;
  for (const plugins::IndexedPlugin* one :
       plugins::search_plugins(index, http::query_value(query, "q"))) {
    const auto at = static_cast<std::size_t>(one - index.plugins.data());
    if (all.is_shown(show, at)) found.push_back(at);
  }

  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_text(json, "url", cache_ ? cache_->location().text() : std::string());
  json.key("serial");
  if (state.index)
    json.value(index.serial);
  else
    json.null();
  write_registry_time(json, "read", state.read_ms);
  write_registry_time(json, "tried", state.tried_ms);
  json.key("error");
  if (state.error)
    write_reason(json, *state.error);
  else
    json.null();
  json.key("keys").begin_array();
  write_keys(json, index, key_);
  json.end_array().member("total", found.size()).key("items").begin_array();
  const std::size_t begin = std::min(offset, found.size());
  const std::size_t end = begin + std::min(limit, found.size() - begin);
  for (std::size_t i = begin; i < end; ++i) {
    json.begin_object();
    write_summary(json, all.offer_with_orders(found[i]), all.plugins);
    json.end_object();
  }
  json.end_array();
  write_text(json, "next", end < found.size() ? std::to_string(end) : std::string());
  json.end_object();
  return text;
}

std::string RegistryAdmin::list(std::string_view query) const {
  return page(cache_ ? cache_->current() : plugins::RegistryState{}, query);
}

std::string RegistryAdmin::refresh() const {
  return page(cache_ ? cache_->refresh() : plugins::RegistryState{}, {});
}

std::string RegistryAdmin::show(const std::string& id) const {
  const plugins::RegistryState state = cache_ ? cache_->current() : plugins::RegistryState{};
  const plugins::IndexedPlugin* plugin = state.index ? state.index->find(id) : nullptr;
  if (!plugin) refuse_unknown("The registry has no plugin \"" + id + "\".");
  CheckedIndex all = check(*state.index);
  const plugins::PluginOffer& found =
      all.offer_with_orders(static_cast<std::size_t>(plugin - state.index->plugins.data()));
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_summary(json, found, all.plugins);
  json.key("versions").begin_array();
  for (const plugins::VersionOffer& offer : found.versions) {
    json.begin_object().member("installable", offer.is_installable());
    write_offer(json, offer, all.plugins);
    plugins::write_version_members(json, *offer.version);
    json.end_object();
  }
  json.end_array().end_object();
  return text;
}

std::string RegistryAdmin::order(const std::string& id, const std::string& version) const {
  if (!cache_) {
    refuse_unknown(
        "No registry is configured. Set registry.url and registry.key, or install a file.");
  }
  const plugins::RegistryState state = cache_->current();
  if (!state.index && state.error) throw plugins::Refusal(*state.error, 502);
  const plugins::IndexedPlugin* plugin = state.index ? state.index->find(id) : nullptr;
  if (!plugin) refuse_unknown("The registry has no plugin \"" + id + "\".");
  CheckedIndex all = check(*state.index);
  const plugins::PluginOffer& found =
      all.offer_with_orders(static_cast<std::size_t>(plugin - state.index->plugins.data()));
  const plugins::VersionOffer* wanted = version.empty() ? found.newest_installable() : nullptr;
  for (const plugins::VersionOffer& offer : found.versions) {
    if (wanted) break;
    const bool is_it = version.empty() ? offer.version == &plugin->latest()
                                       : offer.version->version_text == version;
    if (is_it) wanted = &offer;
  }
  if (!wanted) refuse_unknown("The registry has no version " + version + " of \"" + id + "\".");
  return order_json(found, *wanted, all.plugins);
}

std::string RegistryAdmin::start_download(const std::string& id, const std::string& version) const {
  return download_json(downloads_.start(id, version));
}

std::string RegistryAdmin::download(std::string_view number) const {
  return download_json(downloads_.find(read_number(number)));
}

void RegistryAdmin::cancel_download(std::string_view number) const {
  downloads_.cancel(read_number(number));
}

std::string RegistryAdmin::fetch_and_keep(const std::string& id, const std::string& version) const {
  return downloads_.fetch_and_keep(id, version);
}

Picture RegistryAdmin::picture(std::string_view id, std::string_view version,
                               std::string_view number) const {
  const plugins::RegistryState state = cache_ ? cache_->current() : plugins::RegistryState{};
  if (const plugins::IndexedPlugin* plugin = state.index ? state.index->find(id) : nullptr) {
    for (const plugins::IndexedVersion& one : plugin->versions) {
      if (one.version_text != version) continue;
      for (std::size_t i = 0; i < one.screenshots.size(); ++i) {
        if (std::to_string(i + 1) != number) continue;
        std::string content = cache_->picture(one.screenshots[i]);
        const std::string_view head = content;
        std::string type(blobs::image_type_of(head.substr(0, blobs::image_head_bytes)));
        if (!type.empty()) return {std::move(type), std::move(content)};
      }
    }
  }
  refuse_unknown("The registry has no such picture.");
}

}  // namespace tenon::console
