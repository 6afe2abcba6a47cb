#pragma once

#include <tenon/identity.h>

namespace tenon::plugins {

class Bridge;

/// tenon.identity/1 of one activation.
class IdentityInterface {
 public:
  static const tenon_identity table;

  explicit IdentityInterface(Bridge& bridge) noexcept : bridge_(bridge) {}

 private:
  static tenon_code requester(const tenon_host* host, tenon_handle request,
                              tenon_user* user) noexcept;
  static tenon_code can(const tenon_host* host, tenon_handle request,
                        tenon_span permission) noexcept;
  static tenon_code find(const tenon_host* host, tenon_span user_id, tenon_user* user) noexcept;
  static tenon_code next(const tenon_host* host, tenon_span user_id, tenon_user* user) noexcept;
  static tenon_code groups(const tenon_host* host, tenon_handle request, tenon_group_id* ids,
                           uint32_t capacity, uint32_t* count) noexcept;

  Bridge& bridge_;
};

}  // namespace tenon::plugins
