#include "identity/identity.hpp"

#include <atomic>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "base/periodic_task.hpp"
#include "data/database.hpp"
#include "identity/allowed_hosts.hpp"
#include "identity/audit_log.hpp"
#include "identity/proxy_notice.hpp"
#include "identity/schema.hpp"
#include "identity/sessions/authenticator.hpp"
#include "identity/setup.hpp"
#include "identity/users/groups.hpp"
#include "identity/users/people.hpp"
#include "identity/users/permissions.hpp"
#include "identity/users/users.hpp"
#include "observability/log.hpp"
#include "observability/metrics.hpp"
#include "observability/work.hpp"

namespace tenon::identity {

namespace {

constexpr auto maintenance_pause = std::chrono::minutes(1);

int whole_seconds(std::chrono::milliseconds wait) {
  return std::max(1, static_cast<int>(std::chrono::ceil<std::chrono::seconds>(wait).count()));
}

std::string address_details(std::string_view address) {
  std::string details;
  base::JsonWriter(details).begin_object().member("address", address).end_object();
  return details;
}

// Users may type anything into the wrong field, also a password: it must not fill the audit log.
std::string shown_login(std::string_view login) {
  return std::string(login.substr(0, Users::max_login_bytes));
}

}  // namespace

Throttled::Throttled(std::chrono::milliseconds wait)
    : Error(429, "identity.throttled",
            "Too many attempts. Try again in " + std::to_string(whole_seconds(wait)) + " s."),
      retry_after_(whole_seconds(wait)) {}

class Identity::Implementation {
 public:
  Implementation(data::Database& database, events::Bus& bus, observability::Metrics& metrics,
                 const Options& options)
      : clock(options.clock ? options.clock : Clock(base::unix_milliseconds)),
        passwords((prepare_tables(database), options.passwords)),
        sessions(database, bus, clock, options.sessions),
        users(database, passwords, sessions, clock),
        groups(database, sessions, clock),
        people(database),
        setup(database, users),
        authenticator(sessions, users),
        hosts(database, clock, options.hosts),
        proxy_notice(database, clock, [this] { wake_maintenance(); }),
        audit(database, clock),
        throttle(clock),
        signed_in(metrics.counter("tenon_identity_sign_ins_total", "Sign-ins by their result.",
                                  {{"result", "accepted"}})),
        refused(metrics.counter("tenon_identity_sign_ins_total", "Sign-ins by their result.",
                                {{"result", "refused"}})),
        throttled(metrics.counter("tenon_identity_sign_ins_total", "Sign-ins by their result.",
                                  {{"result", "throttled"}})) {}

  void start_maintenance() { task_.start(); }

  void wake_maintenance() {
    has_notice_ = true;
    task_.wake();
  }

  void run_maintenance() noexcept {
    try {
      if (has_notice_.exchange(false))
        proxy_notice.store();
      else
        maintain();
    } catch (const std::exception& failure) {
      observability::log_warning("maintenance of sessions failed", {{"reason", failure.what()}});
    }
  }

  void maintain() {
    hosts.reload();
    proxy_notice.store();
    sessions.sweep();
    // Walks the table to its bound, so not every minute.
    if (minutes_++ % 60 == 0) audit.trim();
  }

  Sessions::Issued issue(const User& user, std::string_view address, std::string_view user_agent) {
    try {
      return sessions.issue(user, address, user_agent);
    } catch (const base::Error& error) {
      if (user.role != Role::admin || error.code() != "data.disk_full") throw;
    }
    // The failed write released the space that is reserved for admins.
    return sessions.issue(user, address, user_agent);
  }

  void require_not_throttled(std::string_view login, const LoginThrottle::Source& source) {
    const auto wait = throttle.attempt(login, source);
    if (wait == wait.zero()) return;
    throttled.add();
    throw Throttled(wait);
  }

