#include "bridge/services/services_directory.hpp"

#include <mutex>
#include <utility>

#include "bridge/services/services_interface.hpp"

namespace tenon::plugins {

void ServicesDirectory::publish(const std::string& plugin, std::uint64_t generation,
                                std::shared_ptr<ServicesInterface> services) {
  Published next{generation, std::move(services)};
  // The replaced entry is destroyed outside the lock.
  const std::unique_lock lock(mutex_);
  std::swap(published_[plugin], next);
}

void ServicesDirectory::unpublish(const std::string& plugin, std::uint64_t generation) {
  std::shared_ptr<ServicesInterface> gone;
  const std::unique_lock lock(mutex_);
  const auto found = published_.find(plugin);
  if (found == published_.end() || found->second.generation != generation) return;
  gone = std::move(found->second.services);
  published_.erase(found);
}

ServicesDirectory::Provider ServicesDirectory::find(std::string_view plugin) const {
  const std::shared_lock lock(mutex_);
  const auto found = published_.find(plugin);
  if (found == published_.end()) return {};
  const std::shared_ptr<ServicesInterface>& services = found->second.services;
  if (!services->gate().enter()) return {};
  return {services, routing::Lease(&services->gate())};
}

std::string ServicesDirectory::describe(std::string_view plugin) const {
  return describe_ ? describe_(plugin) : "is not active";
}

}  // namespace tenon::plugins
