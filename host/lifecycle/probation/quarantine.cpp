#include "lifecycle/probation/quarantine.hpp"

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "lifecycle/registry.hpp"
#include "observability/log.hpp"

namespace tenon::plugins {

namespace {

std::string_view phrase(StartStage doing) {
  switch (doing) {
    case StartStage::loading:
      return "while the library of this plugin was loaded";
    case StartStage::starting:
      return "while this plugin was started";
    case StartStage::young:
      return "within a minute after this plugin was enabled";
  }
  return "";
}

// Where the server went down while a change tried a version that is not the one that stayed.
bool is_undone(const ProbationEntry& suspect, const Quarantine::VersionOf& version_of) {
  return !suspect.tried.empty() && suspect.tried != version_of(suspect.plugin);
}

void tell_undone(const ProbationEntry& suspect, const std::optional<ProcessExit>& death,
                 const std::string& stays) {
  observability::log_error(
      "a version of a plugin brought the server down",
      {{"plugin", suspect.plugin},
       {"version", suspect.tried},
       {"stays", stays},
       {"reason", "The server went down " + std::string(phrase(suspect.doing)) +
                      (death ? ", by " + to_text(*death) : std::string(", nobody saw by what")) +
                      ". The change was undone."}});
}

Reason crashed(const ProbationEntry& suspect, const Restart& restart,
               const std::optional<ProcessExit>& death) {
  std::string text = "The server went down ";
  text += phrase(suspect.doing);
  if (const NamedCall* call = restart.report.culprit(); death && call)
    text += ", in " + to_text(*call);
  text += death ? ", by " + to_text(*death) : std::string(", nobody saw by what");
  if (!death || !is_fault(*death)) text += ", twice in a row";
  text += " (" + base::rfc3339(base::unix_milliseconds()) + ").";
  text += " It is kept out until it is enabled again.";
  return {std::string(crashed_code), std::move(text), {}, {}};
}

Reason crashed_in(const NamedCall& call, const ProcessExit& death, std::string_view how_often) {
  std::string text =
      "The server went down in " + to_text(call) + " of this plugin, by " + to_text(death) + ", ";
  text += how_often;
  text += " (" + base::rfc3339(base::unix_milliseconds()) +
          "). It is kept out until it is enabled again.";
  return {std::string(crashed_code), std::move(text), {}, {}};
}

Reason safe_mode() {
  return {std::string(safe_mode_code),
          "The server went down again and again, nobody knows by which plugin, and was started "
          "without any. Disable the one that you suspect and restart the server, or enable one "
          "after the other.",
          {},
          {}};
}

}  // namespace

const ProbationEntry* suspect_of(const LeftRecord& left) {
  const ProbationEntry* suspect = nullptr;
  for (const ProbationEntry& unproved : left.unproved) {
    if (unproved.doing != StartStage::young || suspect == nullptr ||
        suspect->doing == StartStage::young)
      suspect = &unproved;
  }
  return suspect;
}

base::Error unanswered(State state) {
  if (state == State::quarantined)
    return {503, "plugins.quarantined", "This plugin is in quarantine."};
  return {404, "plugins.not_active", "This plugin is not active."};
}

Quarantine::Quarantine(data::Database& database, const std::string& data)
    : store_(database), record_(data), data_(data) {}

void Quarantine::judge(const Restart& restart, const VersionOf& version_of) {
  const std::lock_guard lock(mutex_);
  is_safe_mode_ = restart.is_safe_mode;
  const std::optional<LeftRecord> left = read_loading_record(data_);
  const bool is_of_left = left && restart.death && restart.death->process == left->process;
  const NamedCall* const call = restart.report.culprit();
  const ProbationEntry* suspect = left ? suspect_of(*left) : nullptr;
  if (call != nullptr && is_of_left) {
    const auto unproved =
        std::find_if(left->unproved.begin(), left->unproved.end(),
                     [&](const ProbationEntry& one) { return one.plugin == call->plugin; });
    suspect = unproved == left->unproved.end() ? nullptr : &*unproved;
  }
  if (suspect != nullptr) {
    const std::optional<ProcessExit> death = is_of_left ? restart.death : std::nullopt;
    const bool is_undone_change = is_undone(*suspect, version_of);
    const bool is_held = !is_undone_change && (suspect->is_suspect || (death && is_fault(*death)));
    if (is_undone_change) {
      tell_undone(*suspect, death, version_of(suspect->plugin));
    } else if (is_held) {
      hold_against(suspect->plugin, crashed(*suspect, restart, death));
    } else {
      observability::log_warning(
          "the server ended while a plugin had not proved itself; it is watched",
          {{"plugin", suspect->plugin},
           {"doing", to_string(suspect->doing)},
           {"death", death ? to_text(*death) : "not known"}});
    }
    for (const ProbationEntry& unproved : left->unproved) {
      const bool is_suspect = unproved.is_suspect || &unproved == suspect;
      if (is_undone(unproved, version_of)) continue;
      if (&unproved != suspect || !is_held) admitted_.insert_or_assign(unproved.plugin, is_suspect);
    }
  } else if (restart.death && call != nullptr) {
    judge_call(*call, restart);
  } else if (restart.death) {
    judge_suspects(restart);
  }
  held_ = store_.all();
  record_.begin();
}

void Quarantine::hold_against(const std::string& plugin, const Reason& reason) {
  store_.add(plugin, reason);
  observability::log_error("plugin quarantined",
                           {{"plugin", plugin}, {"code", reason.code}, {"reason", reason.message}});
}

void Quarantine::judge_call(const NamedCall& call, const Restart& restart) {
  const std::int64_t now = base::unix_milliseconds();
  store_.add_crash(call, true, to_text(*restart.death), now);
  const std::int64_t crashes =
      store_.crashes_since(call.plugin, true, now - std::chrono::milliseconds(counted).count());
  if (call.operation == Operation::job) {
    if (store_.crashes_in_job(call.request) >= max_crashes_of_a_job) crashing_job_ = call.request;
    if (crashes >= max_crashes_in_jobs)
      hold_against(call.plugin,
                   crashed_in(call, *restart.death, "for the third time within ten minutes"));
  } else if (restart.lived < first_minute) {
    hold_against(call.plugin,
                 crashed_in(call, *restart.death, "within a minute after it was started"));
  } else if (crashes >= max_crashes) {
    hold_against(call.plugin,
                 crashed_in(call, *restart.death, "for the second time within ten minutes"));
  }
}

void Quarantine::judge_suspects(const Restart& restart) {
  const std::int64_t now = base::unix_milliseconds();
  for (const NamedCall& other : restart.report.others) {
    store_.add_crash(other, false, to_text(*restart.death), now);
    const std::int64_t crashes =
        store_.crashes_since(other.plugin, false, now - std::chrono::milliseconds(counted).count());
    if (crashes >= max_suspicions)
      hold_against(other.plugin,
                   crashed_in(other, *restart.death,
                              "for the third time within ten minutes; other plugins may be to "
                              "blame"));
  }
}

bool Quarantine::hold(PluginStatus& status) const {
  if (!status.enabled || status.reason) return false;
  const std::lock_guard lock(mutex_);
  if (const auto held = held_.find(status.id); held != held_.end())
    status.reason = held->second;
  else if (is_safe_mode_)
    status.reason = safe_mode();
  else
    return false;
  status.state = State::quarantined;
  return true;
}

void Quarantine::admit(const std::string& plugin) {
  lift(plugin);
  watch(plugin);
}

void Quarantine::lift(const std::string& plugin) {
  const std::lock_guard lock(mutex_);
  if (held_.contains(plugin)) store_.remove(plugin);
  held_.erase(plugin);
}

void Quarantine::watch(const std::string& plugin) {
  const std::lock_guard lock(mutex_);
  admitted_.insert_or_assign(plugin, false);
}

Quarantine::Watch::Watch(Quarantine& quarantine, std::string plugin, std::string tried)
    : quarantine_(quarantine), plugin_(std::move(plugin)), tried_(std::move(tried)) {
  {
    const std::lock_guard lock(quarantine_.mutex_);
    const auto found = quarantine_.admitted_.find(plugin_);
    is_admitted_ = found != quarantine_.admitted_.end();
    is_suspect_ = is_admitted_ && found->second;
  }
  note(StartStage::loading);
}

Quarantine::Watch::~Watch() {
  if (!is_active_) quarantine_.record_.forget(plugin_);
}

std::function<void()> Quarantine::Watch::on_loaded(std::function<void()> then) {
  return [this, then = std::move(then)] {
    note(StartStage::starting);
    then();
  };
}

void Quarantine::Watch::active() {
  is_active_ = true;
  if (!is_admitted_) return quarantine_.record_.forget(plugin_);
  note(StartStage::young);
  const std::lock_guard lock(quarantine_.mutex_);
  quarantine_.admitted_.erase(plugin_);
}

void Quarantine::Watch::note(StartStage doing) {
  quarantine_.record_.note({plugin_, doing, is_suspect_, doing == StartStage::young ? "" : tried_},
                           is_admitted_);
}

}  // namespace tenon::plugins
