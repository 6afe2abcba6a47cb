#pragma once

#include <string>

namespace tenon::observability {

/// Something that an admin may later want to know of: who did what to what.
struct AuditRecord {
  std::string actor;  ///< id of a user, "system", or "local" for the command line
  std::string
      action;  ///< "<room>.<what>": "session.signed_in", "users.changed", "plugins.disabled"
  std::string object;   ///< what it was done to: an id or a login; may be empty
  std::string details;  ///< one JSON object without secrets; empty for none
};

/// Takes audit records. Thread-safe; may block on the database, so not for I/O threads.
class Audit {
 public:
  virtual ~Audit() = default;
  /// A record that cannot be stored goes to the log as an error; the caller's work is not undone.
  virtual void record(const AuditRecord& record) noexcept = 0;
};

}  // namespace tenon::observability
