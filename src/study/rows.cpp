#include "study/rows.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/ranges.h>

#include "base/closest_name.h"
#include "base/file.h"
#include "data/id_lines.h"
#include "study/column_rows.h"
#include "study/companions.h"
#include "study/series.h"

namespace ascribe::core::study {

namespace {

InputSlot slot_of(const Model& model, const Port& port, DType real) {
  const Type& type = model.graph()[port.value].type;
  const RowsOf rows = rows_in(type.shape);
  InputSlot slot;
  slot.name = port.name;
  slot.row = rows.row;
  slot.batched = rows.first;
  slot.rows = !model.batched() && rows.first && rows.rows == 1 ? 0 : rows.rows;  // one after the other
  slot.dtype = storage(type.kind, real);
  slot.shape_text = to_string(type.shape);
  slot.series = series_read(model.graph(), port.value);
  return slot;
}

std::vector<std::string> names_of(const std::vector<Port>& ports) {
  std::vector<std::string> names;
  for (const Port& port : ports) names.push_back(port.name);
  return names;
}

// The inputs that a file is for: the named one, or all that no file names.
std::vector<InputSlot> slots_of(const NamedPath& named, const std::vector<InputSlot>& slots,
                                const std::vector<std::string>& files, const std::vector<std::string>& inputs) {
  std::vector<InputSlot> wanted;
  for (const InputSlot& slot : slots) {
    const auto names_it = [&](const std::string& file) { return named_path(file, inputs).input == slot.name; };
    const bool elsewhere = std::any_of(files.begin(), files.end(), names_it);
    if (named.input.empty() ? !elsewhere : slot.name == named.input) wanted.push_back(slot);
  }
  return wanted;
}

using Batches = std::map<std::string, std::vector<Batch>>;

// The arrays of a .npz go to the inputs of their names.
void read_archive(const Source& source, const std::vector<InputSlot>& slots, const DataOptions& options,
                  Batches& batches, std::vector<std::string>& notes) {
  for (size_t i = 0; i < source.arrays.size(); ++i) {
    const auto slot = std::find_if(slots.begin(), slots.end(),
                                   [&](const InputSlot& one) { return one.name == source.arrays[i].name; });
    if (slot != slots.end()) batches[slot->name].push_back(fit(source, i, *slot, options, notes));
  }
}

void take_source(const NamedPath& named, const Source& source, const std::vector<InputSlot>& slots,
                 const DataOptions& options, Batches& batches, std::vector<std::string>& notes) {
  const auto slot = std::find_if(slots.begin(), slots.end(), [&](const InputSlot& s) { return s.name == named.input; });
  const InputSlot* wanted = slots.size() == 1 ? &slots[0] : (slot == slots.end() ? nullptr : &*slot);
  const bool one_array = source.arrays.size() < 2;
  const bool nameless = source.arrays.empty() || source.arrays[0].name.empty();
  if (const auto leading = leading_input(slots); wanted == nullptr && named.input.empty() && nameless && leading) {
    wanted = &slots[*leading];
  }
  if (wanted != nullptr && one_array) {
    batches[wanted->name].push_back(fit(source, 0, *wanted, options, notes));
    return;
  }
  const bool archive = !source.arrays.empty() && !source.arrays[0].name.empty();
  if (archive && named.input.empty()) {
    const size_t before = batches.size();
    read_archive(source, slots, options, batches, notes);
    if (batches.size() > before || slots.size() > 1) return;
    std::vector<std::string> names;
    for (const Array& array : source.arrays) names.push_back(array.name);
    fail(ErrorKind::shape, named.path, "no array is named as the model's input; got {}; expected '{}'",
         fmt::join(names, ", "), slots[0].name);
  }
  std::vector<std::string> names;
  for (const InputSlot& one : slots) names.push_back(one.name);
  fail(ErrorKind::argument, named.path, "the model has several inputs; say NAME=FILE, with NAME one of {}",
       fmt::join(names, ", "));
}

// Arrays are fitted as those of .npy files are, and called as the caller calls them.
void take_array(const GivenArray& given, const RowSource& input, const std::vector<InputSlot>& slots,
                const DataOptions& options, Batches& batches, std::vector<std::string>& notes) {
  Source source;
  source.path = "row";
  source.arrays = {{"", given.values, std::string(to_string(given.values.dtype()))}};
  source.columns = input.feature_names;
  source.row_names = input.names;
  const int64_t most = given.values.rank() == 0 ? 1 : given.values.shape()[0];
  for (int64_t r = std::ssize(source.row_names); r < most; ++r) source.row_names.push_back(fmt::format("row {}", r));
  std::vector<std::string> names;
  for (const InputSlot& slot : slots) names.push_back(slot.name);
  const size_t leading = leading_input(slots).value_or(0);
  const bool known = given.input.empty() ? slots.size() == 1 || leading_input(slots).has_value()
                                         : std::find(names.begin(), names.end(), given.input) != names.end();
  if (!known) {
    fail(ErrorKind::argument, "input", "got an array for the input '{}'; {}", given.input,
         expected_one_of(given.input, names));
  }
  const NamedPath named{given.input.empty() ? slots[leading].name : given.input, "input"};
  take_source(named, source, slots, options, batches, notes);
}

// Masks, token types and positions follow from the ids where nobody gives them.
void add_companions(Batches& batches, const std::vector<InputSlot>& slots, std::vector<std::string>& notes) {
  const auto leading = std::find_if(slots.begin(), slots.end(), [&](const InputSlot& slot) {
    return slot.dtype == DType::i64 && !is_companion(slot.name) && batches.contains(slot.name);
  });
  if (leading == slots.end()) return;
  std::vector<std::string> sources;
  for (const Batch& batch : batches[leading->name]) {
    sources.insert(sources.end(), batch.sources.begin(), batch.sources.end());
  }
  for (const InputSlot& slot : slots) {
    if (batches.contains(slot.name)) continue;
    auto rows = companion_rows(slot, *leading, std::ssize(sources), notes);
    if (rows) batches[slot.name].push_back({std::move(*rows), sources, {}, {}});
  }
}

}  // namespace

NamedPath named_path(const std::string& text, const std::vector<std::string>& inputs) {
  for (const std::string& name : inputs) {
    if (text.starts_with(name + "=")) return {name, text.substr(name.size() + 1)};
  }
  return {"", text};
}

std::string RowSource::where() const {
  if (!files.empty()) return files[0];
  return contents.empty() ? "input" : contents[0].name;
}

const FileBytes* RowSource::find_in_memory(const std::string& name) const {
  const auto found =
      std::find_if(in_memory.begin(), in_memory.end(), [&](const auto& file) { return file.name == name; });
  return found == in_memory.end() ? nullptr : &*found;
}

DataOptions data_options(const RowSource& source) {
  DataOptions options;
  options.rows = source.rows;
  options.columns = source.columns;
  if (!source.preprocess.empty()) options.preprocess = parse_preprocess(source.preprocess);
  return options;
}

ModelInputs read_inputs(const Model& model, const RowSource& input, DType real, std::vector<std::string>& notes) {
  const DataOptions options = data_options(input);
  const std::vector<Port>& ports = model.graph().inputs;
  std::vector<InputSlot> slots;
  for (const Port& port : ports) slots.push_back(slot_of(model, port, real));
  Batches batches;
  const std::map<std::string, std::vector<TextColumn>>& texts = model.info().texts;
  const auto take = [&](const NamedPath& named, const std::string& bytes) {
    const std::vector<InputSlot> wanted = slots_of(named, slots, input.files, names_of(ports));
    const ColumnReading reading{wanted, texts, options};
    if ((named.input.empty() && slots.size() > 1 && !is_id_lines(bytes, named.path)) ||
        std::any_of(wanted.begin(), wanted.end(), [&](const InputSlot& slot) { return texts.contains(slot.name); })) {
      if (const auto table = table_text(bytes, named.path)) {
        for (auto& [name, batch] : read_columns(reading, *table, named.path, notes)) batches[name].push_back(batch);
        return;
      }
    }
    take_source(named, parse_source(bytes, named.path, options.columns), slots, options, batches, notes);
  };
  for (const std::string& text : input.files) {
    const NamedPath named = named_path(text, names_of(ports));
    take(named, read_file(named.path));
  }
  for (const FileBytes& file : input.contents) take(named_path(file.name, names_of(ports)), file.bytes);
  for (const GivenArray& given : input.arrays) take_array(given, input, slots, options, batches, notes);
  add_companions(batches, slots, notes);
  ModelInputs result;
  for (const InputSlot& slot : slots) {
    const auto found = batches.find(slot.name);
    if (found == batches.end()) {
      refuse_cache(slot.name);
      fail(ErrorKind::shape, input.where(), "nothing is given for the input '{}' {}; say {}=FILE", slot.name,
           slot.shape_text, slot.name);
    }
    Batch batch = concatenate(found->second, slot);
    if (slot.batched && !result.sources.empty() && result.sources.size() != batch.sources.size()) {
      fail(ErrorKind::shape, input.where(), "the inputs differ in their number of rows; got {} and {}",
           result.sources.size(), batch.sources.size());
    }
    if (result.sources.empty()) result.sources = batch.sources, result.columns = batch.columns;
    result.columns_of.push_back(batch.columns);
    result.pictures.push_back(batch.picture);
    result.tensors.push_back(std::move(batch.values));
  }
  if (!model.batched() && result.sources.size() > 1) {
    notes.push_back(model.why_not_batched().empty()
                        ? std::string("rows are run one after the other")
                        : fmt::format("rows are run one after the other: {}", model.why_not_batched()));
  }
  return result;
}

ModelInputs with_companions(const Model& model, size_t input, Batch rows, DType real, std::vector<std::string>& notes) {
  const InputSlot own = input_slot(model, input, real);
  ModelInputs inputs;
  for (size_t i = 0; i < model.graph().inputs.size(); ++i) {
    const InputSlot slot = input_slot(model, i, real);
    auto follows = i == input ? rows.values : companion_rows(slot, own, std::ssize(rows.sources), notes);
    if (!follows) {
      fail(ErrorKind::unsupported, slot.name, "the model has several inputs, and this one does not follow from '{}'",
           own.name);
    }
    inputs.tensors.push_back(std::move(*follows));
    inputs.pictures.push_back(i == input ? rows.picture : std::nullopt);
  }
  inputs.sources = std::move(rows.sources);
  inputs.columns = std::move(rows.columns);
  return inputs;
}

InputSlot input_slot(const Model& model, size_t input, DType real) {
  return slot_of(model, model.graph().inputs[input], real);
}

Batch read_rows(const Model& model, size_t input, const std::string& path, const RowSource& read,
                std::vector<std::string>& notes) {
  DataOptions data = data_options(read);
  data.rows.clear();  // they choose among the rows that are explained
  const InputSlot slot = input_slot(model, input, DType::f64);
  const std::vector<std::string> columns = path.ends_with(".npy") ? std::vector<std::string>{} : data.columns;
  const FileBytes* file = read.find_in_memory(path);
  const Source source = file == nullptr ? read_source(path, columns) : parse_source(file->bytes, path, columns);
  if (source.arrays.size() > 1)
    fail(ErrorKind::shape, path, "the archive holds {} arrays; expected one", source.arrays.size());
  return fit(source, 0, slot, data, notes);
}

}  // namespace ascribe::core::study
