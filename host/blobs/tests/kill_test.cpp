#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "base/ids.hpp"
#include "base/tests/sampling.hpp"
#include "blobs/sha256.hpp"
#include "blobs/tests/support.hpp"

namespace tenon::blobs {
namespace {

using test::BlobStorage;

constexpr const char* folder_variable = "TENON_BLOBS_KILL_FOLDER";
constexpr const char* traced_calls = "link,rename,unlink,mkdir,fsync,pwrite64,fdatasync";

std::string large(char letter) {
  return std::string(300'000, letter);
}

// The work of the process that is killed; it reports each line once it is acknowledged.
void work(BlobStorage& storage, std::ofstream& said) {
  const Blob written = storage.put(large('w'));
  said << "blob " << written.id << std::endl;
  storage.blobs->claim("notes", written.id, "notes/1");
  said << "claim " << written.id << std::endl;
  const Upload upload = storage.begin(600'000);
  said << "upload " << upload.id << std::endl;
  storage.append(upload.id, 0, large('u'));
  said << "half " << upload.id << std::endl;
  const Upload done = storage.append(upload.id, 300'000, large('v'));
  said << "blob " << done.blob->id << std::endl;
  said << "done " << upload.id << std::endl;
  storage.blobs->claim("notes", done.blob->id, "notes/2");
  said << "claim " << done.blob->id << std::endl;
  const Blob unclaimed = storage.put("unclaimed");
  said << "blob " << unclaimed.id << std::endl;
  storage.now += 48 * 3600 * 1000;
  storage.blobs->sweep();
  said << "swept " << unclaimed.id << std::endl;
}

// Run by the test below in a process of its own.
TEST(KillTest, DISABLED_Work) {
  const char* folder = std::getenv(folder_variable);
  ASSERT_NE(folder, nullptr);
  std::ofstream said(std::string(folder) + "/said");
  BlobStorage storage({}, folder);
  work(storage, said);
}

class Killed {
 public:
  Killed() : folder_(test::fresh_folder()) {
    std::filesystem::create_directories(folder_);
    const BlobStorage made({}, folder_);
  }
  ~Killed() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Killed(const Killed&) = delete;
  Killed& operator=(const Killed&) = delete;

  // The system calls of the work that change files, in their order.
  std::vector<std::string> calls() const {
    const std::string log = folder_ + "/calls";
    EXPECT_EQ(trace("-o '" + log + "' -e trace=" + traced_calls), 0);
    std::ifstream in(log);
    std::vector<std::string> found;
    for (std::string process, call; in >> process && std::getline(in >> std::ws, call);) {
      // A call that another thread interrupts has two lines.
      if (const auto end = call.find('('); end != std::string::npos && call[0] != '<')
        found.push_back(call.substr(0, end));
    }
    std::filesystem::remove(log);
    return found;
  }
  // False when the process came to its end before the call was made so often.
  bool run(const std::string& call, int when) const {
    const int status = trace("-o /dev/null -e trace=" + call + " -e inject=" + call +
                             ":signal=KILL:when=" + std::to_string(when));
    // strace ends by the signal of what it traced, and the shell says so in one way or the other.
    const bool was_killed = (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) ||
                            (WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGKILL);
    EXPECT_TRUE(was_killed || status == 0) << status;
    return was_killed;
  }

  void check() const {
    std::ifstream in(folder_ + "/said");
    std::set<std::string> blobs;
    std::set<std::string> swept;
    std::set<std::string> claims;
    std::set<std::string> uploads;
    std::set<std::string> halves;
    std::set<std::string> done;
    std::string what;
    std::string id;
    while (in >> what >> id) {
      if (what == "blob") blobs.insert(id);
      if (what == "claim") claims.insert(id);
      if (what == "upload") uploads.insert(id);
      if (what == "half") halves.insert(id);
      if (what == "done") done.insert(id);
      if (what == "swept") swept.insert(id);
    }
    BlobStorage storage({}, folder_);
    storage.blobs->sweep_strays();
    std::size_t drafts = 0;
    for (const std::string& upload : uploads) {
      Upload found = storage.uploads->find("notes", "ada", upload);
      if (found.blob) continue;
      EXPECT_FALSE(done.contains(upload));
      EXPECT_GE(found.offset, halves.contains(upload) ? 300'000U : 0U);
      // It continues from its offset to the right content.
      const std::string whole = large('u') + large('v');
      found = storage.append(upload, found.offset, whole.substr(found.offset));
      ASSERT_TRUE(found.blob);
      EXPECT_EQ(found.blob->id, base::sha256_hex(whole));
    }
    // An upload whose row was written and whose response was not has a draft until it expires.
    auto unfinished =
        storage.database->query("SELECT count(*) FROM blobs_uploads WHERE blob IS NULL");
    if (unfinished.next()) drafts = static_cast<std::size_t>(unfinished.integer(0));
    for (const std::string& claim : claims)
      EXPECT_TRUE(storage.blobs->find("notes", claim) &&
                  storage.blobs->find("notes", claim)->claims == 1);
    for (const std::string& blob : blobs) {
      // The last one may be on its way out.
      if (blob == base::sha256_hex("unclaimed")) continue;
      EXPECT_TRUE(storage.blobs->find("notes", blob));
    }
    for (const std::string& blob : swept)
      EXPECT_FALSE(storage.blobs->find("notes", blob));
    // All files there are complete blobs.
    std::set<std::string> present;
    {
      auto rows = storage.database->query("SELECT id FROM blobs_files");
      while (rows.next())
        present.insert(std::string(rows.text(0)));
    }
    for (const std::string& one : present)
      EXPECT_EQ(base::sha256_hex(storage.content(one)), one);
    EXPECT_EQ(storage.files(), present.size() + drafts);
  }

 private:
  // Runs DISABLED_Work under strace; the status of the shell.
  int trace(const std::string& options) const {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    // The leak check cannot look into a process that is traced.
    const std::string command =
        "env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX -u GTEST_OUTPUT " +
        std::string(folder_variable) + "='" + folder_ +
        "' ASAN_OPTIONS=detect_leaks=0 strace -f -qq " + options + " '" + self +
        "' --gtest_also_run_disabled_tests --gtest_filter=KillTest.DISABLED_Work "
        "> /dev/null 2>&1";
    return std::system(command.c_str());
  }

  const std::string folder_;
};

TEST(KillTest, LeavesWholeBlobsOrDrafts) {
  if (std::system("strace -o /dev/null true > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "strace is not installed or may not trace";
  SCOPED_TRACE(base::test::how_to_repeat());
  const std::vector<std::string> calls = Killed().calls();
  const base::test::SampledSteps steps(8);
  std::map<std::string, int> made;
  int next = steps.first();
  int kills = 0;
  for (int step = 0; step < static_cast<int>(calls.size()); ++step) {
    const std::string& call = calls[static_cast<std::size_t>(step)];
    const int when = ++made[call];
    if (step != next) continue;
    next += steps.interval();
    SCOPED_TRACE(call + " " + std::to_string(when));
    const Killed killed;
    kills += killed.run(call, when) ? 1 : 0;
    killed.check();
    if (HasFailure()) return;
  }
  EXPECT_GT(kills * steps.interval(), 30);
}

}  // namespace
}  // namespace tenon::blobs
