#include "console/registry_desk.hpp"

#include <algorithm>
#include <charconv>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "blobs/image_type.hpp"
#include "console/page_query.hpp"
#include "http/request.hpp"
#include "plugins/registry/index_cache.hpp"
#include "plugins/registry/index_json.hpp"
#include "plugins/registry/search.hpp"

namespace tenon::console {

namespace {

using base::JsonWriter;

constexpr const char* query_refused = "plugins.registry_query";

// A time, or null for none.
void write_time(JsonWriter& json, const char* name, std::int64_t ms) {
  json.key(name);
  if (ms == 0)
    json.null();
  else
    json.value(base::rfc3339(ms));
}

// A text, or null for an empty one.
void write_text(JsonWriter& json, const char* name, const std::string& text) {
  json.key(name);
  if (text.empty())
    json.null();
  else
    json.value(text);
}

void write_reason(JsonWriter& json, const plugins::Reason& reason) {
  json.begin_object()
      .member("code", reason.code)
      .member("message", reason.file.empty() ? reason.message : plugins::describe(reason))
      .end_object();
}

// Members "reasons" and "with".
void write_verdict(JsonWriter& json, const plugins::Verdict& verdict) {
  json.key("reasons").begin_array();
  for (const plugins::Reason& reason : verdict.reasons)
    write_reason(json, reason);
  json.end_array().key("with").begin_array();
  for (const plugins::Companion& companion : verdict.with) {
    json.begin_object()
        .member("id", companion.id)
        .member("version", companion.version)
        .end_object();
  }
  json.end_array();
}

void write_summary(JsonWriter& json, const plugins::JudgedPlugin& judged) {
  const plugins::IndexedPlugin& plugin = *judged.plugin;
  const plugins::Verdict* newest = judged.newest_installable();
  json.member("id", plugin.id)
      .member("name", plugin.name)
      .member("description", plugin.description)
      .member("author", plugin.author)
      .member("license", plugin.license)
      .member("latest", plugin.latest().version_text);
  write_text(json, "installed", judged.installed);
  write_text(json, "installable", newest ? newest->version->version_text : std::string());
  // Of the one that can be installed, else of the latest one.
  if (!newest) {
    newest = &*std::find_if(
        judged.verdicts.begin(), judged.verdicts.end(),
        [&plugin](const plugins::Verdict& verdict) { return verdict.version == &plugin.latest(); });
  }
  write_verdict(json, *newest);
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

void write_keys(JsonWriter& json, const plugins::PackageIndex& index,
                const plugins::JudgeKey& judge_key) {
  for (const plugins::PublicKey& key : index.keys) {
    const auto standing = judge_key ? judge_key(key.id()) : plugins::KeyStanding::unknown;
    json.begin_object()
        .member("number", key.id())
        .member("public", plugins::public_line(key))
        .member("standing", plugins::to_string(standing))
        .end_object();
  }
}

}  // namespace

std::vector<plugins::JudgedPlugin> RegistryDesk::judged(const plugins::PackageIndex& index) const {
  plugins::HostFacts facts = plugins::facts_of_this_host();
  facts.installed = installed_();
  facts.key = key_;
  return plugins::judge(index, facts);
}

std::string RegistryDesk::page(const plugins::RegistryState& state, std::string_view query) const {
  const std::size_t limit = read_limit(query, most_page, query_refused);
  const std::size_t offset = read_cursor(query);
  static const plugins::PackageIndex nothing;
  const plugins::PackageIndex& index = state.index ? *state.index : nothing;
  const auto found = plugins::search_plugins(index, http::query_value(query, "q"));
  const auto verdicts = judged(index);

  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_text(json, "url", cache_ ? cache_->place().text() : std::string());
  json.key("serial");
  if (state.index)
    json.value(index.serial);
  else
    json.null();
  write_time(json, "read", state.read_ms);
  write_time(json, "tried", state.tried_ms);
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
    write_summary(json, verdicts[static_cast<std::size_t>(found[i] - index.plugins.data())]);
    json.end_object();
  }
  json.end_array();
  write_text(json, "next", end < found.size() ? std::to_string(end) : std::string());
  json.end_object();
  return text;
}

std::string RegistryDesk::list(std::string_view query) const {
  return page(cache_ ? cache_->current() : plugins::RegistryState{}, query);
}

std::string RegistryDesk::refresh() const {
  return page(cache_ ? cache_->refresh() : plugins::RegistryState{}, {});
}

std::string RegistryDesk::show(const std::string& id) const {
  const plugins::RegistryState state = cache_ ? cache_->current() : plugins::RegistryState{};
  const plugins::IndexedPlugin* plugin = state.index ? state.index->find(id) : nullptr;
  if (!plugin) refuse_unknown("The registry has no plugin \"" + id + "\".");
  const auto verdicts = judged(*state.index);
  const plugins::JudgedPlugin& found =
      verdicts[static_cast<std::size_t>(plugin - state.index->plugins.data())];
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_summary(json, found);
  json.key("versions").begin_array();
  for (const plugins::Verdict& verdict : found.verdicts) {
    json.begin_object().member("installable", verdict.is_installable());
    write_verdict(json, verdict);
    plugins::write_version_members(json, *verdict.version);
    json.end_object();
  }
  json.end_array().end_object();
  return text;
}

Picture RegistryDesk::picture(std::string_view id, std::string_view version,
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
