#include <csignal>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "base/ids.hpp"
#include "blobs/tests/support.hpp"

namespace tenon::blobs {
namespace {

using test::BlobStorage;
using test::code_of;
namespace fs = std::filesystem;

// No file of this process may grow beyond so many bytes: the write that would fails half-way, as on
// a disk that fills up.
class SmallFiles {
 public:
  explicit SmallFiles(rlim_t bytes) {
    before_handler_ = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SmallFiles() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, before_handler_);
  }
  SmallFiles(const SmallFiles&) = delete;
  SmallFiles& operator=(const SmallFiles&) = delete;

 private:
  rlimit before_{};
  void (*before_handler_)(int) = nullptr;
};

constexpr std::size_t mib = 1024 * 1024;

TEST(DiskFaultsTest, ReportsAFullDiskAndDropsTheBlob) {
  BlobStorage storage;
  const Blob before = storage.put("before");
  {
    const SmallFiles limit(4 * mib);
    EXPECT_EQ(code_of([&] { storage.put(std::string(5 * mib, 'x')); }), "507 blobs.disk_full");
  }
  EXPECT_EQ(storage.files(), 1U);
  EXPECT_EQ(storage.blobs->used("notes"), before.bytes);
  EXPECT_EQ(storage.content(storage.put(std::string(5 * mib, 'x')).id).size(), 5 * mib);
}

TEST(DiskFaultsTest, ResumesAnUploadOnceTheDiskHasSpace) {
  BlobStorage storage;
  const std::string whole(5 * mib, 'u');
  const Upload upload = storage.begin(whole.size());
  {
    const SmallFiles limit(4 * mib);
    EXPECT_EQ(code_of([&] { storage.append(upload.id, 0, whole); }), "507 blobs.disk_full");
  }
  const std::uint64_t offset = storage.uploads->find("notes", "ada", upload.id).offset;
  EXPECT_EQ(offset, 4 * mib);
  EXPECT_EQ(storage.append(upload.id, offset, whole.substr(offset)).blob->id,
            base::sha256_hex(whole));
}

TEST(DiskFaultsTest, ReportsAFolderThatCannotBeUsed) {
  BlobStorage storage;
  fs::create_directories(storage.folder + "/blobs");
  std::ofstream(storage.folder + "/blobs/notes") << "a file instead of a folder";
  EXPECT_EQ(code_of([&] { storage.put("x"); }), "503 blobs.io");
  EXPECT_EQ(code_of([&] { storage.begin(10); }), "503 blobs.io");
  EXPECT_EQ(storage.blobs->used("notes"), 0U);
  fs::remove(storage.folder + "/blobs/notes");
  storage.put("x");
}

TEST(DiskFaultsTest, DropsABlobThatCannotBeRenamed) {
  BlobStorage storage;
  const std::string id = base::sha256_hex("x");
  // A folder where the file is to be: rename(2) refuses.
  fs::create_directories(storage.path_of(id) + "/in the way");
  EXPECT_EQ(code_of([&] { storage.put("x"); }), "503 blobs.io");
  EXPECT_FALSE(storage.blobs->find("notes", id));
  EXPECT_EQ(storage.files(), 0U);
  EXPECT_EQ(storage.blobs->used("notes"), 0U);
}

}  // namespace
}  // namespace tenon::blobs