  const Clock clock;
  Passwords passwords;
  Sessions sessions;
  Users users;
  Groups groups;
  People people;
  Setup setup;
  Permissions permissions;
  Authenticator authenticator;
  AllowedHosts hosts;
  ProxyNotice proxy_notice;
  AuditLog audit;
  LoginThrottle throttle;
  observability::Counter& signed_in;
  observability::Counter& refused;
  observability::Counter& throttled;

 private:
  std::atomic<bool> has_notice_{false};
  std::atomic<unsigned> minutes_{0};
  base::PeriodicTask task_{maintenance_pause, [this] { run_maintenance(); }};  // ends first
};

Identity::Identity(data::Database& database, events::Bus& bus, observability::Metrics& metrics,
                   const Options& options)
    : implementation_(std::make_shared<Implementation>(database, bus, metrics, options)) {
  metrics.add_collector(
      [weak = std::weak_ptr<Implementation>(implementation_)](observability::MetricsSink& sink) {
        const auto alive = weak.lock();
        if (!alive) return;
        sink.gauge("tenon_identity_sessions", "Signed-in browsers.", {},
                   static_cast<double>(alive->sessions.size()));
        sink.gauge("tenon_identity_password_hashes", "Password hashes that are computed now.", {},
                   static_cast<double>(alive->passwords.running()));
      });
  if (options.maintain) implementation_->start_maintenance();
}

Identity::~Identity() = default;

Users& Identity::users() noexcept {
  return implementation_->users;
}
Groups& Identity::groups() noexcept {
  return implementation_->groups;
}
People& Identity::people() noexcept {
  return implementation_->people;
}
Sessions& Identity::sessions() noexcept {
  return implementation_->sessions;
}
Setup& Identity::setup() noexcept {
  return implementation_->setup;
}
Permissions& Identity::permissions() noexcept {
  return implementation_->permissions;
}
Authenticator& Identity::authenticator() noexcept {
  return implementation_->authenticator;
}
AllowedHosts& Identity::hosts() noexcept {
  return implementation_->hosts;
}
ProxyNotice& Identity::proxy_notice() noexcept {
  return implementation_->proxy_notice;
}
observability::Audit& Identity::audit() noexcept {
  return implementation_->audit;
}
void Identity::maintain() {
  implementation_->maintain();
}

Sessions::Issued Identity::sign_in(std::string_view login, std::string_view password,
                                   const LoginThrottle::Source& source, std::string_view user_agent,
                                   std::string_view old_token) {
  Implementation& self = *implementation_;
  self.require_not_throttled(login, source);
  const std::optional<User> user = self.users.check(login, password);
  if (!user) {
    self.refused.add();
    self.audit.record({.actor = "nobody",
                       .action = AuditLog::refusal,
                       .object = shown_login(login),
                       .details = address_details(source.address)});
    throw base::Error(401, "identity.wrong_credentials", "Login and password do not fit together.");
  }
  observability::Work work;
  if (const observability::Work* outer = observability::current_work()) work = *outer;
  work.may_use_reserve = user->role == Role::admin;
  const observability::WorkScope scope(&work);
  // A session id never outlives a sign-in, so that an attacker cannot plant one.
  if (const PrincipalPtr before = self.sessions.find(old_token))
    self.sessions.end(before->user_id, before->session_id);
  Sessions::Issued issued = self.issue(*user, source.address, user_agent);
  self.throttle.succeeded(login, source);
  self.signed_in.add();
  self.audit.record({.actor = user->id,
                     .action = "session.signed_in",
                     .object = issued.principal->session_id,
                     .details = address_details(source.address)});
  return issued;
}

void Identity::change_own_password(const Principal& principal, std::string_view old_password,
                                   std::string_view new_password,
                                   const LoginThrottle::Source& source) {
  Implementation& self = *implementation_;
  self.require_not_throttled(principal.login, source);
  self.users.change_password(principal.user_id, old_password, new_password, principal.session_id);
  self.throttle.succeeded(principal.login, source);
}

}  // namespace tenon::identity
