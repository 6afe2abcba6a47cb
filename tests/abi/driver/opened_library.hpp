#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <dlfcn.h>
#include <link.h>

#include <tenon/entry.h>

namespace tenon::test {

/// A plugin's library, opened as the host does it.
class OpenedLibrary {
 public:
  explicit OpenedLibrary(std::string path) : path_(std::move(path)) {
    handle_ = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) throw std::runtime_error(dlerror());
  }
  OpenedLibrary(const OpenedLibrary&) = delete;
  OpenedLibrary& operator=(const OpenedLibrary&) = delete;
  ~OpenedLibrary() { close(); }

  void close() {
    if (handle_ != nullptr) dlclose(handle_);
    handle_ = nullptr;
  }

  const tenon_plugin_entry* entry() const {
    return static_cast<const tenon_plugin_entry*>(dlsym(handle_, TENON_ENTRY_SYMBOL));
  }

  /// Whether the loader still maps it: dlclose says 0 either way.
  bool is_mapped() const {
    std::pair<const std::string*, bool> search(&path_, false);
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* data) {
          auto& found = *static_cast<std::pair<const std::string*, bool>*>(data);
          found.second = found.second || *found.first == info->dlpi_name;
          return 0;
        },
        &search);
    return search.second;
  }

 private:
  std::string path_;
  void* handle_ = nullptr;
};

}  // namespace tenon::test
