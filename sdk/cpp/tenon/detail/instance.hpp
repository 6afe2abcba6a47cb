#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include <tenon/detail/link.hpp>
#include <tenon/entry.h>
#include <tenon/error.hpp>
#include <tenon/host.hpp>
#include <tenon/lifecycle.hpp>

namespace tenon::detail {

using Factory = std::unique_ptr<Plugin> (*)(Host&);

/// One activation of the plugin. No exception leaves its functions.
class Instance {
 public:
  static tenon_code create(const tenon_host* host, tenon_plugin** out, tenon_error* error,
                           Factory make) noexcept {
    if (host == nullptr || out == nullptr || host->size < TENON_NEED(tenon_host, get_interface)) {
      return describe(error, TENON_E_INVALID, 500, "plugin.bad_host",
                      "The host struct is too small for this plugin.");
    }
    if (host->abi_major != TENON_ABI_MAJOR) {
      return describe(error, TENON_E_UNSUPPORTED, 500, "plugin.abi",
                      "The host has another major ABI version. Build the plugin for this host.");
    }
    return guarded(error, [&] {
      auto instance = std::make_unique<Instance>(host);
      instance->plugin_ = make(instance->host_);
      *out = &instance.release()->raw_;
    });
  }

  explicit Instance(const tenon_host* host) noexcept : host_(host) {}
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  ~Instance() {
    host_.link().enter(State::stopping);
    host_.threads().join_all();
    plugin_.reset();
    host_.link().enter(State::gone);
  }

 private:
  template <class F>
  static tenon_code guarded(tenon_error* error, F&& work) noexcept {
    try {
      work();
      return TENON_OK;
    } catch (const Error& caught) {
      return describe(error, caught.cause() < 0 ? caught.cause() : TENON_E_INTERNAL,
                      caught.status(), caught.code(), caught.message());
    } catch (const std::bad_alloc&) {
      return describe(error, TENON_E_MEMORY, 500, "plugin.memory", "Out of memory.");
    } catch (const Misuse& caught) {
      return describe(error, TENON_E_INTERNAL, 500, "plugin.misuse", caught.what());
    } catch (const std::exception& caught) {
      return describe(error, TENON_E_INTERNAL, 500, "plugin.failed", caught.what());
    } catch (...) {
      return describe(error, TENON_E_INTERNAL, 500, "plugin.failed",
                      "An exception that is not a std::exception was thrown.");
    }
  }

  /// Runs one step of the life cycle after a check that the host calls the steps in order.
  template <class F>
  tenon_code step(State before, State after, tenon_error* error, F&& work) noexcept {
    Link& link = host_.link();
    if (link.state() > before) {
      link.report(TENON_LOG_ERROR, "the host called a life-cycle function twice or too late", {});
      return describe(error, TENON_E_STATE, 500, "plugin.wrong_state",
                      "The host called this life-cycle function twice or too late.");
    }
    link.enter(after);
    return guarded(error, std::forward<F>(work));
  }

  static Instance& self(tenon_plugin* plugin) noexcept {
    return *static_cast<Instance*>(plugin->impl);
  }

  static tenon_code start(tenon_plugin* plugin, tenon_error* error) noexcept {
    Instance& instance = self(plugin);
    const tenon_code code =
        instance.step(State::created, State::starting, error, [&] { instance.plugin_->start(); });
    if (code == TENON_OK) instance.host_.link().enter(State::active);
    return code;
  }

  static tenon_code health(tenon_plugin* plugin, tenon_error* error) noexcept {
    Instance& instance = self(plugin);
    if (instance.host_.link().state() != State::active) {
      return describe(error, TENON_E_STATE, 500, "plugin.wrong_state",
                      "The plugin is not active, so its health cannot be checked.");
    }
    return guarded(error, [&] { instance.plugin_->health(); });
  }

  static tenon_code quiesce(tenon_plugin* plugin, std::uint32_t deadline_ms) noexcept {
    Instance& instance = self(plugin);
    return instance.logged("quiesce", State::active, State::quiescing, [&] {
      instance.plugin_->quiesce(std::chrono::milliseconds(deadline_ms));
    });
  }

  static tenon_code stop(tenon_plugin* plugin) noexcept {
    Instance& instance = self(plugin);
    Link& link = instance.host_.link();
    if (const std::int64_t open = link.pending_responses().load(std::memory_order_relaxed);
        open > 0) {
      link.report(TENON_LOG_WARNING, "the plugin stops with pending requests",
                  std::to_string(open));
    }
    instance.host_.threads().request_stop();
    const tenon_code code = instance.logged("stop", State::quiescing, State::stopping,
                                            [&] { instance.plugin_->stop(); });
    instance.host_.threads().join_all();
    return code;
  }

  template <class F>
  tenon_code logged(const char* what, State before, State after, F&& work) noexcept {
    tenon_error error = empty_error();
    const tenon_code code = step(before, after, &error, std::forward<F>(work));
    if (code < 0) host_.link().report(TENON_LOG_ERROR, what, text_of(error.message));
    return code;
  }

  static void destroy(tenon_plugin* plugin) noexcept { delete &self(plugin); }

  Host host_;
  std::unique_ptr<Plugin> plugin_;
  tenon_plugin raw_{
      sizeof(tenon_plugin), 0, this, &start, &quiesce, &stop, &destroy, nullptr, &health};
};

template <class P>
std::unique_ptr<Plugin> make(Host& host) {
  return std::make_unique<P>(host);
}

template <class P>
tenon_code create(const tenon_host* host, tenon_plugin** plugin, tenon_error* error) noexcept {
  return Instance::create(host, plugin, error, &make<P>);
}

template <class P>
constexpr tenon_plugin_entry entry_of(tenon_span id, tenon_span version,
                                      std::uint16_t needs_host_minor) noexcept {
  return {TENON_ENTRY_MAGIC,
          sizeof(tenon_plugin_entry),
          TENON_ABI_MAJOR,
          TENON_ABI_MINOR,
          needs_host_minor,
          0,
          0,
          id,
          version,
          &create<P>};
}

}  // namespace tenon::detail
