#include "study/question_settings.h"

#include <filesystem>

#include <fmt/ranges.h>

#include "base/file.h"
#include "base/sha256.h"

namespace ascribe::core::study {

namespace {

std::vector<std::string> shape_texts(const Subject& subject) {
  std::vector<std::string> texts;
  for (const auto& [name, shape] : subject.shapes()) {
    texts.push_back(fmt::format("{}{}{}", name, name.empty() ? "" : "=", fmt::join(shape, "x")));
  }
  return texts;
}

std::string players_text(const QuestionRequest& question) {
  if (question.owners.empty()) return question.players;
  const std::string_view bytes(reinterpret_cast<const char*>(question.owners.data()),
                               question.owners.size() * sizeof(int32_t));
  return fmt::format("owners {}", sha256(bytes));
}

// The file behind "data:", "file:" and "groups:".
std::string named_file(const std::string& text) {
  for (const std::string_view prefix : {"data:", "file:", "groups:"}) {
    if (text.starts_with(prefix)) return text.substr(prefix.size());
  }
  return "";
}

}  // namespace

std::string hash_of(const Tensor& values) {
  return sha256({static_cast<const char*>(values.memory()), values.bytes()});
}

std::string model_identity(const Subject& subject) {
  const std::string hash = subject.hash();
  return hash.empty() ? subject.path() : hash;
}

Json question_settings(const Subject& subject, const QuestionRequest& question) {
  return Json::object(
      {{"columns", question.rows.columns},
       {"preprocess", question.rows.preprocess},
       {"shape", shape_texts(subject)},
       {"players", players_text(question)},
       {"baseline", question.baselines.empty() ? question.baseline_or_zero() : "given " + hash_of(question.baselines)},
       {"target", question.target_text()},
       {"explain", question.explain},
       {"output", question.output}});
}

Json question_files(const QuestionRequest& question) {
  Json hashes = Json::object();
  const auto add = [&](const char* what, const std::string& path) {
    if (const FileBytes* known = question.rows.find_in_memory(path)) {
      hashes[what] = sha256(known->bytes);
      return;
    }
    std::error_code ignored;
    if (!path.empty() && std::filesystem::is_regular_file(path, ignored)) hashes[what] = sha256(read_file(path));
  };
  add("baseline", named_file(question.baseline));
  add("players", named_file(question.players));
  add("preprocess", question.rows.preprocess);
  add("labels", question.labels);
  add("tokens", question.tokens);
  return hashes;
}

}  // namespace ascribe::core::study
