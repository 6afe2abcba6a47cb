#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace tenon::plugins {

/// The bounds of a registry, tested and named in the room's README. They hold for makers and for
/// readers of an index.
struct RegistryLimits {
  static constexpr std::size_t index = 8 * 1024 * 1024;  ///< bytes of index.json
  static constexpr int depth = 8;                        ///< nested arrays and objects of it
  static constexpr std::size_t plugins = 2'000;
  static constexpr std::size_t versions = 100;        ///< of one plugin
  static constexpr std::size_t keys = 500;            ///< of signers
  static constexpr std::size_t architectures = 16;    ///< of one version
  static constexpr std::size_t changelog = 16'384;    ///< bytes of the changelog of one version
  static constexpr std::size_t changes = 256 * 1024;  ///< bytes of CHANGELOG.md
  static constexpr std::size_t screenshots = 8;       ///< of one version
  static constexpr std::size_t screenshot = 2 * 1024 * 1024;  ///< bytes
  /// The largest number that every reader of JSON takes exactly: 2^53 - 1.
  static constexpr std::uint64_t serial = 9'007'199'254'740'991;
  static constexpr std::size_t query = 200;  ///< bytes of what is searched for
  static constexpr std::size_t words = 10;   ///< of it; further ones are left out
  static constexpr int folders = 8;          ///< levels below a registry's folder

  static constexpr std::size_t url = 2'000;  ///< bytes
  static constexpr int redirects = 5;
  static constexpr std::chrono::seconds silence{10};    ///< while something is read
  static constexpr std::chrono::seconds refresh{20};    ///< for the index with its signature
  static constexpr std::chrono::seconds download{600};  ///< for one package
};

}  // namespace tenon::plugins
