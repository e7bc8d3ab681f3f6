// The model that is studied: opened from a file, from bytes or from a function, with what questions share.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "methods/explained_model.h"

namespace ascribe::core::study {

class Entrance;

inline constexpr size_t kUsualMemory = size_t{4} << 30;

struct ModelSource {
  std::string path;                          // an .onnx file; of `bytes`, what to call them
  std::optional<std::string> bytes = {};     // the file itself
  std::map<std::string, Shape> shapes = {};  // of inputs whose size the file leaves open; "": of the only input
  std::optional<DType> precision =
      {};                        // nothing: as the file, and in double where few players of a small model are asked
  size_t memory = kUsualMemory;  // bytes for weights, temporary values and what is kept beside them
};

// A handle, as Model is.
class Subject {
 public:
  static Subject open(const ModelSource& source);
  static Subject of(Model model, std::string name);  // a model of any making

  // Loaded when it is first asked for, if the file leaves sizes open that nobody has given yet.
  Model& model() const;
  const std::string& path() const;  // as it was given
  std::string name() const;         // of the file
  std::string hash() const;         // SHA-256 of the file with its external data; empty: there is none
  const std::map<std::string, Shape>& shapes() const;  // that were given for it

  // The same file with these sizes, and the same file entered in another way (entrance.h). What is asked for twice is
  // made once, and lives as long as this.
  Subject with_shapes(const std::map<std::string, Shape>& shapes) const;
  Subject row_by_row() const;  // the same file as a graph for one row; itself if there is no file
  bool has_file() const;       // that can be loaded again
  Subject entered(const std::string& key, const std::function<Graph()>& make,
                  const std::function<std::shared_ptr<const Entrance>()>& entrance) const;
  const Entrance* entrance() const;                // nothing: rows go to the inputs of the file
  Model& outer() const;                            // the model of the file's inputs: for reading rows
  std::vector<DeclaredValue> open_inputs() const;  // whose sizes (beyond the rows) neither file nor caller has given
  const std::vector<DeclaredValue>& declared_inputs() const;  // of the file

  // The model as it is explained in one way. What is asked twice is made once.
  ExplainedModel& explained(const ExplainOptions& options) const;

 private:
  struct State;
  explicit Subject(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

}  // namespace ascribe::core::study
