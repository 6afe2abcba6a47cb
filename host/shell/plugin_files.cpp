#include "shell/plugin_files.hpp"

#include <string_view>
#include <utility>

#include "http/parser/request.hpp"

namespace tenon::shell {

std::shared_ptr<const http::StaticTree> load_tree(const std::string& directory) {
  http::StaticOptions options;
  options.is_immutable = true;
  return http::StaticTree::load(directory, options);
}

PluginFiles::PluginFiles(std::string prefix, std::shared_ptr<const http::StaticTree> current,
                         std::shared_ptr<const http::StaticTree> former, bool is_held)
    : prefix_(std::move(prefix)),
      current_(std::move(current)),
      is_to_be_read_(is_held),
      former_(std::move(former)) {}

void PluginFiles::handle(const http::ExchangePtr& exchange) {
  std::string_view path = exchange->request().path;
  path.remove_prefix(path.starts_with(prefix_) ? prefix_.size() : path.size());
  exchange->respond(respond(exchange->request(), path));
}

http::Response PluginFiles::respond(const http::Request& request, std::string_view path) {
  if (is_to_be_read_.load(std::memory_order_relaxed) && is_to_be_read_.exchange(false))
    current_->read_all(max_retained_files);
  if (!current_->has(path)) {
    if (const auto before = former(); before && before->has(path))
      return before->respond(request, path);
  }
  return current_->respond(request, path);
}

std::shared_ptr<const http::StaticTree> PluginFiles::former() const {
  const std::lock_guard lock(mutex_);
  return former_;
}

void PluginFiles::forget_former() {
  const std::lock_guard lock(mutex_);
  former_.reset();
}

}  // namespace tenon::shell
