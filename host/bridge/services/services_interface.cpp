#include "bridge/services/services_interface.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/clock.hpp"
#include "base/utf8.hpp"
#include "bridge/abi_error.hpp"
#include "bridge/bridge.hpp"
#include "bridge/frame.hpp"
#include "bridge/services/services_directory.hpp"
#include "bridge/spans.hpp"
#include "observability/work.hpp"

namespace tenon::plugins {

namespace {

using std::chrono::milliseconds;

bool is_service_name(std::string_view name) noexcept {
  return !name.empty() && name.size() <= ServicesInterface::max_name_bytes &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
         });
}

bool is_method(std::string_view method) noexcept {
  return !method.empty() && method.size() <= ServicesInterface::max_method_bytes &&
         std::all_of(method.begin(), method.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '.' || c == '-';
         });
}

// Texts of a plugin: perhaps without an end, perhaps no UTF-8.
template <std::size_t capacity>
std::string service_text(const char (&text)[capacity]) {
  const std::string_view found(text, strnlen(text, capacity));
  return base::is_valid_utf8(found) ? std::string(found) : std::string();
}

std::string in_quotes(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

}  // namespace

// A call, read and checked. Views are its caller's.
struct ServicesInterface::CallRequest {
  std::string_view plugin;
  std::string_view service;
  std::string_view method;
  std::string_view request;
  std::uint32_t revision = 0;
  Clock::time_point deadline;
  const Bridge* caller = nullptr;

  std::string name() const { return in_quotes(std::string(plugin) + "." + std::string(service)); }
  bool is_late() const noexcept { return Clock::now() >= deadline; }
};

// The calls that this thread is inside of.
class ServicesInterface::Inside {
 public:
  explicit Inside(const CallRequest& asked) noexcept
      : asked_(asked),
        outer_(std::exchange(innermost, this)),
        depth_(outer_ ? outer_->depth_ + 1 : 1) {}
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() { innermost = outer_; }

  static int depth() noexcept { return innermost ? innermost->depth_ : 0; }
  static Clock::time_point bound(Clock::time_point deadline) noexcept {
    return innermost ? std::min(deadline, innermost->asked_.deadline) : deadline;
  }
  // "a.x → b.y", the last ones.
  static std::string way() {
    std::string text;
    int left = 3;
    for (const Inside* at = innermost; at && left > 0; at = at->outer_, --left) {
      text.insert(0,
                  " → " + std::string(at->asked_.plugin) + "." + std::string(at->asked_.service));
    }
    return "…" + text;
  }

 private:
  static constinit thread_local const Inside* innermost;

  const CallRequest& asked_;
  const Inside* const outer_;
  const int depth_;
};

constinit thread_local const ServicesInterface::Inside* ServicesInterface::Inside::innermost =
    nullptr;

ServicesInterface::ServicesInterface(Bridge& bridge)
    : bridge_(bridge),
      calls_(HandleKind::service_call, max_calls,
             static_cast<std::uint64_t>(base::monotonic_nanoseconds())) {}

void ServicesInterface::publish() {
  if (ServicesDirectory* directory = bridge_.services().directory) {
    directory->publish(bridge_.plugin_id(), bridge_.generation(),
                       std::shared_ptr<ServicesInterface>(bridge_.shared_from_this(), this));
  }
}

void ServicesInterface::unpublish() {
  if (ServicesDirectory* directory = bridge_.services().directory)
    directory->unpublish(bridge_.plugin_id(), bridge_.generation());
  gate_.close();
}

void ServicesInterface::drop_handlers() noexcept {
  const Frame frame(bridge_.name(), Operation::stop, {}, true);
  for (auto& [name, offered] : offered_)
    drop(offered.handler);
  offered_.clear();
}

tenon_code ServicesInterface::offer(tenon_span name, std::uint32_t revision,
                                    const tenon_services_handler& handler, tenon_error* error) {
  if (!is_sound(name) || !is_service_name(view(name)))
    return fail_argument(error, "The name of a service is 1 to 48 of a-z, 0-9, _ and -.");
  if (revision == 0 || revision > max_revision)
    return fail_argument(error, "A revision is 1 to 9,999.");
  if (!handler.fn) return fail_argument(error, "The handler has no function.");
  if (offered_.find(view(name)) != offered_.end())
    return fail_argument(error, "The service " + in_quotes(view(name)) + " is offered already.");
  if (offered_.size() == max_services) {
    return fail(error, TENON_E_TOO_LARGE, 500, "services.too_many_offered",
                "A plugin offers at most 32 services.");
  }
  offered_.emplace(view(name), Offered{revision, handler});
  return TENON_OK;
}

