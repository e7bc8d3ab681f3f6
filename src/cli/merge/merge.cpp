// ascribe merge FOLDER: the parts of a work that several processes shared, checked and put together
// (docs/howto/shards.md).
#include <fmt/format.h>

#include "cli/decompose/print.h"
#include "cli/part_output.h"
#include "cli/program.h"
#include "report/merged_files.h"

namespace ascribe::core::cli::command_merge {

namespace {

struct Choices {
  General general;
  std::string folder;
  Output output;
  bool check = false;
  int64_t top = 0;
};

Json json_of(const study::WholeWork& whole, const MergedParts* merged) {
  const study::PartHeader& header = whole.header();
  Json json = Json::object({{"kind", header.kind},
                            {"parts", whole.parts().size()},
                            {"items", header.items},
                            {"model", header.model},
                            {"seed", header.seed},
                            {"precision", header.precision},
                            {"version", header.version},
                            {"settings_sha256", header.settings_hash()},
                            {"problems", whole.problems()}});
  if (merged == nullptr) return json;
  if (merged->game) {
    json["game"] = to_json(*merged->game);
    json["files"] = merged->files;
    return json;
  }
  json["samples"] = merged->samples;
  json["failed"] = merged->failed;
  json["first_error"] = merged->first_error;
  json["files"] = merged->files;
  json["notes"] = merged->notes;
  return json;
}

void print_game(const study::WholeWork& whole, const MergedParts* merged, int64_t top) {
  if (merged == nullptr) {
    fmt::print("game: all {} parts are there, each once and whole; {}, version {}\n", whole.parts().size(),
               whole.header().precision, printable(whole.header().version));
    return;
  }
  print_merged_game(*merged->game, top);
  fmt::print("\nwritten to {}\n", printable(merged->files.front()));
}

void print(const study::WholeWork& whole, const MergedParts* merged, int64_t top) {
  if (whole.header().kind == study::kGameKind) return print_game(whole, merged, top);
  fmt::print("{}: {} samples in {} part{}, each there once and whole; {}, seed {}, version {}\n", whole.header().kind,
             whole.header().items, whole.parts().size(), whole.parts().size() == 1 ? "" : "s", whole.header().precision,
             whole.header().seed, printable(whole.header().version));
  if (merged == nullptr) return;
  if (merged->evaluation) fmt::print("{}\n", samples_text(*merged->evaluation));
  if (merged->failed > 0) {
    fmt::print("{} of {} samples failed{}{}\n", merged->failed, merged->samples,
               merged->first_error.empty() ? "" : "; the first: ", printable(merged->first_error));
  }
  for (const std::string& file : merged->files) fmt::print("written to {}\n", printable(file));
}

// Each problem on a line of its own, however many there are; nothing is written.
[[noreturn]] void refuse(const study::WholeWork& whole, const Choices& choices) {
  if (choices.general.json) print_json(json_of(whole, nullptr));
  for (const std::string& problem : whole.problems()) fmt::print(stderr, "{}\n", printable(spelled(problem)));
  fail(ErrorKind::io, choices.folder, "the parts cannot be put together: {} problem{}, told above; nothing is written",
       whole.problems().size(), whole.problems().size() == 1 ? "" : "s");
}

int merge(const Choices& choices) {
  const study::Run run = choices.general.run();
  study::Running running(run);
  const study::WholeWork whole(choices.folder, running.progress());
  if (!whole.problems().empty()) refuse(whole, choices);
  if (choices.check) {
    return choices.general.show([&] { return json_of(whole, nullptr); }, [&] { print(whole, nullptr, choices.top); });
  }
  speak_of(whole.header().kind);
  MergeRequest request{choices.output.path, choices.output.force, running.progress()};
  request.top = choices.top;
  request.memory = choices.general.memory_bytes();
  request.spelled = [](std::string text) { return spelled(text); };
  request.spelled_document = [](Json json) { return General::spelled_json(std::move(json)); };
  const MergedParts merged = merge_parts(whole, choices.folder, request);
  choices.general.notes(some_notes(merged.notes));
  return choices.general.show([&] { return json_of(whole, &merged); }, [&] { print(whole, &merged, choices.top); });
}

const RegisterCommand command(
    {"merge", 9, "Parts of a data set or a game that several processes made, put together",
     [](Options& options) -> std::function<int()> {
       auto choices = std::make_shared<Choices>();
       options.add("FOLDER", choices->folder, "The folder of the parts that --shard made").required();
       options.flag("--check", choices->check, "Only check that all samples are there, each once and whole");
       add_output(
           options, choices->output,
           "Explanations: a .npz file, or .csv for few players, with a .json file beside it. Evaluations: a\n"
           "folder, or a .csv or .json file. A huge game: a .json file, or .npy for all effects. Among the parts\n"
           "if it is not given");
       choices->general.memory = "1G";
       options.add("--top", choices->top, "Of one huge game: how many effects to list, largest first", "N")
           .range(1, 100000000);
       options.add("--memory", choices->general.memory, "Of one huge game: memory for its values, such as 512M", "SIZE")
           .shows_default();
       add_json(options, choices->general);
       return [choices] { return merge(*choices); };
     }});

}  // namespace

}  // namespace ascribe::core::cli::command_merge
