#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "blobs/blob_sweeper.hpp"
#include "blobs/tests/support.hpp"

namespace tenon::blobs {
namespace {

using test::BlobStorage;
using test::code_of;
using test::day_ms;

class BlobsTest : public data::test::EachEngine {};
class BlobSweeperTest : public data::test::EachEngine {};

TEST_P(BlobsTest, KeepsWhatIsWrittenUnderItsHash) {
  BlobStorage storage;
  const auto writer = storage.blobs->create("notes");
  writer->write("hel");
  writer->write("lo");
  const Blob blob = writer->finish();
  EXPECT_EQ(blob.id, base::sha256_hex("hello"));
  EXPECT_EQ(blob.bytes, 5U);
  EXPECT_EQ(blob.type, "");
  EXPECT_EQ(blob.created_ms, storage.now.load());
  EXPECT_EQ(storage.content(blob.id), "hello");
  EXPECT_TRUE(std::filesystem::exists(storage.path_of(blob.id)));
  storage.restart();
  EXPECT_EQ(storage.content(blob.id), "hello");
  EXPECT_EQ(storage.files(), 1U);
}

TEST_P(BlobsTest, AnEmptyBlobIsOneToo) {
  BlobStorage storage;
  const Blob blob = storage.blobs->create("notes")->finish();
  EXPECT_EQ(blob.id, base::sha256_hex(""));
  EXPECT_EQ(storage.content(blob.id), "");
}

TEST_P(BlobsTest, TheSameContentTwiceIsOneFile) {
  BlobStorage storage;
  const Blob first = storage.put("twice");
  const std::uint64_t used = storage.blobs->used("notes");
  EXPECT_EQ(storage.put("twice").id, first.id);
  EXPECT_EQ(storage.files(), 1U);
  EXPECT_EQ(storage.blobs->used("notes"), used);
}

TEST_P(BlobsTest, WritingAgainRepairsADamagedFile) {
  BlobStorage storage;
  const Blob blob = storage.put("whole");
  std::ofstream(storage.path_of(blob.id)) << "brok";
  EXPECT_EQ(code_of([&] { storage.blobs->open("notes", blob.id); }), "503 blobs.damaged");
  storage.put("whole");
  EXPECT_EQ(storage.content(blob.id), "whole");
  std::filesystem::remove(storage.path_of(blob.id));
  EXPECT_EQ(code_of([&] { storage.blobs->open("notes", blob.id); }), "503 blobs.damaged");
}

TEST_P(BlobsTest, APluginReachesItsOwnOnly) {
  BlobStorage storage;
  const Blob blob = storage.put("mine", "notes");
  EXPECT_FALSE(storage.blobs->find("tasks", blob.id));
  EXPECT_EQ(code_of([&] { storage.blobs->open("tasks", blob.id); }), "404 blobs.not_found");
  EXPECT_EQ(code_of([&] { storage.blobs->claim("tasks", blob.id, "a"); }), "404 blobs.not_found");
  storage.put("mine", "tasks");
  EXPECT_EQ(storage.files(), 2U);
  storage.blobs->claim("tasks", blob.id, "a");
  storage.now += day_ms + 1;
  EXPECT_EQ(storage.blobs->sweep(), 1U);
  EXPECT_FALSE(storage.blobs->find("notes", blob.id));
  EXPECT_TRUE(storage.blobs->find("tasks", blob.id));
}

TEST_P(BlobsTest, WhatIsNoIdReachesNoFile) {
  BlobStorage storage;
  storage.put("x");
  for (const std::string& bad :
       {std::string("../../tenon.db"), std::string(), std::string(64, '/')}) {
    EXPECT_FALSE(storage.blobs->find("notes", bad));
    EXPECT_EQ(code_of([&] { storage.blobs->open("notes", bad); }), "404 blobs.not_found");
    EXPECT_EQ(code_of([&] { storage.blobs->claim("notes", bad, "a"); }), "404 blobs.not_found");
  }
}

TEST_P(BlobsTest, RemovesOnlyUnclaimedBlobsAfterTheGracePeriod) {
  BlobStorage storage;
  const Blob claimed = storage.put("claimed");
  const Blob unclaimed = storage.put("unclaimed");
  storage.blobs->claim("notes", claimed.id, "notes/1");
  storage.blobs->claim("notes", claimed.id, "notes/1");
  storage.blobs->claim("notes", claimed.id, "notes/2");
  EXPECT_EQ(storage.blobs->find("notes", claimed.id)->claims, 2U);
  storage.now += day_ms;
  EXPECT_EQ(storage.blobs->sweep(), 0U);
  storage.now += 1;
  EXPECT_EQ(storage.blobs->sweep(), 1U);
  EXPECT_FALSE(storage.blobs->find("notes", unclaimed.id));
  EXPECT_FALSE(std::filesystem::exists(storage.path_of(unclaimed.id)));
  storage.now += 1000 * day_ms;
  EXPECT_EQ(storage.blobs->sweep(), 0U);

  storage.blobs->release("notes", claimed.id, "notes/1");
  storage.now += 2 * day_ms;
  EXPECT_EQ(storage.blobs->sweep(), 0U);
  storage.blobs->release("notes", claimed.id, "notes/2");
  EXPECT_EQ(storage.blobs->sweep(), 0U) << "the grace period begins when the last claim ends";
  storage.now += day_ms + 1;
  EXPECT_EQ(storage.blobs->sweep(), 1U);
  EXPECT_EQ(storage.files(), 0U);
  EXPECT_EQ(storage.blobs->used("notes"), 0U);
}

TEST_P(BlobsTest, WritingAgainRestartsTheGracePeriod) {
  BlobStorage storage;
  const Blob blob = storage.put("again");
  storage.now += day_ms;
  storage.put("again");
  storage.now += day_ms;
  EXPECT_EQ(storage.blobs->sweep(), 0U);
  EXPECT_EQ(storage.content(blob.id), "again");
}

TEST_P(BlobsTest, AKeyReleasesAllItsClaims) {
  BlobStorage storage;
  const Blob first = storage.put("first");
  const Blob second = storage.put("second");
  storage.blobs->claim("notes", first.id, "notes/1");
  storage.blobs->claim("notes", second.id, "notes/1");
  storage.blobs->claim("notes", second.id, "notes/2");
  storage.blobs->release_all("notes", "notes/1");
  storage.blobs->release_all("notes", "notes/1");
  EXPECT_EQ(storage.blobs->find("notes", first.id)->claims, 0U);
  EXPECT_EQ(storage.blobs->find("notes", second.id)->claims, 1U);
}

TEST_P(BlobsTest, ListsAndAddsClaimsOfAPlugin) {
  BlobStorage storage;
  const std::string one = storage.put("one").id;
  const std::string two = storage.put("two").id;
  storage.put("unclaimed");
  storage.blobs->claim("tasks", storage.put("other", "tasks").id, "a");
  const std::vector<Blobs::Claim> claims{{one, "a"}, {two, "b"}, {one, "c"}};
  storage.blobs->claim_all("notes", claims);
  EXPECT_EQ(storage.blobs->total_claimed("notes").count, 2U);
  EXPECT_EQ(storage.blobs->total_claimed("notes").bytes, 6U);
  EXPECT_EQ(storage.blobs->total_claimed("unknown").count, 0U);

  const auto first = storage.blobs->all_claims("notes", {}, 2);
  ASSERT_EQ(first.size(), 2U);
  const auto last = storage.blobs->all_claims("notes", first.back(), 2);
  ASSERT_EQ(last.size(), 1U);
  EXPECT_EQ(first[0].key + first[1].key + last[0].key, "abc");
  EXPECT_EQ(last[0].blob, one);
  const auto ids = storage.blobs->claimed("notes", "", 1);
  ASSERT_EQ(ids.size(), 1U);
  EXPECT_EQ(ids[0], std::min(one, two));
  EXPECT_EQ(storage.blobs->claimed("notes", ids[0], 9), std::vector{std::max(one, two)});

  // All or none.
  EXPECT_EQ(code_of([&] {
              storage.blobs->claim_all("notes", {{one, "d"}, {std::string(64, '0'), "d"}});
            }),
            "404 blobs.not_found");
  EXPECT_EQ(code_of([&] {
              storage.blobs->claim_all("notes", {{one, "d"}, {two, ""}});
            }),
            "422 blobs.key_invalid");
  EXPECT_EQ(storage.blobs->all_claims("notes", {}, 9).size(), 3U);
}

TEST_P(BlobsTest, ReleasesLaterWithoutAWait) {
  BlobStorage storage;
  const std::string one = storage.put("one").id;
  const std::string two = storage.put("two").id;
  storage.blobs->claim("notes", one, "a");
  storage.blobs->claim("notes", one, "b");
  storage.blobs->claim("notes", two, "a");
  storage.blobs->release_later("notes", {{one, "a"}, {two, "a"}, {two, "never"}});
  storage.blobs->release_later("notes", {});
  storage.database->write([](data::Transaction&) {});  // is written after it
  EXPECT_EQ(storage.blobs->find("notes", one)->claims, 1U);
  EXPECT_EQ(storage.blobs->find("notes", two)->claims, 0U);
}

TEST_P(BlobsTest, BoundsKeys) {
  BlobStorage storage;
  const Blob blob = storage.put("x");
  storage.blobs->claim("notes", blob.id, std::string(max_key_bytes, 'k'));
  for (const std::string& bad : {std::string(), std::string(max_key_bytes + 1, 'k'),
                                 std::string("a\nb"), std::string("\xff")}) {
    EXPECT_EQ(code_of([&] { storage.blobs->claim("notes", blob.id, bad); }),
              "422 blobs.key_invalid");
    EXPECT_EQ(code_of([&] { storage.blobs->release("notes", blob.id, bad); }),
              "422 blobs.key_invalid");
  }
}

TEST_P(BlobsTest, BoundsTheClaimsOfAKey) {
  BlobStorage storage;
  const Blob blob = storage.put("x");
  // As many blobs, without as many syncs.
  storage.database->write([&](data::Transaction& transaction) {
    for (std::size_t i = 0; i < max_claims; ++i) {
      const std::string id = base::sha256_hex(std::to_string(i));
      transaction.exec("INSERT INTO blobs_files VALUES ('notes', ?1, 1, '', 0, 0)", {id});
      transaction.exec("INSERT INTO blobs_claims VALUES ('notes', 'many', ?1)", {id});
    }
  });
  EXPECT_EQ(code_of([&] { storage.blobs->claim("notes", blob.id, "many"); }),
            "422 blobs.too_many_claims");
  EXPECT_EQ(storage.blobs->find("notes", blob.id)->claims, 0U);
}

TEST_P(BlobsTest, BoundsABlobAndThePlugin) {
  BlobStorage storage({.blob = 10, .plugin = 25, .uploads = 16, .grace_period = {}, .upload = {}});
  storage.put("0123456789");
  EXPECT_EQ(code_of([&] { storage.put("0123456789a"); }), "413 blobs.too_large");
  EXPECT_EQ(storage.blobs->used("notes"), 10U);
  storage.put("abcdefghij");
  EXPECT_EQ(code_of([&] { storage.put("ABCDEF"); }), "507 blobs.quota");
  storage.put("ABCDE");
  storage.put("ABCDE", "tasks");
  storage.restart();
  EXPECT_EQ(storage.blobs->used("notes"), 25U);
  EXPECT_EQ(code_of([&] { storage.put("F"); }), "507 blobs.quota");
  EXPECT_EQ(storage.files(), 4U);
  // A refused blob takes no space, and a swept one frees its space.
  storage.now += 1;
  EXPECT_EQ(storage.blobs->sweep(), 4U);
  storage.put("F");
}

TEST_P(BlobsTest, AFailedWriterTakesNoMore) {
  BlobStorage storage({.blob = 4, .plugin = 100, .uploads = 16, .grace_period = {}, .upload = {}});
  const auto writer = storage.blobs->create("notes");
  writer->write("1234");
  EXPECT_EQ(code_of([&] { writer->write("5"); }), "413 blobs.too_large");
  EXPECT_EQ(code_of([&] { writer->write(""); }), "409 blobs.write_failed");
  EXPECT_EQ(code_of([&] { writer->finish(); }), "409 blobs.write_failed");
}

TEST_P(BlobsTest, RemovesAbandonedDrafts) {
  BlobStorage storage;
  { storage.blobs->create("notes")->write("abandoned"); }
  EXPECT_EQ(storage.files(), 0U);
  EXPECT_EQ(storage.blobs->used("notes"), 0U);
  std::ofstream(storage.folder + "/blobs/notes/tmp/left") << "left";
  storage.restart();
  EXPECT_EQ(storage.files(), 0U);
}

TEST_P(BlobsTest, StraysAreSweptAndAcknowledgedBlobsAreNot) {
  BlobStorage storage;
  const Blob blob = storage.put("acknowledged");
  const std::string stray = base::sha256_hex("stray");
  std::filesystem::create_directories(storage.folder + "/blobs/notes/" + stray.substr(0, 2));
  std::ofstream(storage.path_of(stray)) << "stray";
  std::ofstream(storage.folder + "/blobs/notes/" + stray.substr(0, 2) + "/README") << "no blob";
  EXPECT_EQ(storage.blobs->sweep_strays(), 1U);
  EXPECT_EQ(storage.content(blob.id), "acknowledged");
  EXPECT_EQ(storage.files(), 2U);
}

TEST_P(BlobsTest, KeepsAnOpenBlobReadableWhenSwept) {
  BlobStorage storage;
  const Blobs::Opened opened = storage.blobs->open("notes", storage.put("open").id);
  storage.now += day_ms + 1;
  EXPECT_EQ(storage.blobs->sweep(), 1U);
  std::string text(4, '\0');
  EXPECT_EQ(opened.content->read(0, text.data(), 4), 4U);
  EXPECT_EQ(text, "open");
  EXPECT_EQ(opened.content->read(4, text.data(), 4), 0U);
}

TEST_P(BlobsTest, ConcurrentWritersAndSweepsKeepContentWhole) {
  BlobStorage storage(
      {.blob = 100, .plugin = 1'000'000, .uploads = 1, .grace_period = {}, .upload = {}});
  std::atomic<bool> is_done{false};
  std::thread sweeper([&] {
    while (!is_done) {
      storage.now += 10;
      storage.blobs->sweep();
      storage.blobs->sweep_strays();
    }
  });
  std::vector<std::thread> writers;
  for (int t = 0; t < 4; ++t) {
    writers.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        const Blob blob = storage.put("contended");
        try {
          EXPECT_EQ(storage.content(blob.id), "contended");
        } catch (const base::Error& error) {
          EXPECT_EQ(error.code(), "blobs.not_found");
        }
      }
    });
  }
  for (std::thread& writer : writers)
    writer.join();
  is_done = true;
  sweeper.join();
  storage.now += 10;
  storage.blobs->sweep();
  EXPECT_EQ(storage.files(), 0U);
  EXPECT_EQ(storage.blobs->used("notes"), 0U);
}

TEST_P(BlobSweeperTest, SweepsByItself) {
  BlobStorage storage(
      {.blob = 100, .plugin = 1000, .uploads = 4, .grace_period = {}, .upload = {}});
  storage.put("unclaimed");
  const std::string stray = base::sha256_hex("stray");
  std::filesystem::create_directories(storage.folder + "/blobs/notes/" + stray.substr(0, 2));
  std::ofstream(storage.path_of(stray)) << "stray";
  storage.begin(10);
  storage.now += 1;
  const BlobSweeper keeper(*storage.blobs, *storage.uploads);
  while (storage.files() != 0)
    std::this_thread::yield();
}

TENON_ON_BOTH_ENGINES(BlobsTest);
TENON_ON_BOTH_ENGINES(BlobSweeperTest);

}  // namespace
}  // namespace tenon::blobs
