#include "study/run.h"

#include <fmt/format.h>

namespace ascribe::core::study {

Progress Running::progress_of(const std::string& part) const {
  if (!progress()) return {};
  return [told = progress(), part](std::string_view task, int64_t done, int64_t total) {
    told(task.empty() ? part : fmt::format("{}: {}", part, task), done, total);
  };
}

void Running::note(std::string text) {
  if (run_.note) run_.note(text);
  notes_.push_back(std::move(text));
}

void Running::note(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) note(text);
}

}  // namespace ascribe::core::study
