#include "study/parts/merge_explanations.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "base/file.h"
#include "base/finite.h"
#include "base/output_file.h"
#include "base/table.h"
#include "base/watch.h"
#include "study/parts/explained_rows.h"
#include "tensor/npz_stream.h"

namespace ascribe::core::study {

namespace {

constexpr int64_t kMostColumns = 2048;
constexpr size_t kMostErrors = 10000, kMostNotes = 100;  // that the manifest lists
constexpr size_t kLongestName = 256;

struct MethodFacts {
  std::string name;
  bool sampled = false;  // some rows have standard errors
};

// What is known after a first look at all rows.
struct Overview {
  std::vector<MethodFacts> methods;
  int64_t samples = 0, failed = 0, players = 0;
  size_t longest_name = 1;
  std::optional<PartLayout> layout;  // of the first row that has one
  bool one_layout = true, one_row_shape = true;
  std::vector<std::string> notes;
  std::set<std::string> known_notes;
  Json errors = Json::list();
  std::string first_error;

  void note(const std::string& text) {
    if (notes.size() < kMostNotes && known_notes.insert(text).second) notes.push_back(text);
  }
  void error(const PartRow& row, const std::string& method, const std::string& what) {
    if (first_error.empty()) first_error = fmt::format("{}: {}", row.name, what);
    if (errors.size() >= kMostErrors) return;
    errors.push(Json::object({{"number", row.number}, {"name", row.name}, {"error", what}}));
    if (!method.empty()) errors.items().back()["method"] = method;
  }
};

// Every row in order, with its layout (null: it failed).
template <class F>
void each_row(const WholeWork& whole, size_t methods, const Progress& progress, std::string_view task, const F& f) {
  size_t part = 0;
  int64_t position = -1, done = 0;
  ExplainedRows block;
  for (const WholeWork::Place& place : whole.places()) {
    poll();
    report(progress, task, done, whole.header().items);
    if (position != place.position || part != place.part) {
      const std::string& path = whole.parts()[place.part];
      block = explained_rows(whole.block(place).body, methods, path);
      part = place.part;
      position = place.position;
    }
    const int64_t count = place.range.end - place.range.first;
    if (place.before + count > std::ssize(block.rows)) {
      fail(ErrorKind::io, whole.parts()[part], "the part is damaged: a block has fewer rows than items");
    }
    for (int64_t i = place.before; i < place.before + count; ++i) {
      const PartRow& row = block.rows[static_cast<size_t>(i)];
      f(block, row, row.error.empty() ? &block.layouts[row.layout] : nullptr);
    }
    done += count;
  }
}

size_t characters(std::string_view text) {
  size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return count;
}

Overview overview_of(const WholeWork& whole, const Progress& progress) {
  Overview found;
  const JsonPlace about(whole.header().about, whole.parts().front());
  for (const JsonPlace& one : about.at("methods").items()) found.methods.push_back({one.text("name")});
  for (const std::string& note : about.at("notes").texts()) found.note(note);
  each_row(whole, found.methods.size(), progress, "looking through",
           [&](const ExplainedRows& block, const PartRow& row, const PartLayout* layout) {
             if (&row == block.rows.data()) {
               for (const std::string& note : block.notes) found.note(note);
             }
             ++found.samples;
             found.longest_name = std::max(found.longest_name, std::min(kLongestName, characters(row.name)));
             bool failed = layout == nullptr;
             if (failed) found.error(row, "", row.error);
             for (size_t m = 0; m < row.answers.size(); ++m) {
               const PartAnswer& answer = row.answers[m];
               if (!answer.error.empty()) found.error(row, found.methods[m].name, answer.error);
               failed = failed || !answer.error.empty();
               found.methods[m].sampled = found.methods[m].sampled || !answer.standard_errors.empty();
               for (const std::string& note : answer.notes)
                 found.note(fmt::format("{}: {}", found.methods[m].name, note));
             }
             if (failed) ++found.failed;
             if (layout == nullptr) return;
             found.players = std::max(found.players, layout->players);
             if (!found.layout) found.layout = *layout;
             found.one_layout = found.one_layout && *layout == *found.layout;
             found.one_row_shape = found.one_row_shape && layout->row == found.layout->row;
           });
  return found;
}

Json manifest_of(const WholeWork& whole, const Overview& found, const std::string& file, Json arrays) {
  const PartHeader& header = whole.header();
  const JsonPlace about(header.about, whole.parts().front());
  Json players = Json();
  if (found.layout) {
    players = Json::object({{"count", found.players}, {"description", found.layout->description}});
    players["row"] = found.layout->row;
    if (found.one_layout) players["names"] = found.layout->names;
  }
  return Json::object({{"version", header.version},
                       {"file", file},
                       {"model", Json::object({{"path", about.text("model")}, {"sha256", header.model}})},
                       {"data", about.at("data").json()},
                       {"data_description", about.text("data_description")},
                       {"precision", header.precision},
                       {"seed", header.seed},
                       {"settings", header.settings},
                       {"settings_sha256", header.settings_hash()},
                       {"samples", found.samples},
                       {"failed", found.failed},
                       {"methods", about.at("methods").json()},
                       {"left_out", about.at("left_out").json()},
                       {"players", std::move(players)},
                       {"arrays", std::move(arrays)},
                       {"errors", found.errors},
                       {"notes", found.notes}});
}

// ---- arrays ----

template <class T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

// As NumPy's <U: four bytes a character, filled with zeros.
std::string wide_text(const std::string& text, size_t width) {
  std::vector<uint32_t> wide;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) == 0x80 && !wide.empty()) wide.back() = wide.back() << 6 | (byte & 0x3F);  // goes on
    else wide.push_back(byte < 0x80 ? byte : byte & (byte < 0xE0 ? 0x1F : byte < 0xF0 ? 0x0F : 0x07));
  }
  wide.resize(width, 0);
  return {reinterpret_cast<const char*>(wide.data()), width * sizeof(uint32_t)};
}

