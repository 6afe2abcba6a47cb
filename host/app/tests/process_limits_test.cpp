#include "app/supervisor/process_limits.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace tenon::app {
namespace {

// A file of some pages in memory, as a library is.
class ReleaseCode : public testing::Test {
 protected:
  ~ReleaseCode() override {
    if (pages_ != nullptr) ::munmap(pages_, size_);
    std::filesystem::remove(path_);
  }
  void map(int protection) {
    std::ofstream(path_) << std::string(size_, 'a');
    const int file = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    void* const pages = ::mmap(nullptr, size_, protection, MAP_PRIVATE, file, 0);
    ::close(file);
    ASSERT_NE(pages, MAP_FAILED);
    pages_ = static_cast<char*>(pages);
    EXPECT_EQ(std::count(pages_, pages_ + size_, 'a'), static_cast<std::ptrdiff_t>(size_));
  }
  // Bytes of it that this process has in memory.
  std::size_t resident() const {
    std::ostringstream begin;
    begin << std::hex << reinterpret_cast<std::uintptr_t>(pages_) << '-';
    std::ifstream mappings("/proc/self/smaps");
    bool is_found = false;
    for (std::string line; std::getline(mappings, line);) {
      is_found = is_found || line.starts_with(begin.str());
      if (is_found && line.starts_with("Rss:")) return std::stoul(line.substr(4)) * 1024;
    }
    ADD_FAILURE() << "no mapping begins at " << begin.str();
    return 0;
  }

  const std::string path_ = testing::TempDir() + "release_code." + std::to_string(::getpid());
  const std::size_t size_ = std::size_t{4} * static_cast<std::size_t>(::getpagesize());
  char* pages_ = nullptr;
};

TEST_F(ReleaseCode, ReleasesReadOnlyPages) {
  map(PROT_READ | PROT_EXEC);
  EXPECT_EQ(resident(), size_);
  release_code();
  EXPECT_EQ(resident(), 0U);
  EXPECT_EQ(pages_[0], 'a');
}

// As a debugger's breakpoint is, or an address that a library was relocated to.
TEST_F(ReleaseCode, KeepsWhatWasWrittenBefore) {
  map(PROT_READ);
  ASSERT_EQ(::mprotect(pages_, size_, PROT_READ | PROT_WRITE), 0);
  pages_[0] = 'b';
  ASSERT_EQ(::mprotect(pages_, size_, PROT_READ | PROT_EXEC), 0);
  release_code();
  EXPECT_EQ(pages_[0], 'b');
}

TEST_F(ReleaseCode, KeepsWhatMayBeWrittenTo) {
  map(PROT_READ | PROT_WRITE);
  pages_[0] = 'b';
  release_code();
  EXPECT_EQ(pages_[0], 'b');
  EXPECT_EQ(resident(), size_);
}

}  // namespace
}  // namespace tenon::app
