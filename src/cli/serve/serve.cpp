// ascribe serve: a page on this machine to mask an input and see the output change (docs/howto/serve.md).
#include "serve/server.h"

#include <csignal>
#include <thread>

#include "cli/program.h"
#include "cli/shared_options.h"
#include "cli/signals.h"

namespace ascribe::core::cli::command_serve {

namespace {

struct Choices {
  General general;
  ModelChoice model;
  serve::Settings settings;
  std::vector<std::string> methods = {"all"};
  int port = 0;
};

// Ctrl-C, or whoever runs this ends it.
void wait_for_the_end() {
  const Progress stopping = DeferSignals::stopping({});
  try {
    while (true) {
      stopping("", 0, 1);
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::cancelled) throw;
  }
}

int serve_model(Choices& choices) {
  serve::Settings& settings = choices.settings;
  settings.report.methods = wishes(choices.methods);
  settings.report.run.seed = choices.general.seed;
  settings.report.run.threads = choices.general.threads;
  settings.error_text = [](const Error& error) { return spelled(error); };
  settings.note_text = [](const std::string& note) { return spelled(note); };
  check_report(settings.report);
  serve::Gate gate;
  gate.token = serve::new_token();
  const study::Subject subject = choices.model.open(choices.general);
  serve::App app(subject, settings, gate);
  const DeferSignals signals;
  serve::Server server(app, choices.port);
  choices.general.show(
      [&] {
        return Json::object({{"address", app.gate().address()}, {"port", server.port()}});
      },
      [&] { fmt::print("{}\n", app.gate().address()); });
  std::fflush(stdout);
  if (!choices.general.quiet) {
    print_note("open this address in a browser on this machine; whoever knows it can use the page. Ctrl-C ends it");
  }
  wait_for_the_end();
  server.stop();
  return 0;
}

const RegisterCommand command(
    {"serve", 6, "A page on this machine to mask an input and see the output change",
     [](Options& options) -> std::function<int()> {
       auto choices = std::make_shared<Choices>();
       serve::Settings& settings = choices->settings;
       add_model(options, choices->model);
       options.add("DATA", settings.question.rows.files,
                   "Rows to choose from: .png .jpg .npy .npz .csv .idx, also with .gz, or a folder of pictures;\n"
                   "none: files are dropped on the page");
       add_reading(options, settings.question.rows);
       add_labels(options, settings.question.labels);
       add_question(options, settings.question, "What masked parts are replaced by");
       add_methods(options, choices->methods).help("Methods of the report; all for the fourteen of the paper");
       add_settings(options, settings.report.settings);
       options
           .add("--metric", settings.report.metrics, "Metrics of the report; ascribe metrics lists them",
                "NAME[,NAME...]")
           .list();
       add_budget(options, settings.report.budget);
       options.add("--port", choices->port, "The port on 127.0.0.1; 0: any that is free", "N")
           .shows_default()
           .range(0, 65535);
       choices->general.memory = "2G";
       add_general(options, choices->general);
       return [choices] { return serve_model(*choices); };
     }});

}  // namespace

}  // namespace ascribe::core::cli::command_serve
