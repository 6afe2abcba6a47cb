#include "fake_functions.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace tenon::test {

void Functions::fill(FakeHost& host) {
  host.host_ = {sizeof(tenon_host),
                TENON_ABI_MAJOR,
                TENON_ABI_MINOR,
                &host,
                TENON_LITERAL("0.1.0"),
                to_span(host.plugin_id_),
                1,
                1,
                &get_interface};
  host.log_ = {sizeof(tenon_log), 0, &log_write, &log_enabled};
  fill_http(host.http_);
  fill_database(host.database_);
  host.settings_table_ = {sizeof(tenon_settings), 0, &get_setting, &set_setting, &watch};
  host.identity_ = {sizeof(tenon_identity), 0, &requester, &can, &find_user, &next_user, &groups};
  host.events_ = {sizeof(tenon_events), 0, &declare_topic, &publish};
  host.search_ = {sizeof(tenon_search), 0, &find};
  host.services_ = {sizeof(tenon_services), 0, &offer, &call_service, &respond_service};
}

const void* Functions::get_interface(const tenon_host* host, tenon_span id,
                                     std::uint32_t need) noexcept {
  FakeHost& self = of(host);
  const std::pair<std::string_view, void*> tables[] = {
      {TENON_LOG_ID, &self.log_},           {TENON_HTTP_ID, &self.http_},
      {TENON_DB_ID, &self.database_},       {TENON_SETTINGS_ID, &self.settings_table_},
      {TENON_IDENTITY_ID, &self.identity_}, {TENON_EVENTS_ID, &self.events_},
      {TENON_SEARCH_ID, &self.search_},     {TENON_SERVICES_ID, &self.services_}};
  for (const auto& [name, table] : tables) {
    if (name != to_view(id)) continue;
    std::uint32_t size = 0;
    std::memcpy(&size, table, sizeof size);
    const auto limit = self.limits_.find(name);
    if (limit == self.limits_.end()) return need <= size ? table : nullptr;
    if (limit->second < need) return nullptr;
    // A copy that really ends there: touching a later slot is an error that AddressSanitizer sees.
    auto copy = std::make_unique<char[]>(limit->second);
    std::memcpy(copy.get(), table, limit->second);
    std::memcpy(copy.get(), &limit->second, sizeof size);
    self.shortened_.push_back(std::move(copy));
    return self.shortened_.back().get();
  }
  return nullptr;
}

tenon_code Functions::say(tenon_error* error, tenon_code code, int status, const char* name,
                          const char* message) {
  if (error != nullptr) {
    error->code = code;
    error->status = static_cast<std::uint32_t>(status);
    std::snprintf(error->name, sizeof error->name, "%s", name);
    std::snprintf(error->message, sizeof error->message, "%s", message);
  }
  return code;
}

tenon_code Functions::log_write(const tenon_host* host, std::uint32_t level, tenon_span message,
                                const tenon_log_field* fields, std::uint32_t count,
                                tenon_handle) noexcept {
  FakeHost& self = of(host);
  std::string line = std::to_string(level) + " " + std::string(to_view(message));
  for (std::uint32_t i = 0; i < count; ++i) {
    line.append(" ").append(to_view(fields[i].name)).append("=").append(to_view(fields[i].value));
  }
  const std::lock_guard lock(self.mutex_);
  self.lines_.push_back(std::move(line));
  return TENON_OK;
}

tenon_code Functions::log_enabled(const tenon_host*, std::uint32_t level) noexcept {
  return level >= TENON_LOG_INFO ? 1 : 0;
}

tenon_code Functions::get_setting(const tenon_host* host, tenon_span key, char* buffer,
                                  std::uint64_t capacity, std::uint64_t* length) noexcept {
  const FakeHost& self = of(host);
  const auto found = self.settings.find(std::string(to_view(key)));
  if (found == self.settings.end()) return TENON_E_NOT_FOUND;
  *length = found->second.size();
  if (capacity < *length) return TENON_E_TOO_LARGE;
  std::copy(found->second.begin(), found->second.end(), buffer);
  return TENON_OK;
}

