#include "study/question_settings.h"

#include <fmt/ranges.h>

#include "base/sha256.h"
#include "study/records/content_hash.h"

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

}  // namespace

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

Json question_files(const Subject& subject, const QuestionRequest& question) {
  std::vector<Content> contents = contents_of(subject, question);
  std::erase_if(contents, [](const Content& content) { return content.role == "input"; });
  return hashes_by_role(contents);
}

}  // namespace ascribe::core::study
