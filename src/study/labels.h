// Names of classes, and which class a user means.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"
#include "study/output_form.h"

namespace ascribe::core::study {

// One label per line, or JSON: a list, labels by number or numbers by label (docs/howto/use-your-model.md); nothing if
// there is no path.
std::vector<std::string> read_labels(const std::string& path);

// As the file names the classes of this output (empty: the first real one); nothing if they are just counted.
std::vector<std::string> labels_in_file(const Model& model, const std::string& output);

// A class by its number or its label; `words` are the other things that a target can be, for the complaint.
int64_t class_index(const std::string& text, const std::vector<std::string>& labels, std::string_view words);

// Complains if there are labels, and not as many as the output has classes. `where`: their file.
void check_labels(const std::vector<std::string>& labels, const OutputForm& output, const std::string& where);

}  // namespace ascribe::core::study