tenon_code Functions::set_setting(const tenon_host* host, tenon_span key, tenon_span json,
                                  tenon_error*) noexcept {
  FakeHost& self = of(host);
  if (json.size == 0) {
    self.settings.erase(std::string(to_view(key)));
  } else {
    self.settings[std::string(to_view(key))] = std::string(to_view(json));
  }
  for (const auto& watcher : self.watchers_)
    watcher.fn(watcher.ctx, key, json);
  return TENON_OK;
}

tenon_code Functions::watch(const tenon_host* host,
                            const tenon_settings_watcher* watcher) noexcept {
  of(host).watchers_.push_back(*watcher);
  return TENON_OK;
}

tenon_code Functions::give_user(const FakeHost& host, const std::string& id, tenon_user* user) {
  const auto found = host.users.find(id);
  if (found == host.users.end()) return TENON_E_NOT_FOUND;
  user->flags = id == "admin" ? TENON_USER_ADMIN : 0u;
  std::snprintf(user->id, sizeof user->id, "%s", id.c_str());
  std::snprintf(user->login, sizeof user->login, "%s", id.c_str());
  std::snprintf(user->name, sizeof user->name, "%s", found->second.c_str());
  return TENON_OK;
}

tenon_code Functions::requester(const tenon_host* host, tenon_handle request,
                                tenon_user* user) noexcept {
  const auto exchange = of(host).exchange(request);
  if (exchange == nullptr) return TENON_E_HANDLE;
  return give_user(of(host), exchange->user, user);
}

tenon_code Functions::can(const tenon_host* host, tenon_handle, tenon_span permission) noexcept {
  const FakeHost& self = of(host);
  if (!to_view(permission).starts_with(self.plugin_id_ + ".")) return TENON_E_INVALID;
  const bool has = std::find(self.permissions.begin(), self.permissions.end(),
                             to_view(permission)) != self.permissions.end();
  return has ? TENON_OK : TENON_E_DENIED;
}

tenon_code Functions::find_user(const tenon_host* host, tenon_span id, tenon_user* user) noexcept {
  return give_user(of(host), std::string(to_view(id)), user);
}

tenon_code Functions::next_user(const tenon_host* host, tenon_span id, tenon_user* user) noexcept {
  const FakeHost& self = of(host);
  const auto next = self.users.upper_bound(std::string(to_view(id)));
  if (next == self.users.end()) return TENON_DONE;
  return give_user(self, next->first, user);
}

tenon_code Functions::groups(const tenon_host* host, tenon_handle request, tenon_group_id* ids,
                             std::uint32_t capacity, std::uint32_t* count) noexcept {
  const FakeHost& self = of(host);
  const auto exchange = self.exchange(request);
  if (exchange == nullptr) return TENON_E_HANDLE;
  const auto found = self.groups.find(exchange->user);
  *count = found == self.groups.end() ? 0 : static_cast<std::uint32_t>(found->second.size());
  for (std::uint32_t i = 0; i < std::min(*count, capacity); ++i)
    std::snprintf(ids[i].id, sizeof ids[i].id, "%s", found->second[i].c_str());
  return TENON_OK;
}

tenon_code Functions::declare_topic(const tenon_host* host, const tenon_events_topic* topic,
                                    tenon_error* error) noexcept {
  const bool is_new =
      of(host)
          .topics
          .emplace(std::string(to_view(topic->name)), std::string(to_view(topic->permission)))
          .second;
  return is_new ? TENON_OK
                : say(error, TENON_E_INVALID, 500, "plugins.invalid_argument", "It is there.");
}