tenon_code ServicesInterface::read(const tenon_services_call& call, CallRequest& asked,
                                   tenon_error* error) const {
  if (!is_sound(call.service) || !is_sound(call.method) || !is_sound(call.request))
    return fail_argument(error, "A span has a size and no data.");
  if (call.flags != 0) return fail_argument(error, "There are flags that this host does not know.");
  const std::string_view whole = view(call.service);
  const std::size_t dot = std::min(whole.find('.'), whole.size());
  asked.plugin = whole.substr(0, dot);
  asked.service = whole.substr(std::min(dot + 1, whole.size()));
  if (!is_plugin_id(asked.plugin) || !is_service_name(asked.service)) {
    return fail_argument(error,
                         "A service is named \"<plugin>.<name>\", such as \"calendar.rooms\".");
  }
  asked.method = view(call.method);
  if (!is_method(asked.method))
    return fail_argument(error, "A method is 1 to 64 of A-Z, a-z, 0-9, _, . and -.");
  asked.revision = call.revision;
  if (asked.revision == 0 || asked.revision > max_revision)
    return fail_argument(error, "A revision is 1 to 9,999.");
  if (call.request.size > max_bytes) {
    return fail(error, TENON_E_TOO_LARGE, 413, "services.too_large",
                "A request to a service has at most 16 MiB.");
  }
  asked.request = view(call.request);
  const milliseconds timeout =
      call.deadline_ms == 0 ? default_deadline : milliseconds(call.deadline_ms);
  if (timeout > max_deadline)
    return fail_argument(error, "The deadline of a call is at most 60,000 ms.");
  asked.deadline = Inside::bound(Clock::now() + timeout);
  asked.caller = &bridge_;
  return TENON_OK;
}

tenon_code ServicesInterface::call(const tenon_services_call* call, const tenon_text_sink* sink,
                                   tenon_error* error) {
  if (!call || call->size < TENON_NEED(tenon_services_call, request))
    return fail_argument(error, "The call is NULL or too small.");
  if (!sink || !sink->fn) return fail_argument(error, "The sink is NULL or has no function.");
  CallRequest asked;
  if (const tenon_code code = read(copy_in(call), asked, error); code != TENON_OK) return code;
  const Requirement* use = bridge_.manifest().use_of(asked.plugin);
  if (!use && asked.plugin != bridge_.plugin_id()) {
    return fail(error, TENON_E_DENIED, 500, "services.not_declared",
                "plugin.json names " + in_quotes(asked.plugin) +
                    " under neither requires nor optional, so its services may not be called.");
  }
  if (Inside::depth() == max_depth) {
    return fail(error, TENON_E_STATE, 500, "services.too_deep",
                "There are 8 calls of services inside each other already (" + Inside::way() +
                    "): perhaps plugins call each other in a circle.");
  }
  const auto refuse_late = [&] {
    return fail(error, TENON_E_TIMEOUT, 503, "services.timeout",
                "The service " + asked.name() + " did not respond in time.");
  };
  if (asked.is_late()) return refuse_late();
  std::string response;
  {
    ServicesDirectory* directory = bridge_.services().directory;
    const ServicesDirectory::Provider provider =
        directory ? directory->find(asked.plugin) : ServicesDirectory::Provider{};
    if (!provider.services) {
      return fail(error, TENON_E_UNAVAILABLE, 503, "services.provider_unavailable",
                  "The plugin " + in_quotes(asked.plugin) + " " +
                      (directory ? directory->describe(asked.plugin) : "is not active") + ".");
    }
    const Manifest& manifest = provider.services->bridge_.manifest();
    if (use && !use->range.matches(manifest.version)) {
      return fail(error, TENON_E_UNAVAILABLE, 503, "services.provider_version",
                  "The plugin " + in_quotes(asked.plugin) + " is there in version " +
                      manifest.version_text + ", and " + in_quotes(bridge_.plugin_id()) +
                      " works with " + use->range.text() + ".");
    }
    const tenon_code code = provider.services->serve(asked, response, error);
    if (code != TENON_OK) return code;
  }
  if (asked.is_late()) return refuse_late();
  enter(sink->fn, sink->ctx, span(response));
  return TENON_OK;
}

