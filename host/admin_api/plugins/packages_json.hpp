#pragma once

#include <string>

namespace tenon::plugins {
struct KnownKey;
struct PackagePlan;
struct RollbackPlan;
}  // namespace tenon::plugins

namespace tenon::console {

/// What POST /api/core/plugins/plan answers.
std::string plan_json(const plugins::PackagePlan& plan);
/// What GET /api/core/plugins/{id}/rollback answers.
std::string rollback_json(const plugins::RollbackPlan& plan);
/// The item of GET /api/core/keys.
std::string key_json(const plugins::KnownKey& key);

}  // namespace tenon::console
