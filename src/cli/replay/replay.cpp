// ascribe replay: a result computed again from its record, and held against it (docs/howto/records.md).
#include "study/records/replay.h"

#include <filesystem>

#include "base/file.h"
#include "cli/program.h"
#include "cli/shared_options.h"

namespace ascribe::core::cli::command_replay {

namespace {

using study::Agreement, study::ContentState, study::PartDifference, study::ReplayResult;

constexpr int kDifferent = 1, kCannot = 7;  // exit codes
constexpr size_t kLargestRecord = size_t{1} << 31;
constexpr JsonLimits kLimits{64, size_t{1} << 27};
constexpr size_t kPartsShown = 8;
constexpr size_t kHashShown = 12;

struct Choices {
  std::string record, model, memory;
  std::vector<std::string> inputs, others, folders;
  int64_t batch = 0;
  bool anyway = false;
  General general;
};

// ROLE=FILE
void add_replaced(study::ReplayRequest& request, const std::vector<std::string>& others) {
  for (const std::string& text : others) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
      fail(ErrorKind::argument, "with", "got '{}'; expected ROLE=FILE, as labels=names.txt", text);
    }
    request.replaced[text.substr(0, equals)].push_back(text.substr(equals + 1));
  }
}

study::ReplayRequest request_of(const Choices& choices) {
  study::ReplayRequest request;
  request.document = parse_json(read_file(choices.record, kLargestRecord), choices.record, ErrorKind::io, kLimits);
  request.where = choices.record;
  if (!choices.model.empty()) request.replaced["model"] = {choices.model};
  if (!choices.inputs.empty()) {
    request.replaced["input"] = choices.inputs;
    request.replaced["data"] = choices.inputs;  // of evaluate
  }
  add_replaced(request, choices.others);
  request.folders = choices.folders;
  request.anyway = choices.anyway;
  if (choices.batch > 0) request.batch = choices.batch;
  if (!choices.memory.empty()) {
    General memory;
    memory.memory = choices.memory;
    request.memory = memory.memory_bytes();
  }
  request.run = choices.general.run();
  request.run.note = {};  // they were told when it was made
  return request;
}

// ---- printing ----

std::string short_hash(const std::string& hash) { return hash.empty() ? "-" : hash.substr(0, kHashShown); }

void print_contents(const ReplayResult& result) {
  Lines lines = {{"what", "now", "recorded", "there now", "where"}};
  for (const study::CheckedContent& one : result.contents) {
    const char* state = one.state == ContentState::same      ? "same"
                        : one.state == ContentState::changed ? "CHANGED"
                                                             : "MISSING";
    lines.push_back({printable(one.recorded.role), state, short_hash(one.recorded.sha256), short_hash(one.sha256),
                     printable(one.path.empty() ? one.recorded.name : one.path)});
  }
  if (lines.size() > 1) print_columns(lines, 2);
}

std::string at_text(const char* word, const PartDifference::At& at) {
  return fmt::format("{} at {}: {:.9g} then, {:.9g} now", word, printable(at.place), at.then, at.now);
}

void print_difference(const PartDifference& one) {
  fmt::print("  {}: ", printable(one.part));
  if (!one.what.empty()) {
    fmt::print("{}\n", printable(one.what));
    return;
  }
  if (one.differing > 0) fmt::print("{} of {} numbers differ; ", one.differing, one.compared);
  if (one.compared < one.count) fmt::print("({} of {} are kept) ", one.compared, one.count);
  if (one.first && one.differing > 0) fmt::print("{}; ", at_text("first", *one.first));
  if (one.largest) {
    fmt::print("{} (difference {:.3g})", at_text("largest", *one.largest), one.largest->difference());
  }
  fmt::print("\n");
}

void print_differences(const ReplayResult& result, Agreement which) {
  size_t shown = 0, more = 0;
  for (const PartDifference& one : result.comparing.differences) {
    if (one.agreement != which) continue;
    if (shown++ < kPartsShown) print_difference(one);
    else ++more;
  }
  if (more > 0) fmt::print("  and {} more parts; --json has them\n", more);
}

