#include "bridge/settings/settings_interface.hpp"

#include <cstring>

#include "base/json.hpp"
#include "bridge/abi_error.hpp"
#include "bridge/bridge.hpp"
#include "bridge/frame.hpp"
#include "bridge/settings/settings_store.hpp"
#include "bridge/spans.hpp"

namespace tenon::plugins {

namespace {

bool is_one_value(std::string_view json) {
  const auto parsed = base::parse_json("[" + std::string(json) + "]",
                                       {.max_bytes = SettingsInterface::max_value_bytes + 2});
  return parsed.extract<Poco::JSON::Array::Ptr>()->size() == 1;
}

}  // namespace

const tenon_settings SettingsInterface::table = {sizeof(tenon_settings), 0, &SettingsInterface::get,
                                                 &SettingsInterface::set,
                                                 &SettingsInterface::watch};

SettingsInterface::SettingsInterface(Bridge& bridge)
    : bridge_(bridge), values_(bridge.services().settings->read(bridge.plugin_id())) {}

tenon_code SettingsInterface::get(const tenon_host* host, tenon_span key, char* buffer,
                                  std::uint64_t capacity, std::uint64_t* length) noexcept {
  Bridge* bridge = Bridge::of(host);
  if (!bridge || !is_sound(key) || !is_setting_key(view(key)) || !length ||
      (!buffer && capacity != 0))
    return TENON_E_INVALID;
  return guarded(nullptr, [&]() -> tenon_code {
    const SettingsInterface& own = bridge->settings();
    const std::shared_lock lock(own.reading_);
    const auto& defaults = bridge->manifest().setting_defaults;
    const std::string* value = nullptr;
    if (const auto kept = own.values_.find(view(key)); kept != own.values_.end())
      value = &kept->second;
    else if (const auto given = defaults.find(std::string(view(key))); given != defaults.end())
      value = &given->second;
    if (!value) return TENON_E_NOT_FOUND;
    *length = value->size();
    if (capacity < value->size()) return TENON_E_TOO_LARGE;
    value->copy(buffer, value->size());
    return TENON_OK;
  });
}

tenon_code SettingsInterface::set(const tenon_host* host, tenon_span key, tenon_span json,
                                  tenon_error* error) noexcept {
  Bridge* bridge = Bridge::of(host);
  if (!bridge) return fail_argument(error, "The host is NULL.");
  if (!is_sound(key) || !is_setting_key(view(key)))
    return fail_argument(error, "A key is 1 to 64 of a-z, 0-9, _, . and -.");
  if (!is_sound(json)) return fail_argument(error, "The value has a size and no data.");
  if (!bridge->is_in(Phase::starting, Phase::quiescing))
    return fail_state(error, "Settings are set while starting, active or quiescing.");
  if (!Frame::may_block()) return fail_state(error, "An inline route must not wait for the disk.");
  return guarded(error, [&] { return bridge->settings().change(view(key), view(json), error); });
}

tenon_code SettingsInterface::change(std::string_view key, std::string_view json,
                                     tenon_error* error) {
  if (json.size() > max_value_bytes) {
    return fail(error, TENON_E_TOO_LARGE, 413, "plugins.setting_too_large",
                "A setting has at most 64 KiB.");
  }
  if (!json.empty() && !is_one_value(json))
    return fail_argument(error, "The value is not one JSON text.");
  {
    const std::lock_guard changing(changing_);
    {
      const std::shared_lock lock(reading_);
      if (values_.size() >= max_keys && values_.find(key) == values_.end() && !json.empty()) {
        return fail(error, TENON_E_TOO_LARGE, 413, "plugins.too_many_settings",
                    "A plugin keeps at most 500 settings.");
      }
    }
    SettingsStore& store = *bridge_.services().settings;
    if (json.empty())
      store.remove(bridge_.plugin_id(), key);
    else
      store.write(bridge_.plugin_id(), key, json);
    const std::unique_lock lock(reading_);
    if (!json.empty())
      values_.insert_or_assign(std::string(key), std::string(json));
    else if (const auto found = values_.find(key); found != values_.end())
      values_.erase(found);
    if (watchers_.empty()) return TENON_OK;
    changes_.push_back({std::string(key), std::string(json)});
    if (is_notifying_) return TENON_OK;
    is_notifying_ = true;
  }
  notify_watchers();
  return TENON_OK;
}

void SettingsInterface::notify_watchers() {
  const bool is_open = bridge_.gate().enter();
  const routing::Lease lease(is_open ? &bridge_.gate() : nullptr);
  const Frame frame(bridge_.name(), Operation::setting, {}, true);
  for (;;) {
    Change next;
    {
      const std::lock_guard changing(changing_);
      if (changes_.empty()) {
        is_notifying_ = false;
        return;
      }
      next = std::move(changes_.front());
      changes_.pop_front();
    }
    if (!is_open) continue;
    for (const tenon_settings_watcher& watcher : watchers_)
      enter(watcher.fn, watcher.ctx, span(next.key), span(next.json));
  }
}

tenon_code SettingsInterface::watch(const tenon_host* host,
                                    const tenon_settings_watcher* watcher) noexcept {
  if (!watcher) return TENON_E_INVALID;
  tenon_settings_watcher taken = *watcher;
  const auto refuse = [&taken](tenon_code code) {
    drop(taken);
    return code;
  };
  Bridge* bridge = Bridge::of(host);
  if (!bridge || !taken.fn) return refuse(TENON_E_INVALID);
  if (!bridge->is_setting_up()) return refuse(TENON_E_STATE);
  auto& watchers = bridge->settings().watchers_;
  if (watchers.size() == max_watchers) return refuse(TENON_E_TOO_LARGE);
  return guarded(nullptr, [&]() -> tenon_code {
    watchers.push_back(taken);
    return TENON_OK;
  });
}

void SettingsInterface::drop_watchers() noexcept {
  const Frame frame(bridge_.name(), Operation::stop, {}, true);
  for (tenon_settings_watcher& watcher : watchers_)
    drop(watcher);
  watchers_.clear();
}

}  // namespace tenon::plugins
