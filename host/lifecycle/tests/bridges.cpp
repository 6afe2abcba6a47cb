#include "lifecycle/tests/bridges.hpp"

#include <utility>

#include "bridge/db/plugin_database.hpp"
#include "bridge/spans.hpp"
#include "data/database.hpp"
#include "lifecycle/host_tables.hpp"
#include "settings/store.hpp"

namespace tenon::plugins::test {

namespace {

const tenon_services& services_of(const tenon_host* host) {
  return *static_cast<const tenon_services*>(
      host->get_interface(host, span(TENON_SERVICES_ID), TENON_NEED(tenon_services, respond)));
}

struct Offered {
  const tenon_host* host;
  Serve serve;

  // Not noexcept: a plugin that breaks its promise is a case of these tests.
  static tenon_code fn(void* ctx, const tenon_services_request* request, tenon_error* error) {
    auto& self = *static_cast<Offered*>(ctx);
    return self.serve(self.host, *request, error);
  }
  static void drop(void* ctx) noexcept { delete static_cast<Offered*>(ctx); }
};

}  // namespace

Bridges::Bridges() {
  data::DatabaseOptions options;
  options.path = folder_.path() + "/tenon.db";
  database_ = std::make_unique<data::Database>(std::move(options));
  make_host_tables(*database_);
  settings_ = std::make_unique<settings::Store>(*database_, folder_.path() + "/secrets.key");
}

Bridges::~Bridges() = default;

std::shared_ptr<Bridge> Bridges::make(const Manifest& manifest, std::uint64_t generation) {
  BridgeServices services;
  services.settings = settings_.get();
  services.directory = &directory_;
  auto bridge = Bridge::make(services, manifest, generation, nullptr);
  bridge->move_to(Phase::created);
  Bridge* const made = bridge.get();
  // Drops the callbacks at its end, as an activation does.
  return {made, [bridge = std::move(bridge)](Bridge* ended) { ended->drop_callbacks(); }};
}

tenon_code offer(Bridge& provider, std::string_view name, std::uint32_t revision, Serve serve) {
  const tenon_host* host = &provider.host();
  auto* made = new Offered{host, std::move(serve)};
  using Throwing = tenon_code (*)(void*, const tenon_services_request*, tenon_error*);
  const tenon_services_handler handler{
      reinterpret_cast<decltype(tenon_services_handler::fn)>(static_cast<Throwing>(&Offered::fn)),
      made, &Offered::drop};
  return services_of(host).offer(host, span(name), revision, &handler, nullptr);
}

tenon_code respond(const tenon_host* host, const tenon_services_request& request,
                   std::string_view bytes) {
  return services_of(host).respond(host, request.handle, span(bytes));
}

Called call(Bridge& caller, const ServiceCall& call) {
  const tenon_host* host = &caller.host();
  tenon_services_call raw{};
  raw.size = sizeof(raw);
  raw.revision = call.revision;
  raw.service = span(call.service);
  raw.method = span(call.method);
  raw.request = span(call.request);
  raw.deadline_ms = call.deadline_ms;
  Called called;
  const tenon_text_sink sink{[](void* ctx, tenon_span bytes) noexcept {
                               static_cast<Called*>(ctx)->response = view(bytes);
                             },
                             &called};
  tenon_error error{};
  error.size = sizeof(error);
  called.code = services_of(host).call(host, &raw, &sink, &error);
  called.status = error.status;
  called.name = error.name;
  called.message = error.message;
  return called;
}

}  // namespace tenon::plugins::test
