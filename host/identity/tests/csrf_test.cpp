#include "identity/sessions/csrf.hpp"

#include <gtest/gtest.h>

namespace tenon::identity {

// The table of Go's net/http csrf_test.go, and cases of our own.
TEST(Csrf, FollowsSecFetchSiteThenOrigin) {
  struct Case {
    const char* name;
    RequestOrigin request;
    bool allowed;
  };
  const Case cases[] = {
      {"same-origin", {"POST", "same-origin", "", "example.com"}, true},
      {"same-origin with null origin", {"POST", "same-origin", "null", "example.com"}, true},
      {"none: typed by the user", {"POST", "none", "", "example.com"}, true},
      {"same-site is another site", {"POST", "same-site", "", "example.com"}, false},
      {"cross-site", {"POST", "cross-site", "", "example.com"}, false},
      {"cross-site though the origin fits",
       {"POST", "cross-site", "https://example.com", "example.com"},
       false},
      {"unknown value", {"POST", "same-planet", "", "example.com"}, false},
      {"cross-site GET", {"GET", "cross-site", "", "example.com"}, true},
      {"cross-site HEAD", {"HEAD", "cross-site", "https://evil.example", "example.com"}, true},
      {"cross-site OPTIONS", {"OPTIONS", "cross-site", "", "example.com"}, true},
      {"cross-site PUT", {"PUT", "cross-site", "", "example.com"}, false},
      {"cross-site DELETE", {"DELETE", "cross-site", "", "example.com"}, false},
      {"lower-case get is not safe", {"get", "cross-site", "", "example.com"}, false},
      {"no headers: no browser", {"POST", "", "", "example.com"}, true},
      {"matching origin", {"POST", "", "https://example.com", "example.com"}, true},
      {"matching origin in other case", {"POST", "", "https://EXAMPLE.com", "example.COM"}, true},
      {"matching origin with port",
       {"POST", "", "http://example.com:8080", "example.com:8080"},
       true},
      {"other port", {"POST", "", "http://example.com:8081", "example.com:8080"}, false},
      {"other host", {"POST", "", "https://attacker.example", "example.com"}, false},
      {"host as a prefix", {"POST", "", "https://example.com.evil.example", "example.com"}, false},
      {"host as a suffix", {"POST", "", "https://evil-example.com", "example.com"}, false},
      {"user information", {"POST", "", "https://example.com@evil.example", "example.com"}, false},
      {"null origin", {"POST", "", "null", "example.com"}, false},
      {"origin without scheme", {"POST", "", "example.com", "example.com"}, false},
      {"empty host", {"POST", "", "https://", ""}, false},
  };
  for (const Case& one : cases)
    EXPECT_EQ(is_same_origin(one.request), one.allowed) << one.name;
}

}  // namespace tenon::identity