tenon_code Functions::publish(const tenon_host* host, tenon_handle transaction,
                              const tenon_event* event, tenon_error* error) noexcept {
  FakeHost& self = of(host);
  const std::string topic(to_view(event->topic));
  if (!self.topics.contains(topic))
    return say(error, TENON_E_NOT_FOUND, 500, "events.undeclared_topic", "There is no such topic.");
  if (transaction != TENON_DB_AUTOCOMMIT && !self.transactions_.contains(transaction))
    return say(error, TENON_E_HANDLE, 500, "plugins.stale_handle", "The transaction has ended.");
  PublishedEvent published{
      transaction, topic, std::string(to_view(event->data)), event->flags == TENON_EVENTS_TO_ALL,
      {},          {}};
  for (std::uint32_t i = 0; i < event->user_count; ++i)
    published.users.emplace_back(to_view(event->users[i]));
  for (std::uint32_t i = 0; i < event->group_count; ++i)
    published.groups.emplace_back(to_view(event->groups[i]));
  self.published.push_back(std::move(published));
  return TENON_OK;
}

tenon_code Functions::find(const tenon_host* host, const tenon_tables_actor* actor,
                           tenon_handle transaction, const tenon_search_query* query,
                           const tenon_text_sink* sink, tenon_error* error) noexcept {
  FakeHost& self = of(host);
  if (transaction != TENON_DB_AUTOCOMMIT && !self.transactions_.contains(transaction))
    return say(error, TENON_E_HANDLE, 500, "plugins.stale_handle", "The transaction has ended.");
  self.asked = {std::string(to_view(query->text)), std::to_string(query->limit),
                std::to_string(actor->flags)};
  for (std::uint32_t i = 0; i < query->table_count; ++i)
    self.asked.emplace_back(to_view(query->tables[i]));
  const bool is_known = self.asked.back() != "nothing";
  sink->fn(sink->ctx,
           to_span(is_known ? self.search_result
                            : R"({"code":"records.unknown_table","detail":"None.","status":404})"));
  return is_known ? TENON_OK : say(error, TENON_E_NOT_FOUND, 404, "records.unknown_table", "None.");
}

tenon_code Functions::offer(const tenon_host* host, tenon_span name, std::uint32_t revision,
                            const tenon_services_handler* handler, tenon_error* error) noexcept {
  const bool is_new =
      of(host)
          .offered_.emplace(std::string(to_view(name)), FakeHost::Offered{revision, *handler})
          .second;
  if (is_new) return TENON_OK;
  if (handler->drop != nullptr) handler->drop(handler->ctx);
  return say(error, TENON_E_INVALID, 500, "plugins.invalid_argument", "It is there.");
}

// Knows the plugin's own services, and that others are away.
tenon_code Functions::call_service(const tenon_host* host, const tenon_services_call* call,
                                   const tenon_text_sink* sink, tenon_error* error) noexcept {
  FakeHost& self = of(host);
  const std::string service(to_view(call->service));
  const std::string own = self.plugin_id_ + ".";
  if (!service.starts_with(own))
    return say(error, self.away, 503, "services.provider_unavailable", "The plugin is away.");
  const auto found = self.offered_.find(service.substr(own.size()));
  if (found == self.offered_.end() || found->second.revision < call->revision)
    return say(error, TENON_E_NOT_FOUND, 500, "services.unknown", "There is no such service.");
  const tenon_handle handle = self.next_handle_++;
  self.service_responses_.erase(handle);
  const tenon_services_request request{sizeof(tenon_services_request),
                                       call->deadline_ms,
                                       handle,
                                       to_span(self.plugin_id_),
                                       TENON_LITERAL("1.0.0"),
                                       to_span(found->first),
                                       call->method,
                                       call->request,
                                       call->revision,
                                       0};
  const tenon_services_handler& handler = found->second.handler;
  const tenon_code code = handler.fn(handler.ctx, &request, error);
  const auto given = self.service_responses_.extract(handle);
  if (code != TENON_OK) return code;
  if (given.empty())
    return say(error, TENON_E_INTERNAL, 500, "services.no_answer", "It gave none.");
  sink->fn(sink->ctx, to_span(given.mapped()));
  return TENON_OK;
}

tenon_code Functions::respond_service(const tenon_host* host, tenon_handle request,
                                      tenon_span response) noexcept {
  const bool is_first =
      of(host).service_responses_.emplace(request, std::string(to_view(response))).second;
  return is_first ? TENON_OK : TENON_E_STATE;
}

}  // namespace tenon::test
