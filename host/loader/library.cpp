#include "loader/library.hpp"

#define BOOST_DLL_USE_STD_FS
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include <boost/dll/shared_library.hpp>
#include <link.h>
#include <unistd.h>

#include "crash/running_calls.hpp"
#include "packages/reason.hpp"

namespace tenon::plugins {

namespace {

std::string_view view(tenon_span span) {
  return span.data ? std::string_view(span.data, span.size) : std::string_view();
}

// Boost puts the words of the dynamic loader in brackets after its own.
std::string loader_words(const std::string& what) {
  constexpr std::string_view mark = "dlerror system message: ";
  const std::size_t start = what.find(mark);
  if (start == std::string::npos) return what;
  std::string words = what.substr(start + mark.size());
  if (const std::size_t end = words.rfind(')'); end != std::string::npos) words.resize(end);
  return words;
}

void check_entry(const tenon_plugin_entry& entry, const LibraryFacts& facts,
                 const std::string& file) {
  const auto refuse = [&file](const char* code, std::string message) {
    throw Refusal({code, std::move(message), file, {}});
  };
  if (entry.magic != TENON_ENTRY_MAGIC)
    refuse("plugins.entry_invalid", "The entry does not begin with the magic number.");
  if (entry.size < TENON_NEED(tenon_plugin_entry, create)) {
    refuse("plugins.entry_invalid",
           "The entry says that it has " + std::to_string(entry.size) + " bytes; that is too few.");
  }
  check_abi(entry.abi_major, entry.needs_host_minor, file);
  if (entry.flags != 0)
    refuse("plugins.abi_too_new", "The entry has flags that this host does not know.");
  if (!entry.create) refuse("plugins.entry_invalid", "The entry has no create function.");
  if (view(entry.id) != facts.id || view(entry.version) != facts.version ||
      entry.abi_major != facts.abi_major || entry.abi_minor != facts.abi_minor ||
      entry.needs_host_minor != facts.needs_host_minor) {
    refuse("plugins.facts_mismatch",
           "The entry and the section " TENON_FACTS_SECTION
           " of the library differ in id, version or ABI; build it with tenon_add_plugin().");
  }
}

// The memory of a library; empty if it is not mapped.
struct Segments {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

Segments segments_of(const std::string& path) noexcept {
  struct Wanted {
    const std::string& path;
    Segments found;
  } wanted{path, {}};
  const auto look = [](dl_phdr_info* info, std::size_t, void* given) noexcept -> int {
    auto& sought = *static_cast<Wanted*>(given);
    if (!info->dlpi_name || sought.path != info->dlpi_name) return 0;
    std::uintptr_t begin = std::numeric_limits<std::uintptr_t>::max();
    std::uintptr_t end = 0;
    for (const ElfW(Phdr) & header : std::span(info->dlpi_phdr, info->dlpi_phnum)) {
      if (header.p_type != PT_LOAD) continue;
      begin = std::min<std::uintptr_t>(begin, info->dlpi_addr + header.p_vaddr);
      end = std::max<std::uintptr_t>(end, info->dlpi_addr + header.p_vaddr + header.p_memsz);
    }
    if (begin < end) sought.found = {begin, end};
    return 1;
  };
  ::dl_iterate_phdr(look, &wanted);
  return wanted.found;
}

}  // namespace

struct Library::Handle {
  boost::dll::shared_library library;
  Handle* next = nullptr;
  std::uintptr_t begin = 0;  ///< in memory; 0: not known
};

Library::Library(std::string path, const std::string& source, LibraryFacts facts)
    : path_(std::move(path)), facts_(std::move(facts)), handle_(std::make_unique<Handle>()) {
  const PluginName plugin(facts_.id);
  try {
    const RunningCall call(plugin.mark(Operation::load));
    handle_->library.load(path_,
                          boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
  } catch (const std::exception& failure) {
    throw Refusal({"plugins.load_failed",
                   "The library cannot be opened: " + loader_words(failure.what()) + ".",
                   source,
                   {}});
  }
  const Segments segments = segments_of(path_);
  handle_->begin = segments.begin;
  RunningCalls::add_module(plugin.number, segments.begin, segments.end);
  try {
    if (!handle_->library.has(TENON_ENTRY_SYMBOL)) {
      throw Refusal({"plugins.missing_symbol",
                     "The library does not export " TENON_ENTRY_SYMBOL ".",
                     source,
                     {}});
    }
    entry_ = &handle_->library.get<const tenon_plugin_entry>(TENON_ENTRY_SYMBOL);
    check_entry(*entry_, facts_, source);
  } catch (...) {
    close();
    throw;
  }
}

Library::~Library() {
  if (handle_) close();
}

bool Library::close(bool keeps_file) noexcept {
  entry_ = nullptr;
  const std::uintptr_t begin = handle_->begin;
  handle_.reset();
  if (is_mapped(path_)) return false;
  RunningCalls::remove_module(begin);
  if (!keeps_file) ::unlink(path_.c_str());
  return true;
}

void Library::leave_open() noexcept {
  // Reachable to the end and never destroyed: its code may run even then.
  static std::atomic<Handle*> left_open{nullptr};
  Handle* const handle = handle_.release();
  handle->next = left_open.exchange(handle);
}

bool is_mapped(const std::string& path) noexcept {
  const auto is_it = [](dl_phdr_info* info, std::size_t, void* wanted) noexcept -> int {
    return info->dlpi_name && *static_cast<const std::string*>(wanted) == info->dlpi_name;
  };
  return ::dl_iterate_phdr(is_it, const_cast<std::string*>(&path)) != 0;
}

}  // namespace tenon::plugins
