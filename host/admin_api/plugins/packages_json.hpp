#pragma once

#include <string>

namespace tenon::plugins {
struct KnownKey;
struct PackagePlan;
struct RollbackPlan;
}  // namespace tenon::plugins

namespace tenon::console {

/// Returns the response of POST /api/core/plugins/plan.
std::string plan_json(const plugins::PackagePlan& plan);
/// Returns the response of GET /api/core/plugins/{id}/rollback.
std::string rollback_json(const plugins::RollbackPlan& plan);
/// The item of GET /api/core/keys.
std::string key_json(const plugins::KnownKey& key);

}  // namespace tenon::console
