// The first steps of a generation: each runs code of the plugin, and waits for it only so long.

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <utility>

#include <unistd.h>

#include "bridge/bounded_call.hpp"
#include "bridge/frame.hpp"
#include "lifecycle/activation.hpp"
#include "lifecycle/plugin_call.hpp"
#include "loader/library.hpp"
#include "loader/loader.hpp"
#include "packages/reason.hpp"

namespace tenon::plugins {

void Activation::load(BoundedThread& thread) {
  if (!manifest_.has_library) {
    environment_.loader.load(manifest_, folder_, bridge_->generation());
    return;
  }
  struct Loading {
    decltype(library_) library;
    std::exception_ptr failure;
  };
  const auto loading = std::make_shared<Loading>();
  // A crash record names the plugin. Marked now: later the loader's lock may never be released.
  const RunningCall blamed(bridge_->name().mark(Operation::load));
  const bool is_back = thread.run(
      [this, loading] {
        try {
          loading->library = environment_.loader.load(manifest_, folder_, bridge_->generation());
        } catch (...) {
          loading->failure = std::current_exception();
        }
      },
      environment_.load_timeout);
  if (!is_back) {
    // Not the log: a thread that uses it for the first time would wait for the loader's lock.
    ::dprintf(
        STDERR_FILENO,
        "tenon: the library of the plugin \"%s\" did not load within %lld ms: the server ends, "
        "and starts without it\n",
        manifest_.id.c_str(), static_cast<long long>(environment_.load_timeout.count()));
    std::abort();
  }
  if (loading->failure) std::rethrow_exception(loading->failure);
  library_ = std::move(loading->library);
}

void Activation::create(BoundedThread& thread) {
  if (!library_) return bridge_->move_to(Phase::created);
  // The objects that the thread uses outlive it even if it does not return: this object is then
  // abandoned.
  const auto call = std::make_shared<PluginCall>();
  // Read here: if the thread comes too late, this object no longer owns the library.
  const auto create = library_->entry().create;
  const bool is_back = thread.run(
      [this, call, create] {
        const Frame frame(bridge_->name(), Operation::create, {}, true);
        bridge_->move_to(Phase::created);
        call->code = enter(create, tenon_code{TENON_E_INTERNAL}, &bridge_->host(), &call->plugin,
                           &call->error);
      },
      environment_.start_timeout);
  if (!is_back) {
    is_stuck_ = true;
    throw Refusal({"plugins.create_timeout", "The plugin did not come back from create.", {}, {}});
  }
  if (call->code != TENON_OK)
    throw Refusal(call->reason("plugins.create_failed", "The plugin could not be made"));
  if (!call->plugin || call->plugin->size < TENON_NEED(tenon_plugin, destroy)) {
    throw Refusal({"plugins.entry_invalid",
                   "What create made is no plugin: it is NULL or too small.",
                   {},
                   {}});
  }
  plugin_ = call->plugin;
  if (!plugin_->start || !plugin_->destroy || plugin_->flags != 0) {
    throw Refusal({"plugins.entry_invalid",
                   "The plugin has no start or no destroy, or flags that this host does not know.",
                   {},
                   {}});
  }
  bridge_->migrations().require_declared(folder_ + "/plugin.json");
}

void Activation::start(BoundedThread& thread) {
  if (!library_) return bridge_->move_to(Phase::starting);
  const auto call = std::make_shared<PluginCall>();
  const bool is_back = thread.run_last(
      [this, call] {
        const Frame frame(bridge_->name(), Operation::start, {}, true);
        bridge_->move_to(Phase::starting);
        call->code = enter(plugin_->start, tenon_code{TENON_E_INTERNAL}, plugin_, &call->error);
      },
      environment_.start_timeout);
  if (!is_back) {
    is_stuck_ = true;
    throw Refusal({"plugins.start_timeout", "The plugin did not come back from start.", {}, {}});
  }
  if (call->code != TENON_OK)
    throw Refusal(call->reason("plugins.start_failed", "The plugin could not start"));
  is_started_ = true;
}

}  // namespace tenon::plugins
