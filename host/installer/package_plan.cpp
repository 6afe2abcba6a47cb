#include "installer/package_plan.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/join.hpp"
#include "loader/loader.hpp"
#include "packages/archive/archive.hpp"
#include "packages/archive/file_list.hpp"
#include "packages/archive/pack.hpp"
#include "packages/elf/elf_file.hpp"
#include "packages/elf/library_facts.hpp"
#include "packages/resolver/change_plan.hpp"

namespace tenon::plugins {

namespace {

bool is_duplicate(const DiscoveredPlugin& found) {
  return found.refused && found.refused->code == "plugins.duplicate_id";
}

const Manifest* find(const std::vector<DiscoveredPlugin>& plugins, const std::string& id) {
  for (const DiscoveredPlugin& one : plugins) {
    if (one.id == id && one.manifest && !is_duplicate(one)) return &*one.manifest;
  }
  return nullptr;
}

const DeclaredPermission* find_permission(const Manifest& manifest, const std::string& id) {
  for (const DeclaredPermission& one : manifest.permissions) {
    if (one.id == id) return &one;
  }
  return nullptr;
}

class PlanBuilder {
 public:
  PlanBuilder(const Archive& archive, const Contents& contents, const InstallContext& context)
      : archive_(archive),
        contents_(contents),
        here_(context),
        next_(manifest_of(contents, archive.file())),
        now_(find(context.plugins, next_.id)) {}

  PackagePlan build() {
    plan_.id = next_.id;
    plan_.name = next_.name;
    plan_.to = next_.version_text;
    plan_.package = hex_of(hash_of(archive_.list_text()));
    plan_.packed_bytes = archive_.packed_bytes();
    plan_.unpacked_bytes = archive_.unpacked_bytes();
    plan_.permissions = next_.permissions;
    plan_.response_headers = next_.response_headers;
    plan_.outgoing = next_.outgoing;
    plan_.public_paths = next_.public_paths;
    plan_.requirements = next_.requires_plugins;
    check_signer();
    check_version();
    check_permissions();
    check_response_headers();
    check_outgoing();
    check_public_paths();
    check_isolation();
    check_library();
    check_others();
    return std::move(plan_);
  }

 private:
  void refuse(const char* code, std::string message) {
    plan_.refusals.push_back({code, std::move(message), archive_.file(), {}});
  }
  void ask(std::string code, std::string message) {
    plan_.consents.push_back({std::move(code), std::move(message)});
  }

  void check_signer() {
    if (!archive_.signature()) {
      refuse("plugins.package_unsigned",
             "The package is not signed, so it cannot be installed. Its author can sign it: tenon "
             "plugin sign FILE --key KEY.");
      return;
    }
    plan_.signer = archive_.signature()->key_id();
    if (here_.key) {
      plan_.trust = here_.key->trust;
      plan_.signer_name = here_.key->name;
    }
    if (plan_.trust == Trust::revoked) {
      refuse("plugins.signer_revoked", "The key " + plan_.signer + " that signed it was revoked.");
    } else if (plan_.trust == Trust::unknown) {
      refuse("plugins.signer_unknown",
             "It is signed by the key " + plan_.signer +
                 ", which is not trusted here. Get the public key from its author, compare it with "
                 "what they publish, and trust it: tenon plugin trust KEY.pub.");
    }
    if (!here_.pin.empty() && here_.pin != plan_.signer) {
      ask("signer", "Packages of " + next_.name + " were signed by the key " + here_.pin +
                        " so far; this one is signed by " + plan_.signer + ".");
    }
  }

  void check_version() {
    if (now_ == nullptr) return;
    plan_.from = now_->version_text;
    if (next_.version < now_->version) {
      plan_.kind = ChangeKind::downgrade;
      ask("downgrade", "Version " + plan_.to + " is older than " + plan_.from +
                           ", which is there. To go back with the data of that time, roll back "
                           "instead.");
    } else {
      plan_.kind = now_->version < next_.version ? ChangeKind::upgrade : ChangeKind::reinstall;
    }
    const bool is_other = !here_.package.empty() && here_.package != plan_.package;
    if (plan_.kind == ChangeKind::reinstall && is_other)
      ask("replace", "Version " + plan_.to +
                         " is installed with other files. This package replaces them; a new "
                         "version number would distinguish the two.");
  }

  // A first installation needs no consent to single permissions.
  void check_permissions() {
    if (now_ == nullptr) return;
    for (const DeclaredPermission& one : now_->permissions) {
      if (find_permission(next_, one.id) == nullptr) plan_.gone_permissions.push_back(one.id);
    }
    for (const DeclaredPermission& one : next_.permissions) {
      const DeclaredPermission* before = find_permission(*now_, one.id);
      if (before == nullptr) {
        plan_.new_permissions.push_back(one.id);
        ask("permission:" + one.id,
            "It adds the permission \"" + one.id + "\" (" + one.title + "), given to " +
                (one.roles.empty() ? std::string("no role") : base::join(one.roles)) + ".");
        continue;
      }
      std::vector<std::string> added;
      for (const std::string& role : one.roles) {
        if (std::find(before->roles.begin(), before->roles.end(), role) == before->roles.end())
          added.push_back(role);
      }
      if (!added.empty())
        ask("permission:" + one.id, "It gives the permission \"" + one.id + "\" (" + one.title +
                                        ") to " + base::join(added) + ", too.");
    }
  }

