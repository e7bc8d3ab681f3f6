// ascribe reproduce: the paper's tables and figures, from data (docs/howto/reproduce.md).
#include "study/reproduce/reproduce.h"

#include <cstdio>

#include <fmt/ranges.h>

#include "cli/shared_options.h"
#include "cli/signals.h"

namespace ascribe::core::cli::command_reproduce {

namespace {

struct Choices {
  General general;
  study::ReproduceRequest request;
  Output output;
};

int reproduce(Choices& choices) {
  const General& general = choices.general;
  if (!general.precision.empty()) {
    fail(ErrorKind::argument, "precision",
         "every experiment has its own: double for the tables and figure4, float otherwise");
  }
  study::ReproduceRequest& request = choices.request;
  request.folder = choices.output.path;
  request.force = choices.output.force;
  request.memory = general.memory_bytes();
  request.run = general.run();
  request.run.progress = DeferSignals::stopping(request.run.progress);
  request.finished = [&](const study::ReproducedExperiment& one) {
    if (general.json) return;
    fmt::print("{}  {:.0f} s  {}\n", one.title, one.seconds, printable(one.files[0]));
    std::fflush(stdout);
  };
  const DeferSignals deferred;  // an experiment's files are written all together
  const study::ReproduceResult result = study::reproduce(request);
  if (general.json) print_json(General::spelled_json(result.record));
  return 0;
}

const RegisterCommand command(
    {"reproduce", 12, "The paper's tables and figures, from data", [](Options& options) -> std::function<int()> {
       auto choices = std::make_shared<Choices>();
       study::ReproduceRequest& request = choices->request;
       options
           .add("EXPERIMENT", request.experiments, fmt::format("{} or all", fmt::join(study::experiment_names(), ", ")))
           .required();
       options.add("--data", request.data,
                   "Where the images are: a folder with the idx files of MNIST or a relative; for figure5b\n"
                   "also a folder or table of images with boxes. Debian's Fashion-MNIST if not given",
                   "DIR");
       options
           .add("--model", request.models,
                "An .onnx file instead of the bundled ones, for all experiments or for one; may be repeated",
                "[EXPERIMENT=]FILE")
           .one_word();
       options.add("--samples", request.samples, "Images; as many as the experiment has if not given", "N")
           .range(1, 1000000);
       options.add("--preprocess", request.preprocess, "unit, imagenet, raw, or a JSON file; guessed if not given",
                   "P");
       options.add("--players", request.players, "Who takes part in figure5b: pixels, patch:K, grid:RxC ...", "P");
       choices->output.path = request.folder;
       add_output(options, choices->output, "The folder for tables and figures; work that was interrupted goes on")
           .shows_default();
       add_general(options, choices->general);
       return [choices] { return reproduce(*choices); };
     }});

}  // namespace

}  // namespace ascribe::core::cli::command_reproduce
