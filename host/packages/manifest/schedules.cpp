#include "packages/manifest/schedules.hpp"

#include <string>

#include "packages/reason.hpp"

namespace tenon::plugins {

void check_schedules(const Manifest& manifest, const records::Model& model) {
  for (std::size_t i = 0; i < manifest.schedules.size(); ++i) {
    const DeclaredSchedule& schedule = manifest.schedules[i];
    const std::string location = "schedules[" + std::to_string(i) + "].";
    const auto refuse = [](const std::string& path, const std::string& message) {
      throw Refusal({"plugins.schedule_invalid", message, "plugin.json", path});
    };
    try {
      records::check_times(schedule.cron, schedule.time_zone);
    } catch (const records::ActionFault& fault) {
      refuse(location + fault.member, fault.message);
    }
    try {
      records::check_action(schedule.action, model);
    } catch (const records::ActionFault& fault) {
      const bool is_update = schedule.action.kind == records::Action::Kind::update;
      refuse(location + (is_update ? "update." : "delete.") + fault.member, fault.message);
    }
  }
}

}  // namespace tenon::plugins
