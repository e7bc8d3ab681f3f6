// The files that a request names, wherever in it they are named: to be hashed (study/records/content_hash.h), or to be
// found elsewhere (study/records/replay.h).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "study/evaluate.h"
#include "study/question.h"

namespace ascribe::core::study {

struct NamedFile {
  std::string role;  // "input", "baseline", "labels", ...
  std::string path;
};

// A place in a request that names a file.
struct NamingField {
  std::string role, path;
  std::function<void(const std::string& path)> set;  // names another one there
};

// `inputs`: of the model, for NAME=FILE. The request outlives the fields.
std::vector<NamingField> naming_fields(QuestionRequest& request, const std::vector<std::string>& inputs);
// The players that a text names, as groups:FILE.
std::vector<NamingField> naming_fields_of_players(std::string& players, const std::string& role);
// Those of the question, and where data, their classes and their boxes are.
std::vector<NamingField> naming_fields(EvaluateRequest& request, const std::vector<std::string>& inputs);

std::vector<std::string> input_names(const Subject& subject);
std::vector<NamedFile> files_named(const Subject& subject, QuestionRequest request);

}  // namespace ascribe::core::study
