#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lifecycle/discovery.hpp"
#include "packages/keyring/keyring.hpp"
#include "packages/manifest/manifest.hpp"
#include "packages/reason.hpp"
#include "schema/plan.hpp"

namespace tenon::plugins {

class Archive;
class Contents;

enum class ChangeKind : std::uint8_t { install, upgrade, downgrade, reinstall };

/// "install", "upgrade", "downgrade", "reinstall".
std::string_view to_string(ChangeKind kind) noexcept;

/// Something that an admin has to agree to by name before it happens.
struct Consent {
  std::string code;  ///< "signer", "downgrade", "replace", "isolation", "permission:notes.write",
                     ///< "header:Access-Control-Allow-Origin"
  std::string message;  ///< one sentence: what would be different
};

/// What installing a package would do here, and what speaks against it.
struct PackagePlan {
  std::string id;
  std::string name;
  ChangeKind kind = ChangeKind::install;
  std::string from;  ///< version that is there; empty: none
  std::string to;
  std::string package;      ///< BLAKE2b-512 of FILES in hexadecimal: names these very files
  std::string signer;       ///< number of the key; empty where nobody signed it
  std::string signer_name;  ///< as the keyring has it
  Trust trust = Trust::unknown;
  std::uint64_t packed_bytes = 0;
  std::uint64_t unpacked_bytes = 0;
  std::vector<DeclaredPermission> permissions;
  std::vector<std::string> new_permissions;   ///< ids that the version that is there has not
  std::vector<std::string> gone_permissions;  ///< ids that it has, and this one has not
  std::vector<std::string> response_headers;  ///< policy headers that its answers may have
  std::vector<Requirement> requirements;
  std::vector<Consent> consents;           ///< to be given; empty: it may be done at once
  std::vector<Reason> refusals;            ///< empty: it can be done
  std::optional<data::schema::Plan> data;  ///< what becomes of its data; where it could be asked
};

/// What is here, as far as a package is judged by it.
struct InstallContext {
  std::vector<DiscoveredPlugin> plugins;         ///< all that is there
  std::vector<std::string> disabled;  ///< ids of those that do not run by the admin's will
  std::string pin;                    ///< key of the plugin's packages so far; may be empty
  std::string package;  ///< PackagePlan::package of the version that is there; empty: no package's
  std::optional<KnownKey> key;  ///< of the signer, where the keyring has it
};

/// Judges a package by what stands in it; asks neither disk nor database. `contents` may be those
/// of a package whose signature nobody could check. Throws what reading plugin.json is refused
/// with.
PackagePlan judge_package(const Archive& archive, const Contents& contents,
                          const InstallContext& surroundings);

/// Throws the first refusal of the plan; 409 "plugins.consent_required", whose fields are the
/// consents that are missing, unless `given` has all of them.
void require_consent(const PackagePlan& plan, const std::vector<std::string>& given);

}  // namespace tenon::plugins