class ArrayWriter {
 public:
  ArrayWriter(const std::string& path, const Overview& found, bool overwrite)
      : found_(found), out_(path, fields_of(found), overwrite) {}

  void write(const PartRow& row, const PartLayout* layout) {
    next_ = 0;
    put(row.number);
    out_.append(next_++, wide_text(row.name, found_.longest_name));
    put(layout == nullptr ? int64_t{-1} : row.target);
    put(layout == nullptr ? kNothing : row.output);
    put(layout == nullptr ? kNothing : row.baseline_output);
    bool failed = layout == nullptr;
    for (const PartAnswer& answer : row.answers) failed = failed || !answer.error.empty();
    put(static_cast<uint8_t>(failed));
    static const PartAnswer kNone{"failed", {}, {}, 0, 0, 0, 0, false, {}};
    for (size_t m = 0; m < found_.methods.size(); ++m) {
      const PartAnswer& answer = layout == nullptr ? kNone : row.answers[m];
      const bool there = answer.error.empty();
      put_padded(answer.values);
      if (found_.methods[m].sampled) put_padded(answer.standard_errors);
      put(there ? answer.residual : kNothing);
      put(there ? answer.baseline_output : kNothing);
      put(static_cast<uint8_t>(there && answer.exact));
    }
    if (found_.one_layout || !found_.one_row_shape) return;
    const size_t elements = found_.layout->owner.size();
    std::string owners;
    for (size_t i = 0; i < elements; ++i) {
      owners.append(bytes_of(layout == nullptr ? int64_t{-1} : static_cast<int64_t>(layout->owner[i])));
    }
    out_.append(next_++, owners);
  }

  void finish() {
    if (found_.layout && found_.one_layout) {
      for (const int32_t owner : found_.layout->owner) {
        out_.append(out_.fields().size() - 1, bytes_of(static_cast<int64_t>(owner)));
      }
    }
    out_.finish();
  }

  Json arrays() const {
    Json list = Json::list();
    for (const NpzField& field : out_.fields()) {
      list.push(Json::object({{"name", field.name}, {"type", field.code}, {"shape", field.shape}}));
    }
    return list;
  }

 private:
  static constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

  static std::vector<NpzField> fields_of(const Overview& found) {
    const Shape one = {found.samples}, each = {found.samples, found.players};
    std::vector<NpzField> fields = {
        {"numbers", "<i8", 8, one},
        {"names", fmt::format("<U{}", found.longest_name), static_cast<int64_t>(4 * found.longest_name), one},
        {"targets", "<i8", 8, one},
        {"outputs", "<f8", 8, one},
        {"baseline_outputs", "<f8", 8, one},
        {"failed", "|b1", 1, one}};
    for (const MethodFacts& method : found.methods) {
      fields.push_back({method.name, "<f8", 8, each});
      if (method.sampled) fields.push_back({method.name + "_standard_error", "<f8", 8, each});
      fields.push_back({method.name + "_residual", "<f8", 8, one});
      fields.push_back({method.name + "_baseline_output", "<f8", 8, one});
      fields.push_back({method.name + "_exact", "|b1", 1, one});
    }
    if (found.layout && (found.one_layout || found.one_row_shape)) {
      Shape shape = found.layout->row;
      if (!found.one_layout) shape.insert(shape.begin(), found.samples);
      fields.push_back({"owner", "<i8", 8, shape});
    }
    return fields;
  }

