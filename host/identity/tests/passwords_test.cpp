#include "identity/users/passwords.hpp"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sodium.h>

#include "base/error.hpp"

namespace tenon::identity {

TEST(Passwords, AreHashedWithArgon2id) {
  Passwords passwords({});
  const std::string hash = passwords.hash("correct horse");
  EXPECT_TRUE(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$")) << hash;
  EXPECT_NE(hash, passwords.hash("correct horse")) << "each has a salt of its own";
  EXPECT_TRUE(passwords.verify(hash, "correct horse"));
  EXPECT_FALSE(passwords.verify(hash, "correct horsf"));
  EXPECT_FALSE(passwords.verify(hash, ""));
}

TEST(Passwords, MayHoldAnyBytes) {
  Passwords passwords({});
  const std::string with_nul("pass\0word", 9);
  const std::string hash = passwords.hash(with_nul);
  EXPECT_TRUE(passwords.verify(hash, with_nul));
  EXPECT_FALSE(passwords.verify(hash, "pass"));
  const std::string max_password(Passwords::max_bytes, '\xC3');
  EXPECT_TRUE(passwords.verify(passwords.hash(max_password), max_password));
}

TEST(Passwords, AreWrongForAnUnknownUser) {
  Passwords passwords({});
  EXPECT_FALSE(passwords.verify("", "correct horse"));
  EXPECT_FALSE(passwords.verify("", ""));
  EXPECT_FALSE(passwords.verify("no hash at all", "correct horse"));
}

TEST(Passwords, ChecksUnknownUsersLikeAnyOther) {
  Passwords passwords({});
  const std::string placeholder = placeholder_hash();
  const std::string real = passwords.hash("correct horse");
  EXPECT_EQ(placeholder.size(), real.size());
  const auto parameters = [](const std::string& hash) {
    const std::size_t salt = hash.rfind('$', hash.rfind('$') - 1);
    return hash.substr(0, salt);
  };
  EXPECT_EQ(parameters(placeholder), parameters(real));
  EXPECT_NE(placeholder, placeholder_hash());
  // Libsodium reads it as a hash of these costs; of what it cannot read it says -1 at once.
  EXPECT_EQ(crypto_pwhash_str_needs_rehash(placeholder.c_str(), 2, 19 * 1024 * 1024), 0);
  EXPECT_FALSE(passwords.verify(placeholder, "correct horse"));
}

TEST(Passwords, BoundsAStormAndRefusesTheRest) {
  Passwords passwords({.concurrent = 2, .waiting = 4});
  const std::string hash = passwords.hash("correct horse");
  std::atomic<int> right{0};
  std::atomic<int> busy{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 40; ++i) {
    threads.emplace_back([&] {
      try {
        if (passwords.verify(hash, "correct horse")) ++right;
      } catch (const base::Error& error) {
        EXPECT_EQ(error.status(), 503);
        EXPECT_EQ(error.code(), "identity.busy");
        ++busy;
      }
    });
  }
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(right + busy, 40);
  EXPECT_GE(right.load(), 6);
  EXPECT_LE(passwords.max_running(), 2U);
  EXPECT_EQ(passwords.running(), 0U);
}

TEST(Passwords, RefuseAtOnceWithoutAQueue) {
  Passwords passwords({.concurrent = 1, .waiting = 0});
  EXPECT_TRUE(passwords.verify(passwords.hash("correct horse"), "correct horse"));
}

}  // namespace tenon::identity
