#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lifecycle/discovery.hpp"
#include "packages/installed/public_path_store.hpp"
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
                     ///< "header:Access-Control-Allow-Origin", "outgoing:https://api.example.com",
                     ///< "public_path:/s"
  std::string message;  ///< one sentence: what would be different
};

/// The effects of installing a package here, and the reasons against it.
struct PackagePlan {
  std::string id;
  std::string name;
  ChangeKind kind = ChangeKind::install;
  std::string from;  ///< version that is there; empty: none
  std::string to;
  std::string package;      ///< BLAKE2b-512 of FILES in hexadecimal: names these very files
  std::string signer;       ///< number of the key; empty if it is unsigned
  std::string signer_name;  ///< as the keyring has it
  Trust trust = Trust::unknown;
  std::uint64_t packed_bytes = 0;
  std::uint64_t unpacked_bytes = 0;
  std::vector<DeclaredPermission> permissions;
  std::vector<std::string> new_permissions;      ///< ids that the present version lacks
  std::vector<std::string> gone_permissions;     ///< ids that only the present version has
  std::vector<std::string> response_headers;     ///< policy headers that its responses may have
  std::vector<std::string> outgoing;             ///< servers that it may send requests to
  std::vector<DeclaredPublicPath> public_paths;  ///< that it asks for
  std::vector<std::string> new_public_paths;     ///< those that the installation grants
  std::vector<Requirement> requirements;
  std::vector<Consent> consents;           ///< to be given; empty: none is needed
  std::vector<Reason> refusals;            ///< empty: it can be done
  std::optional<data::schema::Plan> data;  ///< the effects on its data, if they could be planned
};

/// The state of the installation against which a package is checked.
struct InstallContext {
  std::vector<DiscoveredPlugin> plugins;      ///< all present plugins
  std::vector<std::string> disabled;          ///< ids of those that do not run by the admin's will
  std::vector<PublicPathGrant> public_paths;  ///< all grants
  std::string pin;                            ///< key of the plugin's packages so far; may be empty
  std::string package;  ///< PackagePlan::package of the present version; empty: not from a package
  std::optional<KnownKey> key;  ///< of the signer, if the keyring has it
};

/// Plans the installation of a package from its contents; reads neither disk nor database.
/// `contents` may be those of a package whose signature was not checked. Throws the refusal of
/// plugin.json.
PackagePlan plan_package(const Archive& archive, const Contents& contents,
                         const InstallContext& context);

/// Throws the first refusal of the plan; 409 "plugins.consent_required", whose fields are the
/// consents that are missing, unless `given` has all of them.
void require_consent(const PackagePlan& plan, const std::vector<std::string>& given);

}  // namespace tenon::plugins