  template <class T>
  void put(T value) {
    out_.append(next_++, bytes_of(value));
  }
  void put_padded(const std::vector<double>& values) {
    const size_t field = next_++;
    if (!values.empty()) {
      out_.append(field, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)});
    }
    for (int64_t i = std::ssize(values); i < found_.players; ++i) out_.append(field, bytes_of(kNothing));
  }

  const Overview& found_;
  NpzStream out_;
  size_t next_ = 0;
};

// ---- a table ----

class TableWriter {
 public:
  TableWriter(const std::string& path, const Overview& found, bool overwrite) : found_(found), out_(path, overwrite) {
    Table table{{"sample", "name", "method", "target", "about", "output", "baseline_output", "residual", "error"}};
    if (found.layout) table.head.insert(table.head.end(), found.layout->names.begin(), found.layout->names.end());
    out_.append(table.csv());
  }

  void write(const PartRow& row, const PartLayout* layout) {
    Table lines;
    for (size_t m = 0; m < found_.methods.size(); ++m) {
      const PartAnswer* answer = layout == nullptr ? nullptr : &row.answers[m];
      const bool there = answer != nullptr && answer->error.empty();
      std::vector<std::string>& line = lines.rows.emplace_back();
      line = {std::to_string(row.number),
              row.name,
              found_.methods[m].name,
              layout == nullptr || row.target < 0 ? "" : std::to_string(row.target),
              row.about,
              layout == nullptr ? "" : cell(row.output),
              there ? cell(answer->baseline_output) : "",
              there ? cell(answer->residual) : "",
              there               ? ""
              : answer == nullptr ? row.error
                                  : answer->error};
      for (int64_t p = 0; p < found_.players; ++p) {
        line.push_back(there ? cell(answer->values[static_cast<size_t>(p)]) : "");
      }
    }
    const std::string text = lines.csv();
    out_.append(std::string_view(text).substr(text.find('\n') + 1));  // without its empty head
  }

  void finish() { out_.finish(); }

 private:
  static std::string cell(double value) { return csv_if_finite(value, fmt::format("{}", value)); }

  const Overview& found_;
  OutputFile out_;
};

void check_table(const Overview& found, const std::string& path) {
  if (!found.one_layout) {
    fail(ErrorKind::argument, path,
         "the samples do not have the same players, so they are not a table; expected FILE.npz");
  }
  if (found.players > kMostColumns) {
    fail(ErrorKind::argument, path, "{} players would be as many columns; expected at most {}, or FILE.npz",
         found.players, kMostColumns);
  }
}

}  // namespace

MergedExplanations merge_explanations(const WholeWork& whole, const std::string& path, bool overwrite,
                                      const Progress& progress) {
  const bool table = path.ends_with(".csv");
  if (!table && !path.ends_with(".npz")) fail(ErrorKind::argument, path, "expected a name that ends in .npz or .csv");
  const std::string beside = std::filesystem::path(path).replace_extension(".json").string();
  if (!overwrite && std::filesystem::exists(beside)) {
    fail(ErrorKind::io, beside, "the file exists already; `force` replaces it");
  }
  const Overview found = overview_of(whole, progress);
  const auto write_rows = [&](auto& writer) {
    each_row(whole, found.methods.size(), progress, "writing",
             [&](const ExplainedRows&, const PartRow& row, const PartLayout* layout) { writer.write(row, layout); });
  };
  const std::string name = std::filesystem::path(path).filename().string();
  MergedExplanations merged{{path, beside}, found.samples, found.failed, found.first_error, found.notes, {}};
  if (table) {
    check_table(found, path);
    TableWriter writer(path, found, overwrite);
    write_rows(writer);
    merged.manifest = manifest_of(whole, found, name, Json::list());
    writer.finish();
  } else {
    ArrayWriter writer(path, found, overwrite);
    write_rows(writer);
    merged.manifest = manifest_of(whole, found, name, writer.arrays());
    writer.finish();
  }
  write_file(beside, merged.manifest.dump() + "\n", overwrite);
  report(progress, "", 1, 1);
  return merged;
}

}  // namespace ascribe::core::study