void print_verdict(const ReplayResult& result) {
  const study::Comparing& found = result.comparing;
  const std::string what = fmt::format("{} parts, {} numbers, {}", found.parts, with_thousands(found.numbers),
                                       result.precision.empty() ? "float" : printable(result.precision));
  switch (found.agreement) {
    case Agreement::same:
      fmt::print("SAME: {}, {} as recorded\n", what,
                 result.verb.starts_with("report") ? "every number that the report keeps" : "every bit");
      break;
    case Agreement::within:
      fmt::print("WITHIN TOLERANCE: {}; differences of at most {:.2g} of the largest number, {:.0e} is allowed\n", what,
                 found.largest, found.tolerance);
      print_differences(result, Agreement::within);
      break;
    case Agreement::different:
      fmt::print("DIFFERENT: {}; beyond the tolerance of {:.0e}:\n", what, found.tolerance);
      print_differences(result, Agreement::different);
      break;
  }
}

void print(const ReplayResult& result) {
  fmt::print("ascribe {}{}, made by version {} with {} threads; now version {} with {}\n", printable(result.verb),
             result.created.empty() ? "" : " of " + printable(result.created), printable(result.version),
             result.threads_then, ASCRIBE_VERSION, result.threads_now);
  print_contents(result);
  for (const study::CheckedContent* one : result.changed()) {
    if (one->state == ContentState::changed) {
      fmt::print("the {} has changed: {}\n", printable(one->recorded.role), printable(one->path));
    } else {
      fmt::print("the {} is missing: {}{}\n", printable(one->recorded.role), printable(one->recorded.name),
                 one->why.empty() ? "" : fmt::format(" ({})", printable(one->why)));
    }
  }
  if (!result.same_version) fmt::print("another version made it: differences may come from there\n");
  if (!result.same_machine) fmt::print("a processor with other instructions made it: expect other last bits\n");
  for (const std::string& note : result.notes) fmt::print("{}\n", printable(note));
  if (result.computed) return print_verdict(result);
  fmt::print("CANNOT BE REPLAYED: {}\n",
             "files have changed or are missing; --model, --input and --with name others, --anyway computes with what "
             "has changed");
}

int code_of(const ReplayResult& result) {
  if (!result.computed) return kCannot;
  return result.comparing.agreement == Agreement::different ? kDifferent : 0;
}

int replay(const Choices& choices) {
  const ReplayResult result = study::replay(request_of(choices));
  choices.general.show([&] { return to_json(result); }, [&] { print(result); });
  return code_of(result);
}

const RegisterCommand command(
    {"replay", 12, "A result computed again from its record: the same, or different and where",
     [](Options& options) -> std::function<int()> {
       auto choices = std::make_shared<Choices>();
       options
           .add("RECORD", choices->record,
                "A record.json, or any JSON result of ascribe (also report.json), which holds one")
           .required();
       options.add("--model", choices->model, "The model, if it is no longer where the record says", "FILE");
       options
           .add("--input", choices->inputs, "The input or data, if they are elsewhere; in the order of the record",
                "FILE")
           .one_word();
       options
           .add("--with", choices->others,
                "Another file, by its role in the record: labels=names.txt, baseline=b.npy;\nmay be repeated",
                "ROLE=FILE")
           .one_word();
       options.add("--folder", choices->folders, "A folder where the files may lie now; may be repeated", "FOLDER")
           .one_word();
       options.flag("--anyway", choices->anyway, "Compute also with files that have changed");
       options.add("--threads", choices->general.threads, "Number of threads; default: as many as the machine has", "N")
           .range(1, 4096);
       options.add("--memory", choices->memory, "Memory, such as 512M; default: as recorded", "SIZE");
       options.add("--batch", choices->batch, "Of evaluate: samples at a time; default: as recorded", "N")
           .range(1, int64_t{1} << 20);
       add_json(options, choices->general);
       return [choices] { return replay(*choices); };
     }});

}  // namespace

}  // namespace ascribe::core::cli::command_replay
