// SHA-256 of everything that results depend on: the model with its external data, inputs, baselines, labels, data sets.
// What was asked is told by the request; this tells what the files and arrays that it names held. The journal of
// evaluate, the parts of sharded work and the record of a result (study/records/record.h) all use it.
//
// A file's hash is that of its bytes. A model with external data, a folder and a data set of several files have the
// hash of their listing: a line "SHA-256 SIZE NAME" for each file, in the order of the names. An array's is that of a
// line with its type and shape, followed by its numbers as they lie in memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "data/dataset.h"
#include "tensor/tensor.h"

namespace ascribe::core::study {

struct QuestionRequest;
struct EvaluateRequest;
class Subject;

// One thing that a result depends on.
struct Content {
  std::string role;        // "model", "input", "baseline", "labels", ...
  std::string name;        // its path as it was given; of what was in memory, what it is called
  bool in_memory = false;  // there is no file to look at
  std::string sha256 = {};
  int64_t bytes = 0;
  int64_t files = 1;

  friend bool operator==(const Content&, const Content&) = default;
};

Json to_json(const Content& content);  // {role, path or name, sha256, bytes, files?}

// ---- single things ----

// Read once in a process as long as it does not change. Complaints are of kind io.
std::string hash_of_file(const std::string& path);
// A file, or all regular files beneath a folder.
Content content_at(const std::string& role, const std::string& path);
// These files, named from `root` where they lie beneath it. One alone is that file.
Content content_of_files(const std::string& role, const std::string& root, std::vector<std::string> paths);
Content content_of_bytes(const std::string& role, const std::string& name, std::string_view bytes);
Content content_of_array(const std::string& role, const std::string& name, const Tensor& values);
std::string hash_of(const Tensor& values);

// Of an .onnx file: without external data the file's own.
Content content_of_model(const std::string& path);

// Of all samples: of the files that they are read from, or of what they are if there are none.
Content content_of_data(const std::string& name, Dataset& data);

// ---- everything that a request names ----

// Without the model. Files that a request names and that there are not are an error of kind io.
std::vector<Content> contents_of(const Subject& subject, const QuestionRequest& request);
// Also the data set, and what belongs to its samples.
std::vector<Content> contents_of(const Subject& subject, const EvaluateRequest& request, Dataset& data);

// {role: SHA-256}; of a role that there is several times, one of them together.
Json hashes_by_role(const std::vector<Content>& contents);

}  // namespace ascribe::core::study