// Runs in the provider's interface, on the caller's thread.
tenon_code ServicesInterface::serve(const CallRequest& asked, std::string& response,
                                    tenon_error* error) {
  const auto offered = offered_.find(asked.service);
  if (offered == offered_.end()) {
    return fail(error, TENON_E_NOT_FOUND, 500, "services.unknown",
                "The plugin " + in_quotes(asked.plugin) + " " + bridge_.manifest().version_text +
                    " offers no service " + in_quotes(asked.service) + ".");
  }
  if (offered->second.revision < asked.revision) {
    return fail(error, TENON_E_UNSUPPORTED, 501, "services.revision",
                "The service " + asked.name() + " is there in revision " +
                    std::to_string(offered->second.revision) + ", and " +
                    std::to_string(asked.revision) + " is needed. Upgrade " +
                    in_quotes(asked.plugin) + ".");
  }
  const auto open = std::make_shared<ServiceResponse>();
  auto opened = calls_.open([&open](OpenServiceCall& item) noexcept { item.response = open; });
  if (!opened.pin) {
    return fail(error, TENON_E_BUSY, 503, "services.busy",
                "There are 1,024 calls inside the plugin " + in_quotes(asked.plugin) + ".");
  }
  const auto left = std::chrono::ceil<milliseconds>(asked.deadline - Clock::now());
  tenon_services_request request{};
  request.size = sizeof(request);
  request.remaining_ms = static_cast<std::uint32_t>(std::max<milliseconds::rep>(left.count(), 0));
  request.handle = opened.handle;
  request.caller = span(asked.caller->plugin_id());
  request.caller_version = span(asked.caller->manifest().version_text);
  request.service = span(asked.service);
  request.method = span(asked.method);
  request.request = span(asked.request);
  request.revision = asked.revision;
  tenon_error said{};
  said.size = sizeof(said);
  tenon_code code = TENON_E_INTERNAL;
  {
    const Inside inside(asked);
    const Frame frame(bridge_.name(), Operation::service, observability::current_request_id(),
                      true);
    const tenon_services_handler& handler = offered->second.handler;
    code = enter(handler.fn, tenon_code{TENON_E_INTERNAL}, handler.ctx, &request, &said);
  }
  opened.pin.close();
  const std::lock_guard lock(open->mutex);
  if (!open->is_given && is_given_up_) {
    return fail(error, TENON_E_UNAVAILABLE, 503, "services.cancelled",
                "The plugin " + in_quotes(asked.plugin) + " was stopped before it responded.");
  }
  if (code != TENON_OK) return refuse_inside(asked, code, said, error);
  if (!open->is_given) {
    return fail(error, TENON_E_INTERNAL, 500, "services.no_answer",
                "The service " + asked.name() + " returned without a response.");
  }
  response = std::move(open->bytes);
  return TENON_OK;
}

tenon_code ServicesInterface::refuse_inside(const CallRequest& asked, tenon_code code,
                                            const tenon_error& said, tenon_error* error) const {
  const std::string name = service_text(said.name);
  const std::string message = service_text(said.message);
  const bool is_fitting = said.status >= 400 && said.status <= 599;
  return fail(
      error, code < 0 ? code : tenon_code{TENON_E_INTERNAL},
      is_fitting ? static_cast<int>(said.status) : 500, name.empty() ? "services.failed" : name,
      message.empty() ? "The service " + asked.name() + " failed and does not say why." : message);
}

tenon_code ServicesInterface::respond(tenon_handle request, tenon_span response) {
  auto pin = calls_.pin(request);
  if (!pin || is_given_up_) return TENON_E_HANDLE;
  const std::shared_ptr<ServiceResponse> open = pin->response;
  const std::lock_guard lock(open->mutex);
  if (open->is_given) return TENON_E_STATE;
  open->bytes.assign(view(response));
  open->is_given = true;
  return TENON_OK;
}

}  // namespace tenon::plugins
