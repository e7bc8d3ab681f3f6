#include "study/asked.h"

#include "study/companions.h"
#include "study/cut_entrance.h"
#include "study/joint_inputs.h"
#include "study/open_sizes.h"

namespace ascribe::core::study {

namespace {

// The first file will do, where files are rows of the only input.
RowSource some_of(const RowSource& rows, const Model& model) {
  RowSource some = rows;
  if (model.graph().inputs.size() != 1 || rows.files.empty()) return some;
  some.files.resize(1);
  some.contents.clear();
  some.arrays.clear();
  return some;
}

// Rows of a batch that influence each other would be explained as if they were one: such a model is asked about each
// row alone.
Subject rows_apart(const Subject& subject, const RowSource& rows, std::vector<std::string>& notes) {
  Model& model = subject.model();
  if (!model.batched() || !subject.has_file()) return subject;
  std::optional<std::string> mixed;
  try {
    std::vector<std::string> ignored;
    mixed = model.mixed_rows(read_inputs(model, some_of(rows, model), model.precision(), ignored).tensors);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled || error.kind() == ErrorKind::internal) throw;
    return subject;  // whoever asks will be told
  }
  if (!mixed) return subject;
  notes.push_back(fmt::format("{}; so every row is run alone", *mixed));
  return subject.row_by_row();
}

Subject with_sizes(const Subject& subject, const RowSource& rows, std::vector<std::string>& notes) {
  if (subject.open_inputs().empty()) return subject;
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

}  // namespace

Subject sized(const Subject& subject, const RowSource& rows, std::vector<std::string>& notes) {
  if (rows.empty()) return subject;
  return rows_apart(with_sizes(subject, rows, notes), rows, notes);
}

Subject asked(const Subject& subject, const QuestionRequest& request, std::vector<std::string>& notes, bool together) {
  for (const DeclaredValue& input : subject.open_inputs()) refuse_cache(input.name);
  const Subject found = sized(subject, request.rows, notes);
  if (!enters_inside(found.model().graph(), request) && together) {
    const Subject joint = joined(found, request, notes);
    if (joint.entrance() != nullptr) return joint;
  }
  return entered_at(found, request, notes);
}

Subject asked(const Subject& subject, const QuestionRequest& request, Running& running, bool together) {
  std::vector<std::string> notes;
  Subject found = asked(subject, request, notes, together);
  running.note(notes);
  return found;
}

}  // namespace ascribe::core::study
