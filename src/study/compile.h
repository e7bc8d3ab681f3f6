// compile: the explanation of a model as an ONNX file that any runtime can run (docs/howto/compile.md).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "study/choice.h"
#include "study/ports.h"
#include "study/question.h"

namespace ascribe::core::study {

struct CompileRequest {
  std::string method;
  std::vector<std::string> settings = {};
  // An input 'target' of the file that takes an index per row (index) or a weight per number of the output (one_hot),
  // each row's top class (top), or one target for all rows (study/target.h) that does not depend on them. Of the
  // question also: labels, explain, output, players, baseline (zero, value:V, file:F or data:F) and how a baseline's
  // file is read.
  std::string target = "index";
  QuestionRequest question = {};
  Run run = {};
};

struct CompileResult {
  std::string model;  // its path
  std::string bytes;  // the file
  DType precision = DType::f32;
  std::vector<PortInfo> inputs, outputs;
  std::map<std::string, std::string> metadata;  // ascribe.method, ascribe.formula, ascribe.parameter.steps, ...
  std::vector<std::string> notes;
};

// Complains of a method that there is not or that is not a graph. compile does so too; this is for callers who want to
// know before they open a model.
ChosenMethod compilable_method(const CompileRequest& request);

CompileResult compile(const Subject& subject, const CompileRequest& request);

// `written`: where the bytes are.
Json to_json(const CompileResult& result, const std::string& written);

}  // namespace ascribe::core::study
