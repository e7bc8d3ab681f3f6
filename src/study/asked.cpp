#include "study/asked.h"

#include "study/companions.h"
#include "study/cut_entrance.h"
#include "study/open_sizes.h"

namespace ascribe::core::study {

Subject sized(const Subject& subject, const RowSource& rows, std::vector<std::string>& notes) {
  if (subject.open_inputs().empty() || rows.empty()) return subject;
  std::vector<std::string> inputs;
  for (const DeclaredValue& input : subject.declared_inputs()) inputs.push_back(input.name);
  std::vector<Source> sources;
  std::vector<SizingData> data;
  const auto take = [&](const NamedPath& named, Source source) {
    sources.push_back(std::move(source));
    data.push_back({named.input, named.path, nullptr});
  };
  for (const std::string& text : rows.files) {
    const NamedPath named = named_path(text, inputs);
    take(named, read_source(named.path, rows.columns));
  }
  for (const FileBytes& file : rows.contents) {
    const NamedPath named = named_path(file.name, inputs);
    take(named, parse_source(file.bytes, named.path, rows.columns));
  }
  for (const GivenArray& given : rows.arrays) {
    Source source;
    source.arrays = {{"", given.values, ""}};
    take({given.input, "the array"}, std::move(source));
  }
  for (size_t i = 0; i < data.size(); ++i) data[i].source = &sources[i];
  return with_sizes_of(data, subject, rows, notes);
}

Subject asked(const Subject& subject, const QuestionRequest& request, std::vector<std::string>& notes) {
  for (const DeclaredValue& input : subject.open_inputs()) refuse_cache(input.name);
  return entered_at(sized(subject, request.rows, notes), request, notes);
}

Subject asked(const Subject& subject, const QuestionRequest& request, Running& running) {
  std::vector<std::string> notes;
  Subject found = asked(subject, request, notes);
  running.note(notes);
  return found;
}

}  // namespace ascribe::core::study
