#include <concepts>

#include "checks.hpp"
#include "typed_settings.hpp"

namespace settings = typed::settings;

void check_settings(Checks& checks, tenon::Settings& host) {
  static_assert(std::same_as<decltype(settings::port.get(host)), std::int64_t>);
  static_assert(std::same_as<decltype(settings::host.get(host)), std::optional<std::string>>);
  static_assert(std::same_as<decltype(settings::is_open_.get(host)), std::optional<bool>>);
  static_assert(std::same_as<decltype(settings::level.get(host)), std::optional<settings::Level>>);
  static_assert(std::same_as<decltype(settings::mixed.get(host)), tenon::Json>);
  static_assert(std::same_as<decltype(settings::class_.get(host)), std::optional<tenon::Json>>);

  checks.same(settings::port.get(host), 587);
  checks.same(settings::host.get(host).has_value(), false);
  checks.same(settings::security.get(host), settings::Security::tls);
  checks.same(settings::mixed.get(host), tenon::Json("auto"));
  checks.same(settings::ratio.get(host), 0.5);
  checks.same(settings::is_open.get(host), true);
  checks.same(settings::tags.get(host), std::vector<std::string>{"a", "b"});
  checks.same(settings::setting_3rd.get(host), tenon::Json{{"a", 1}});

  settings::port.set(host, 25);
  settings::security.set(host, settings::Security::none);
  settings::level.set(host, settings::Level::_2);
  settings::password.set(host, "hunter2");
  checks.same(settings::port.get(host), 25);
  checks.same(host.get<std::string>("security"), std::optional<std::string>("none"));
  checks.same(settings::level.get(host), std::optional(settings::Level::_2));
  checks.same(settings::password.get(host), std::optional<std::string>("hunter2"));
  checks.same(Checks::failure_of([&] { settings::port.set(host, 0); }), "plugins.setting_invalid");
  checks.same(settings::port.get(host), 25);
  settings::port.reset(host);
  checks.same(settings::port.get(host), 587);
  settings::security.reset(host);
  settings::level.reset(host);
  settings::password.reset(host);
}
