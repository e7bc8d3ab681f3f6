// ascribe log: checks and shows a log of runs (docs/howto/records.md).
#include "base/file.h"
#include "base/sha256.h"
#include "cli/shared_options.h"
#include "study/records/replay.h"
#include "study/records/run_log.h"

namespace ascribe::core::cli::command_log {

namespace {

constexpr int kBad = 1;  // exit code
constexpr size_t kLargestRecord = size_t{1} << 31;
constexpr size_t kHashShown = 12;

struct Choices {
  std::string action, path, head, record;
  General general;
};

std::string text_in(const Json& run, const char* key) {
  const Json* value = run.find(key);
  return value != nullptr && value->is_text() ? value->text() : "";
}

std::string short_hash(const std::string& hash) { return hash.substr(0, kHashShown); }

// The SHA-256 of what has this role, in short; several are counted.
std::string hash_of_role(const Json& run, std::string_view role) {
  std::string found;
  size_t count = 0;
  if (const Json* contents = run.find("contents"); contents != nullptr && contents->is_list()) {
    for (const Json& one : contents->items()) {
      if (text_in(one, "role") != role) continue;
      if (count++ == 0) found = short_hash(text_in(one, "sha256"));
    }
  }
  return count > 1 ? fmt::format("{} and {} more", found, count - 1) : found;
}

// The entry of a record; nothing: the log does not have it.
std::optional<int64_t> entry_of(const study::LogCheck& check, const std::string& path) {
  const Json document = parse_json(read_file(path, kLargestRecord), path);
  const std::string hash = study::hash_of_record(study::record_in(document, path));
  for (const study::LogLine& line : check.lines) {
    if (text_in(line.run, "record_sha256") == hash) return line.number;
  }
  return std::nullopt;
}

Json check_json(const study::LogCheck& check) {
  Json json = Json::object({{"good", check.good()}, {"entries", check.lines.size()}, {"head", check.head}});
  if (check.bad_line) json["bad_line"] = *check.bad_line;
  if (!check.good()) json["problem"] = check.problem;
  json["torn_lines"] = check.torn;
  return json;
}

int verify(const Choices& choices) {
  if (!choices.head.empty() && !is_sha256(choices.head)) {
    fail(ErrorKind::argument, "head", "got '{}'; expected the 64 digits that an earlier check has printed",
         choices.head);
  }
  const study::LogCheck check = study::read_log(choices.path, choices.head);
  const auto entry = choices.record.empty() ? std::nullopt : entry_of(check, choices.record);
  const bool missing = !choices.record.empty() && !entry;
  const auto form = [&] {
    Json json = check_json(check);
    if (!choices.record.empty()) json["entry_of_record"] = entry;
    return json;
  };
  choices.general.show(form, [&] {
    const size_t count = check.lines.size();
    const std::string entries = fmt::format("{} {}", count, count == 1 ? "entry" : "entries");
    if (check.bad_line) {
      fmt::print("BAD: line {} of {}: {}\n", *check.bad_line, printable(choices.path), printable(check.problem));
      fmt::print("  before it: {}, whole\n", entries);
    } else if (!check.good()) {
      fmt::print("BAD: {}: {}\n", printable(choices.path), printable(check.problem));
    } else {
      fmt::print("GOOD: {}: {}, a whole chain\n", printable(choices.path), entries);
    }
    for (const int64_t line : check.torn) {
      fmt::print("  line {} is what an interrupted run has left; the line behind it tells so\n", line);
    }
    fmt::print("  head {}\n", check.head);
    if (check.good() && choices.head.empty()) {
      fmt::print(
          "  entries that are missing at the end cannot be seen: keep the head elsewhere, and pass it as --head\n");
    }
    if (entry) fmt::print("  {} is entry {}\n", printable(choices.record), *entry);
    if (missing) fmt::print("  {} is not among the entries\n", printable(choices.record));
  });
  return check.good() && !missing ? 0 : kBad;
}

int show(const Choices& choices) {
  const study::LogCheck check = study::read_log(choices.path);
  const auto form = [&] {
    Json json = check_json(check), entries = Json::list();
    for (const study::LogLine& line : check.lines) {
      entries.push(
          Json::object({{"number", line.number}, {"time", line.time}, {"sha256", line.sha256}, {"run", line.run}}));
    }
    json["runs"] = std::move(entries);
    return json;
  };
  choices.general.show(form, [&] {
    Lines lines = {{"entry", "time", "verb", "model", "input", "results", "record"}};
    for (const study::LogLine& line : check.lines) {
      const std::string input = hash_of_role(line.run, "input");
      lines.push_back({std::to_string(line.number), printable(line.time), printable(text_in(line.run, "verb")),
                       printable(hash_of_role(line.run, "model")),
                       printable(input.empty() ? hash_of_role(line.run, "data") : input),
                       printable(short_hash(text_in(line.run, "results_sha256"))),
                       printable(short_hash(text_in(line.run, "record_sha256")))});
    }
    print_columns(lines, 0);
    if (!check.good()) fmt::print("BAD from here on: {}\n", printable(check.problem));
  });
  return check.good() ? 0 : kBad;
}

const RegisterCommand command(
    {"log", 13, "A log of runs (--log): its chain checked, its entries shown",
     [](Options& options) -> std::function<int()> {
       auto choices = std::make_shared<Choices>();
       options.add("ACTION", choices->action, "verify or show", "verify|show").required().one_of({"verify", "show"});
       options.add("FILE", choices->path, "The log").required();
       options.add("--head", choices->head, "The head that the log must have, as an earlier check printed it", "HASH");
       options.add("--record", choices->record, "Also say which entry belongs to this record or result", "FILE");
       add_json(options, choices->general);
       return [choices] { return choices->action == "show" ? show(*choices) : verify(*choices); };
     }});

}  // namespace

}  // namespace ascribe::core::cli::command_log
