#include "study/records/named_files.h"

#include <algorithm>
#include <filesystem>

namespace ascribe::core::study {

namespace {

// All of `text` behind a beginning that says what it is.
void add_behind(std::vector<NamingField>& fields, const std::string& role, std::string& text,
                std::initializer_list<std::string_view> beginnings) {
  for (const std::string_view beginning : beginnings) {
    if (!text.starts_with(beginning)) continue;
    fields.push_back({role, text.substr(beginning.size()),
                      [&text, beginning](const std::string& path) { text = std::string(beginning) + path; }});
  }
}

void add_whole(std::vector<NamingField>& fields, const std::string& role, std::string& text) {
  if (!text.empty()) fields.push_back({role, text, [&text](const std::string& path) { text = path; }});
}

// class=2,mask=FILE
void add_of_target(std::vector<NamingField>& fields, std::string& text) {
  for (size_t from = 0; from < text.size();) {
    const size_t end = std::min(text.find(',', from), text.size());
    const std::string part = text.substr(from, end - from);
    for (const std::string beginning : {"mask=", "weights="}) {
      if (!part.starts_with(beginning) || part.size() == beginning.size()) continue;
      const std::string before = text.substr(0, from) + beginning, after = text.substr(end);
      fields.push_back({"target", part.substr(beginning.size()),
                        [&text, before, after](const std::string& path) { text = before + path + after; }});
    }
    from = end + 1;
  }
}

}  // namespace

std::vector<NamingField> naming_fields_of_players(std::string& players, const std::string& role) {
  std::vector<NamingField> fields;
  add_behind(fields, role, players, {"groups:"});
  return fields;
}

std::vector<NamingField> naming_fields(QuestionRequest& request, const std::vector<std::string>& inputs) {
  std::vector<NamingField> fields;
  for (std::string& file : request.rows.files) {
    const NamedPath named = named_path(file, inputs);
    const std::string before = named.input.empty() ? "" : named.input + "=";
    fields.push_back({"input", named.path, [&file, before](const std::string& path) { file = before + path; }});
  }
  std::string& preprocess = request.rows.preprocess;
  if (!preprocess.starts_with('{') && preprocess.ends_with(".json")) add_whole(fields, "preprocess", preprocess);
  add_whole(fields, "labels", request.labels);
  add_whole(fields, "tokens", request.tokens);
  add_behind(fields, "players", request.players, {"groups:"});
  add_behind(fields, "baseline", request.baseline, {"file:", "data:"});
  add_of_target(fields, request.target);
  for (std::string& target : request.targets) add_of_target(fields, target);
  return fields;
}

std::vector<NamingField> naming_fields(EvaluateRequest& request, const std::vector<std::string>& inputs) {
  std::vector<NamingField> fields;
  if (!request.dataset) add_whole(fields, "data", request.data);
  // Of a table it names a column.
  std::error_code ignored;
  if (std::filesystem::is_regular_file(request.options.labels, ignored)) {
    add_whole(fields, "label-from", request.options.labels);
  }
  add_whole(fields, "boxes", request.options.boxes);
  add_whole(fields, "annotations", request.options.annotations);
  for (NamingField& field : naming_fields(request.question, inputs)) fields.push_back(std::move(field));
  return fields;
}

std::vector<std::string> input_names(const Subject& subject) {
  std::vector<std::string> names;
  for (const DeclaredValue& input : subject.declared_inputs()) names.push_back(input.name);
  if (!names.empty()) return names;
  for (const Port& port : subject.outer().graph().inputs) names.push_back(port.name);
  return names;
}

std::vector<NamedFile> files_named(const Subject& subject, QuestionRequest request) {
  std::vector<NamedFile> files;
  for (const NamingField& field : naming_fields(request, input_names(subject))) {
    files.push_back({field.role, field.path});
  }
  return files;
}

}  // namespace ascribe::core::study
