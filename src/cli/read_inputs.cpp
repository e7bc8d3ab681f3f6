#include "cli/read_inputs.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/ranges.h>

namespace ascribe::core {

namespace {

// A file, and the input of the model it is for (empty: not said).
struct Named {
  std::string input;
  std::string path;
};

// Rows come first where their number is free. Where the file fixes it, the first axis still
// counts rows if it is 1 or if what follows looks like an image.
InputSlot slot_of(const Model& model, const Port& port) {
  const Type& type = model.graph()[port.value].type;
  InputSlot slot;
  slot.name = port.name;
  slot.row = at(type.shape, 1);
  slot.batched = !slot.row.empty() && (!type.shape[0].is_fixed() || slot.row[0] == 1 || slot.row.size() == 4);
  if (slot.batched) {
    slot.rows = type.shape[0].fixed;
    slot.row.erase(slot.row.begin());
  }
  slot.dtype = storage(type.kind, model.precision());
  slot.shape_text = to_string(type.shape);
  return slot;
}

std::vector<std::string> names_of(const std::vector<Port>& ports) {
  std::vector<std::string> names;
  for (const Port& port : ports) names.push_back(port.name);
  return names;
}

// A path may hold '=' itself: only what an input is called counts as a name.
Named parse_name(const std::string& text, const std::vector<std::string>& inputs) {
  for (const std::string& name : inputs) {
    if (text.starts_with(name + "=")) return {name, text.substr(name.size() + 1)};
  }
  return {"", text};
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

void read_one(const Named& named, const std::vector<InputSlot>& slots, const DataOptions& options, Batches& batches,
              std::vector<std::string>& notes) {
  const Source source = read_source(named.path, options.columns);
  const auto slot = std::find_if(slots.begin(), slots.end(), [&](const InputSlot& s) { return s.name == named.input; });
  const InputSlot* wanted = slots.size() == 1 ? &slots[0] : (slot == slots.end() ? nullptr : &*slot);
  const bool one_array = source.arrays.size() < 2;
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

}  // namespace

ModelInputs read_inputs(const Model& model, const InputOptions& input, std::vector<std::string>& notes) {
  const DataOptions options = data_options(input);
  const std::vector<Port>& ports = model.graph().inputs;
  std::vector<InputSlot> slots;
  for (const Port& port : ports) slots.push_back(slot_of(model, port));
  Batches batches;
  for (const std::string& text : input.paths) {
    read_one(parse_name(text, names_of(ports)), slots, options, batches, notes);
  }
  ModelInputs result;
  for (const InputSlot& slot : slots) {
    const auto found = batches.find(slot.name);
    if (found == batches.end()) {
      fail(ErrorKind::shape, input.paths[0], "nothing is given for the input '{}' {}; say {}=FILE", slot.name,
           slot.shape_text, slot.name);
    }
    Batch batch = concatenate(found->second, slot);
    if (slot.batched && !result.sources.empty() && result.sources.size() != batch.sources.size()) {
      fail(ErrorKind::shape, input.paths[0], "the inputs differ in their number of rows; got {} and {}",
           result.sources.size(), batch.sources.size());
    }
    if (result.sources.empty()) result.sources = batch.sources, result.columns = batch.columns;
    result.pictures.push_back(batch.picture);
    result.tensors.push_back(std::move(batch.values));
  }
  return result;
}

InputSlot input_slot(const Model& model, size_t input) { return slot_of(model, model.graph().inputs[input]); }

Batch read_rows(const Model& model, size_t input, const std::string& path, const InputOptions& options,
                std::vector<std::string>& notes) {
  DataOptions data = data_options(options);
  data.rows.clear();  // they choose among the rows that are explained
  const InputSlot slot = input_slot(model, input);
  const Source source = read_source(path, path.ends_with(".npy") ? std::vector<std::string>{} : data.columns);
  if (source.arrays.size() > 1)
    fail(ErrorKind::shape, path, "the archive holds {} arrays; expected one", source.arrays.size());
  return fit(source, 0, slot, data, notes);
}

}  // namespace ascribe::core
