#include "bridge/identity/identity_interface.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "bridge/abi_error.hpp"
#include "bridge/bridge.hpp"
#include "bridge/frame.hpp"
#include "bridge/http/http_interface.hpp"
#include "bridge/spans.hpp"
#include "identity/principal.hpp"
#include "identity/users/permissions.hpp"
#include "identity/users/users.hpp"
#include "routing/context.hpp"

namespace tenon::plugins {

namespace {

constexpr std::size_t max_user_id_bytes = 64;

template <std::size_t capacity>
void put_user_text(char (&out)[capacity], std::string_view text) noexcept {
  const std::size_t size = std::min(text.size(), capacity - 1);
  std::memcpy(out, text.data(), size);
  std::memset(out + size, 0, capacity - size);
}

void fill(tenon_user* taker, std::string_view id, std::string_view login, std::string_view name,
          identity::Role role, bool is_disabled) noexcept {
  tenon_user user;
  user.flags = (role == identity::Role::admin ? TENON_USER_ADMIN : 0) |
               (is_disabled ? TENON_USER_DISABLED : 0);
  put_user_text(user.id, id);
  put_user_text(user.login, login);
  put_user_text(user.name, name);
  copy_out(taker, user);
}

bool is_sound_taker(const tenon_user* user) noexcept {
  return user && user->size >= TENON_NEED(tenon_user, id);
}

// Both look in the database of the host.
template <typename Look>
tenon_code look_up(const tenon_host* host, tenon_span user_id, tenon_user* user, tenon_code none,
                   Look&& look) noexcept {
  Bridge* bridge = Bridge::of(host);
  if (!bridge || !is_sound(user_id) || user_id.size > max_user_id_bytes || !is_sound_taker(user))
    return TENON_E_INVALID;
  if (!bridge->is_in(Phase::starting, Phase::quiescing) || !Frame::may_block())
    return TENON_E_STATE;
  return guarded(nullptr, [&]() -> tenon_code {
    const std::optional<identity::User> found = look(*bridge->services().users, view(user_id));
    if (!found) return none;
    fill(user, found->id, found->login, found->name, found->role, found->disabled);
    return TENON_OK;
  });
}

}  // namespace

const tenon_identity IdentityInterface::table = {
    sizeof(tenon_identity),        0,
    &IdentityInterface::requester, &IdentityInterface::can,
    &IdentityInterface::find,      &IdentityInterface::next,
    &IdentityInterface::groups};

tenon_code IdentityInterface::requester(const tenon_host* host, tenon_handle request,
                                        tenon_user* user) noexcept {
  Bridge* bridge = Bridge::of(host);
  if (!bridge || !is_sound_taker(user)) return TENON_E_INVALID;
  if (!bridge->is_in(Phase::active, Phase::quiescing)) return TENON_E_STATE;
  const CallRef call = bridge->http().find(request);
  if (!call) return TENON_E_HANDLE;
  const identity::Principal* who = routing::context(*call->exchange).principal.get();
  if (!who) return TENON_E_NOT_FOUND;
  fill(user, who->user_id, who->login, who->name, who->role, false);
  return TENON_OK;
}

tenon_code IdentityInterface::can(const tenon_host* host, tenon_handle request,
                                  tenon_span permission) noexcept {
  Bridge* bridge = Bridge::of(host);
  if (!bridge || !is_sound(permission) || !bridge->manifest().declares(view(permission)))
    return TENON_E_INVALID;
  if (!bridge->is_in(Phase::active, Phase::quiescing)) return TENON_E_STATE;
  const CallRef call = bridge->http().find(request);
  if (!call) return TENON_E_HANDLE;
  const identity::Principal* who = routing::context(*call->exchange).principal.get();
  return who && bridge->services().permissions->allows(*who, view(permission)) ? TENON_OK
                                                                               : TENON_E_DENIED;
}

tenon_code IdentityInterface::find(const tenon_host* host, tenon_span user_id,
                                   tenon_user* user) noexcept {
  return look_up(host, user_id, user, TENON_E_NOT_FOUND,
                 [](const identity::Users& users, std::string_view id) { return users.find(id); });
}

tenon_code IdentityInterface::next(const tenon_host* host, tenon_span user_id,
                                   tenon_user* user) noexcept {
  return look_up(
      host, user_id, user, TENON_DONE,
      [](const identity::Users& users, std::string_view id) { return users.find_after(id); });
}

tenon_code IdentityInterface::groups(const tenon_host* host, tenon_handle request,
                                     tenon_group_id* ids, uint32_t capacity,
                                     uint32_t* count) noexcept {
  Bridge* bridge = Bridge::of(host);
  if (!bridge || !count || (!ids && capacity > 0)) return TENON_E_INVALID;
  if (!bridge->is_in(Phase::active, Phase::quiescing)) return TENON_E_STATE;
  const CallRef call = bridge->http().find(request);
  if (!call) return TENON_E_HANDLE;
  const identity::Principal* who = routing::context(*call->exchange).principal.get();
  *count = who ? static_cast<std::uint32_t>(who->groups.size()) : 0;
  for (std::uint32_t i = 0; i < std::min(*count, capacity); ++i)
    put_user_text(ids[i].id, who->groups[i]);
  return TENON_OK;
}

}  // namespace tenon::plugins
