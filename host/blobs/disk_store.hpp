#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "blobs/content_store.hpp"

namespace tenon::data {
class SpaceReserve;
}

namespace tenon::blobs {

/// Blobs as files: `<folder>/<plugin>/ab/cdef…` (the id, split after two digits), drafts in
/// `<folder>/<plugin>/tmp` and `…/uploads`. The file system must have hard links.
class DiskStore final : public ContentStore {
 public:
  /// `folder` is made when it is first needed; the one above it must exist.
  /// `reserve`: of its disk; while it is released no file grows. null: none.
  explicit DiskStore(std::string folder, std::shared_ptr<data::SpaceReserve> reserve = nullptr)
      : folder_(std::move(folder)), reserve_(std::move(reserve)) {}

  std::unique_ptr<Draft> begin(const std::string& plugin, DraftKind kind,
                               const std::string& name) override;
  std::unique_ptr<Draft> resume(const std::string& plugin, const std::string& name,
                                std::uint64_t bytes) override;
  std::optional<std::uint64_t> draft_size(const std::string& plugin,
                                          const std::string& name) override;
  void remove_draft(const std::string& plugin, DraftKind kind, const std::string& name) override;
  std::vector<std::string> drafts(const std::string& plugin, DraftKind kind) override;
  void publish(const std::string& plugin, const Draft& draft, const std::string& id) override;
  std::shared_ptr<const Content> open(const std::string& plugin, const std::string& id) override;
  void remove(const std::string& plugin, const std::string& id) override;
  std::vector<std::string> plugins() override;
  void for_each(const std::string& plugin,
                const std::function<void(const std::string& id)>& visit) override;

 private:
  std::string plugin_folder(const std::string& plugin) const { return folder_ + "/" + plugin; }
  std::string draft_folder(const std::string& plugin, DraftKind kind) const;
  /// Makes a folder and those above it, up to `folder_`, each on disk at the return.
  void make_folder(const std::string& path);

  const std::string folder_;
  const std::shared_ptr<data::SpaceReserve> reserve_;
  std::mutex mutex_;
  std::set<std::string> made_;  ///< folders that are there and on disk
};

/// The path of a blob below its plugin's folder: "ab/cdef…".
std::string blob_path(const std::string& id);

}  // namespace tenon::blobs
