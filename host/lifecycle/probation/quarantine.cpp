#include "lifecycle/probation/quarantine.hpp"

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "lifecycle/plugin_states.hpp"
#include "observability/log.hpp"

namespace tenon::plugins {

namespace {

std::string_view phrase(StartStage stage) {
  switch (stage) {
    case StartStage::loading:
      return "while the library of this plugin was loaded";
    case StartStage::starting:
      return "while this plugin was started";
    case StartStage::on_probation:
      return "within a minute after this plugin was enabled";
  }
  return "";
}

// Returns whether the server went down while a change tried a version that did not stay.
bool is_undone(const ProbationEntry& suspect, const Quarantine::VersionOf& version_of) {
  return !suspect.tried.empty() && suspect.tried != version_of(suspect.plugin);
}

void log_undone(const ProbationEntry& suspect, const std::optional<ProcessExit>& process_exit,
                const std::string& stays) {
  observability::log_error(
      "a version of a plugin crashed the server",
      {{"plugin", suspect.plugin},
       {"version", suspect.tried},
       {"stays", stays},
       {"reason",
        "The server went down " + std::string(phrase(suspect.stage)) +
            (process_exit ? ", by " + to_text(*process_exit) : std::string(", cause unknown")) +
            ". The change was undone."}});
}

Reason crashed(const ProbationEntry& suspect, const Restart& restart,
               const std::optional<ProcessExit>& process_exit) {
  std::string text = "The server went down ";
  text += phrase(suspect.stage);
  if (const NamedCall* call = restart.report.culprit(); process_exit && call)
    text += ", in " + to_text(*call);
  text += process_exit ? ", by " + to_text(*process_exit) : std::string(", cause unknown");
  if (!process_exit || !is_fault(*process_exit)) text += ", twice in a row";
  text += " (" + base::rfc3339(base::unix_milliseconds()) + ").";
  text += " It is kept out until it is enabled again.";
  return {std::string(crashed_code), std::move(text), {}, {}};
}

Reason crashed_in(const NamedCall& call, const ProcessExit& process_exit,
                  std::string_view how_often) {
  std::string text = "The server went down in " + to_text(call) + " of this plugin, by " +
                     to_text(process_exit) + ", ";
  text += how_often;
  text += " (" + base::rfc3339(base::unix_milliseconds()) +
          "). It is kept out until it is enabled again.";
  return {std::string(crashed_code), std::move(text), {}, {}};
}

Reason safe_mode() {
  return {
      std::string(safe_mode_code),
      "The server went down again and again, the plugin that causes it is not known, and it was "
      "started without any. Disable the one that you suspect and restart the server, or enable one "
      "after the other.",
      {},
      {}};
}

}  // namespace

const ProbationEntry* suspect_of(const PreviousRecord& left) {
  const ProbationEntry* suspect = nullptr;
  for (const ProbationEntry& entry : left.entries) {
    if (entry.stage != StartStage::on_probation || suspect == nullptr ||
        suspect->stage == StartStage::on_probation)
      suspect = &entry;
  }
  return suspect;
}

base::Error inactive_error(State state) {
  if (state == State::quarantined)
    return {503, "plugins.quarantined", "This plugin is in quarantine."};
  return {404, "plugins.not_active", "This plugin is not active."};
}

Quarantine::Quarantine(data::Database& database, const std::string& data)
    : store_(database), record_(data), data_(data) {}

void Quarantine::check_last_run(const Restart& restart, const VersionOf& version_of) {
  const std::lock_guard lock(mutex_);
  is_safe_mode_ = restart.is_safe_mode;
  const std::optional<PreviousRecord> left = read_crash_journal(data_);
  const bool is_of_left =
      left && restart.process_exit && restart.process_exit->process == left->process;
  const NamedCall* const call = restart.report.culprit();
  const ProbationEntry* suspect = left ? suspect_of(*left) : nullptr;
  if (call != nullptr && is_of_left) {
    const auto entry =
        std::find_if(left->entries.begin(), left->entries.end(),
                     [&](const ProbationEntry& one) { return one.plugin == call->plugin; });
    suspect = entry == left->entries.end() ? nullptr : &*entry;
  }
  if (suspect != nullptr) {
    const std::optional<ProcessExit> process_exit =
        is_of_left ? restart.process_exit : std::nullopt;
    const bool is_undone_change = is_undone(*suspect, version_of);
    const bool is_held =
        !is_undone_change && (suspect->is_suspect || (process_exit && is_fault(*process_exit)));
    if (is_undone_change) {
      log_undone(*suspect, process_exit, version_of(suspect->plugin));
    } else if (is_held) {
      hold_against(suspect->plugin, crashed(*suspect, restart, process_exit));
    } else {
      observability::log_warning(
          "the server ended while a plugin had not proved itself; it is watched",
          {{"plugin", suspect->plugin},
           {"stage", to_string(suspect->stage)},
           {"process_exit", process_exit ? to_text(*process_exit) : "not known"}});
    }
    for (const ProbationEntry& entry : left->entries) {
      const bool is_suspect = entry.is_suspect || &entry == suspect;
      if (is_undone(entry, version_of)) continue;
      if (&entry != suspect || !is_held) admitted_.insert_or_assign(entry.plugin, is_suspect);
    }
  } else if (restart.process_exit && call != nullptr) {
    blame_call(*call, restart);
  } else if (restart.process_exit) {
    blame_suspects(restart);
  }
  held_ = store_.all();
  record_.begin();
}

void Quarantine::hold_against(const std::string& plugin, const Reason& reason) {
  store_.add(plugin, reason);
  observability::log_error("plugin quarantined",
                           {{"plugin", plugin}, {"code", reason.code}, {"reason", reason.message}});
}

void Quarantine::blame_call(const NamedCall& call, const Restart& restart) {
  const std::int64_t now = base::unix_milliseconds();
  store_.add_crash(call, true, to_text(*restart.process_exit), now);
  const std::int64_t crashes =
      store_.crashes_since(call.plugin, true, now - std::chrono::milliseconds(counted).count());
  if (call.operation == Operation::job) {
    if (store_.crashes_in_job(call.request) >= max_crashes_of_a_job) crashing_job_ = call.request;
    if (crashes >= max_crashes_in_jobs)
      hold_against(call.plugin, crashed_in(call, *restart.process_exit,
                                           "for the third time within ten minutes"));
  } else if (restart.lived < first_minute) {
    hold_against(call.plugin,
                 crashed_in(call, *restart.process_exit, "within a minute after it was started"));
  } else if (crashes >= max_crashes) {
    hold_against(call.plugin,
                 crashed_in(call, *restart.process_exit, "for the second time within ten minutes"));
  }
}

void Quarantine::blame_suspects(const Restart& restart) {
  const std::int64_t now = base::unix_milliseconds();
  for (const NamedCall& other : restart.report.others) {
    store_.add_crash(other, false, to_text(*restart.process_exit), now);
    const std::int64_t crashes =
        store_.crashes_since(other.plugin, false, now - std::chrono::milliseconds(counted).count());
    if (crashes >= max_suspicions)
      hold_against(other.plugin,
                   crashed_in(other, *restart.process_exit,
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
  note(StartStage::on_probation);
  const std::lock_guard lock(quarantine_.mutex_);
  quarantine_.admitted_.erase(plugin_);
}

void Quarantine::Watch::note(StartStage stage) {
  quarantine_.record_.note(
      {plugin_, stage, is_suspect_, stage == StartStage::on_probation ? "" : tried_}, is_admitted_);
}

}  // namespace tenon::plugins
