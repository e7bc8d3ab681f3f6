// ascribe compile: the explanation of a model as an ONNX file that any runtime can run.
#include "study/compile.h"

#include <filesystem>

#include "cli/recorded.h"

namespace ascribe::core::cli::command_compile {

namespace {

struct Choices {
  General general;
  ModelChoice model;
  study::CompileRequest request;
  Output output;
};

std::string port_text(const study::PortInfo& port) {
  return fmt::format("{}  {} {}", printable(port.name), port.type, to_string(port.shape));
}

void print(const study::CompileResult& result, const std::string& path) {
  const auto about = [&](const std::string& key) { return printable(result.metadata.at("ascribe." + key)); };
  fmt::print("{}\n", printable(path));
  Lines lines;
  lines.push_back({"method", fmt::format("{}: {}", about("method"), about("formula"))});
  lines.push_back({"explains", fmt::format("{} of {}", about("explains"), about("output"))});
  lines.push_back({"target", about("target")});
  for (const char* key : {"baseline", "players"}) {
    if (result.metadata.contains(fmt::format("ascribe.{}", key))) lines.push_back({key, about(key)});
  }
  const auto add = [&](std::string title, const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      lines.push_back({title, text});
      title.clear();
    }
  };
  constexpr std::string_view kParameter = "ascribe.parameter.";
  std::vector<std::string> parameters, inputs, outputs;
  for (const auto& [key, value] : result.metadata) {
    if (!key.starts_with(kParameter) || value.empty()) continue;
    parameters.push_back(fmt::format("{} = {}", key.substr(kParameter.size()), printable(value)));
  }
  for (const study::PortInfo& port : result.inputs) inputs.push_back(port_text(port));
  for (const study::PortInfo& port : result.outputs) outputs.push_back(port_text(port));
  add("parameters", parameters);
  add("inputs", inputs);
  add("outputs", outputs);
  lines.push_back({"precision", std::string(to_string(result.precision))});
  lines.push_back({"size", human_bytes(result.bytes.size())});
  print_columns(lines, 2);
}

void check(const Choices& choices) {
  check_output(choices.output, {".onnx"});
  check_record_beside(choices.output);
  std::error_code missing;
  if (std::filesystem::equivalent(choices.output.path, choices.model.path, missing)) {
    fail(ErrorKind::argument, choices.output.path, "this is the model itself; choose another name");
  }
  compilable_method(choices.request);
}

int compile(Choices& choices) {
  check(choices);
  choices.request.run = choices.general.run();
  const study::Subject subject = choices.model.open(choices.general);
  const study::CompileResult result = study::compile(subject, choices.request);
  const Json record = recorded(choices.general, choices.output, [&](const study::Origin& origin) {
    return study::record_of(subject, choices.request, result, origin);
  });
  write_output(choices.output, result.bytes);
  write_record_beside(choices.output, record);
  const std::string& path = choices.output.path;
  return choices.general.show([&] { return with_record(to_json(result, path), record); }, [&] { print(result, path); });
}

const RegisterCommand command(
    {"compile", 6, "An explanation as an ONNX file, to be run elsewhere", [](Options& options) -> std::function<int()> {
       auto choices = std::make_shared<Choices>();
       study::CompileRequest& request = choices->request;
       add_model(options, choices->model);
       options.add("--method", request.method, "The method; ascribe methods lists them and says which compile", "NAME")
           .required();
       options
           .add("--target", request.target,
                "What to explain: an input 'target' of the file that takes an index per row (index)\n"
                "or a weight per number (one_hot), each row's top class (top), or one target for all\n"
                "rows: a class by number or label, 2,38,15, class=2,sum, weights=FILE.npy ...",
                "index|one_hot|top|CLASS|...")
           .shows_default();
       add_labels(options, request.question.labels);
       add_explained(options, request.question);
       add_settings(options, request.settings);
       options.add("--baseline", request.question.baseline,
                   "What the input is compared with, fixed in the file: zero, value:V, file:F or data:F\n"
                   "(the mean over its rows), of tokens also token:ID and pad; default: zero, and for\n"
                   "tokens pad if --tokens has it",
                   "B");
       add_players(options, request.question);
       add_entrance(options, request.question);
       add_reading(options, request.question.rows);
       add_output(options, choices->output, "The .onnx file to write").required();
       add_general(options, choices->general);
       add_log(options, choices->general);
       return [choices] { return compile(*choices); };
     }});

}  // namespace

}  // namespace ascribe::core::cli::command_compile