  void check_response_headers() {
    if (now_ == nullptr) return;
    for (const std::string& one : next_.response_headers) {
      if (!now_->declares_header(one))
        ask("header:" + one, "Its responses may have the response header \"" + one +
                                 "\", by which a browser decides what other sites may do here.");
    }
  }

  void check_outgoing() {
    if (now_ == nullptr) return;
    for (const std::string& one : next_.outgoing) {
      if (!now_->declares_outgoing(one))
        ask("outgoing:" + one, "It may send requests to " + one + ", which it could not before.");
    }
  }

  // A first installation needs this consent, too: these paths belong to the whole server.
  void check_public_paths() {
    for (const DeclaredPublicPath& one : next_.public_paths) {
      if (now_ != nullptr && now_->declares_public_path(one.path)) continue;
      if (const PublicPathGrant* taken = find_conflict(here_.public_paths, next_.id, one.path)) {
        refuse("plugins.public_path_taken", describe_conflict(*taken, one.path));
        continue;
      }
      plan_.new_public_paths.push_back(one.path);
      ask("public_path:" + one.path,
          "It is served to everyone at " + one.path + " of this server (" + one.title + ").");
    }
  }

  void check_isolation() {
    if (next_.isolation == Isolation::required)
      plan_.refusals.push_back(isolation_unavailable(archive_.file()));
    if (now_ == nullptr || next_.isolation >= now_->isolation) return;
    ask("isolation", "It asks for less isolation from the host than the version that is there.");
  }

  void check_library() {
    try {
      for (const ListedFile& file : archive_.files())
        require_declared(next_, file.name, file.name);
    } catch (const Refusal& refusal) {
      plan_.refusals.push_back(refusal.reason());
    }
    if (!next_.has_library) return;
    const std::string file = library_path(next_.id);
    if (!contents_.has(file)) {
      refuse("plugins.wrong_architecture", "The package has no library for " +
                                               std::string(host_architecture()) + " (" + file +
                                               ").");
      return;
    }
    try {
      check_abi(next_.abi_major, 0, archive_.file());
      const std::string library = contents_.read(file, Loader::max_library_bytes);
      inspect_library(next_, std::as_bytes(std::span(library)), file);
    } catch (const Refusal& refusal) {
      plan_.refusals.push_back(refusal.reason());
    }
  }

  // Checks its conflicts with plugins that run, as if it were enabled.
  void check_others() {
    std::vector<Candidate> installed;
    for (const DiscoveredPlugin& one : here_.plugins) {
      if (!one.manifest || is_duplicate(one)) continue;
      const bool is_disabled =
          std::find(here_.disabled.begin(), here_.disabled.end(), one.id) != here_.disabled.end();
      installed.push_back({&*one.manifest, one.id == next_.id || !is_disabled, !one.refused});
    }
    const Change change{now_ == nullptr ? Change::Kind::install : Change::Kind::upgrade, next_.id,
                        &next_, false};
    for (Reason& reason : plan_change(installed, change).refused) {
      reason.file = archive_.file();
      plan_.refusals.push_back(std::move(reason));
    }
  }

  const Archive& archive_;
  const Contents& contents_;
  const InstallContext& here_;
  const Manifest next_;
  const Manifest* const now_;
  PackagePlan plan_;
};

}  // namespace

std::string_view to_string(ChangeKind kind) noexcept {
  switch (kind) {
    case ChangeKind::install:
      return "install";
    case ChangeKind::upgrade:
      return "upgrade";
    case ChangeKind::downgrade:
      return "downgrade";
    case ChangeKind::reinstall:
      break;
  }
  return "reinstall";
}

PackagePlan plan_package(const Archive& archive, const Contents& contents,
                         const InstallContext& context) {
  return PlanBuilder(archive, contents, context).build();
}

void require_consent(const PackagePlan& plan, const std::vector<std::string>& given) {
  if (!plan.refusals.empty()) throw Refusal(plan.refusals.front());
  std::vector<base::FieldError> missing;
  std::string words;
  for (const Consent& consent : plan.consents) {
    if (std::find(given.begin(), given.end(), consent.code) != given.end()) continue;
    missing.push_back({consent.code, "consent", consent.message});
    words += " " + consent.message;
  }
  if (missing.empty()) return;
  throw base::Error(409, "plugins.consent_required", "This needs your consent:" + words,
                    std::move(missing));
}

}  // namespace tenon::plugins
