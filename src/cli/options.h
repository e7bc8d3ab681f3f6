// Options that several commands have, under the same names and with the same meaning.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "data/inputs.h"
#include "model/model.h"

namespace ascribe::core {

struct GeneralOptions {
  uint64_t seed = 0;
  int threads = 0;
  std::string memory = "4G";
  std::string precision;
  bool json = false;
  bool quiet = false;
};

struct ModelOptions {
  std::string path;
  std::vector<std::string> shapes;  // [NAME=]AxBxC
};

struct InputOptions {
  std::vector<std::string> paths;  // or NAME=PATH
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  std::string preprocess;
  std::string labels;
};

struct OutputOptions {
  std::string path;
  bool force = false;
};

void add_general_options(CLI::App& command, GeneralOptions& options);
void add_json_options(CLI::App& command, GeneralOptions& options);  // --json and --quiet only
void add_model_options(CLI::App& command, ModelOptions& options);
void add_reading_options(CLI::App& command, InputOptions& options);  // --columns and --preprocess: how files are read
void add_input_options(CLI::App& command, InputOptions& options);
void add_output_options(CLI::App& command, OutputOptions& options, const std::string& what);

size_t parse_memory(const std::string& text);  // "512M", "4G", "1000000"
LoadOptions load_options(const ModelOptions& model, const GeneralOptions& general,
                         const std::vector<std::string>& inputs);
DataOptions data_options(const InputOptions& input);

// One label per line; nothing if no file was given.
std::vector<std::string> read_labels(const std::string& path);

// Loads the model that the options name; also sets the number of threads.
Model load_model(const ModelOptions& model, const GeneralOptions& general);

}  // namespace ascribe::core
