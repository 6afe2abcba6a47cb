#pragma once

#include <array>

namespace tenon::app {

/// A user that `tenon dev` creates in the data directory of a plugin's folder.
struct SampleUser {
  const char* login;
  const char* role;
  const char* name;
};

inline constexpr std::array<SampleUser, 3> sample_users{{{"ada", "admin", "Ada Keller"},
                                                         {"ben", "member", "Ben Okafor"},
                                                         {"cleo", "member", "Cleo Marchetti"}}};

/// The password of all of them.
inline constexpr const char* sample_password = "demo-demo-demo";

}  // namespace tenon::app
