#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "packages/tests/raw_zip.hpp"
#include "registry/package_index.hpp"

namespace tenon::plugins::test {

/// The key whose number handmade indexes contain.
const SecretKey& signer();

/// A version by hand, for x86_64, ABI 0.10, host 0.8 or newer, that requires nothing.
IndexedVersion version_of(const std::string& id, const std::string& version);

/// A plugin with these versions, the newest first.
IndexedPlugin indexed(const std::string& id, std::initializer_list<const char*> versions);

/// Two plugins with everything that an index can say.
PackageIndex sample_index();

/// The bytes of a signed package whose id has six letters and whose version has five: a library of
/// the tests with its facts written over. The function sorts `files` among manifest
/// and library.
std::string signed_package(const std::string& id, const std::string& version, const SecretKey& key,
                           const std::vector<RawFile>& files = {}, const std::string& more = {});

/// So many bytes that begin as a picture does.
std::string png(std::size_t size = 100);

}  // namespace tenon::plugins::test
