#include "study/dataset_document.h"

#include <algorithm>
#include <array>

#include "base/base64.h"
#include "base/json_place.h"
#include "data/png.h"

namespace ascribe::core::document {

namespace dataset_file {
namespace {

constexpr const char* kFormat = "ascribe data set report";
constexpr int64_t kVersion = 1;
constexpr int64_t kLargest = int64_t{1} << 53;
constexpr size_t kMostPictureBytes = size_t{1} << 24;

// Every part names its fields once (`entries`), for writing and for reading. `needs`: a file must have it; `has`: it
// may lack it or have null, and then it stays as it is in a new part.
struct Writing {
  Json::Members written = {};
  void needs(const char* key, const auto& value) { written.push_back({key, json_of(value)}); }
  void has(const char* key, const auto& value) { needs(key, value); }

  static Json json_of(const Image& image) { return base64(encode_png(image)); }
  static Json json_of(const RowKind& kind) { return to_string(kind); }
  static Json json_of(const Facts& facts) { return facts; }
  static Json json_of(const std::vector<int32_t>& list) { return Json(list); }
  static Json json_of(const std::vector<Number>& list) { return Json(list); }
  static Json json_of(const std::vector<std::string>& list) { return Json(list); }
  static Json json_of(const std::string& text) { return text; }
  static Json json_of(const Number& value) { return value; }
  static Json json_of(const double& value) { return value; }
  static Json json_of(const bool& value) { return value; }
  static Json json_of(const int64_t& value) { return value; }
  static Json json_of(const size_t& value) { return value; }
  template <class T>
  static Json json_of(const std::optional<T>& value) {
    return value ? json_of(*value) : Json();
  }
  template <class T>
  static Json json_of(const std::vector<T>& list) {
    Json json = Json::list();
    for (const T& one : list) json.push(json_of(one));
    return json;
  }
  template <class Part>
  static Json json_of(const Part& part) {
    Writing inside;
    entries(inside, part);
    return std::move(inside.written);
  }
};

struct Reading {
  JsonPlace place;
  void needs(const char* key, auto& value) { read(place.at(key), value); }
  void has(const char* key, auto& value) {
    if (place.has(key)) needs(key, value);
  }

  static void read(const JsonPlace& at, std::string& text) { text = at.text(); }
  static void read(const JsonPlace& at, bool& value) { value = at.truth(); }
  static void read(const JsonPlace& at, double& value) { value = at.finite(); }
  static void read(const JsonPlace& at, Number& value) { value = at.number(); }
  static void read(const JsonPlace& at, int64_t& value) { value = at.whole(0, kLargest); }
  static void read(const JsonPlace& at, int32_t& value) { value = static_cast<int32_t>(at.whole(-1, 1 << 26)); }
  static void read(const JsonPlace& at, size_t& value) { value = static_cast<size_t>(at.whole(0, 1 << 26)); }
  static void read(const JsonPlace& at, Facts& facts) { facts = at.members(); }
  static void read(const JsonPlace& at, std::vector<Number>& list) { list = at.numbers(); }
  static void read(const JsonPlace& at, Image& image) {
    const auto bytes = decode_base64(at.text());
    if (!bytes || bytes->size() > kMostPictureBytes) at.refuse("is not a picture in base64");
    image = decode_png(*bytes, std::string(at.where()));
  }
  static void read(const JsonPlace& at, RowKind& kind) {
    for (const RowKind one : {RowKind::image, RowKind::table, RowKind::sequence, RowKind::series, RowKind::text}) {
      if (at.text() == to_string(one)) {
        kind = one;
        return;
      }
    }
    at.refuse("is '" + at.text() + "'; expected image, table, sequence, series or text");
  }
  template <class T>
  static void read(const JsonPlace& at, std::optional<T>& value) {
    read(at, value.emplace());
  }
  template <class T>
  static void read(const JsonPlace& at, std::vector<T>& list) {
    for (const JsonPlace& item : at.items()) read(item, list.emplace_back());
  }
  template <class Part>
  static void read(const JsonPlace& at, Part& part) {
    Reading inside{at};
    entries(inside, part);
  }
};

template <class T, class Part>
concept Like = std::same_as<std::remove_const_t<T>, Part>;

void entries(auto& f, Like<Mean> auto& mean) {
  f.has("mean", mean.mean);
  f.has("low", mean.low);
  f.has("high", mean.high);
}

void entries(auto& f, Like<Feature> auto& feature) {
  f.needs("name", feature.name);
  f.has("number", feature.number);
  f.has("categories", feature.categories);
  f.has("low", feature.low);
  f.has("high", feature.high);
}

void entries(auto& f, Like<DatasetMethod> auto& method) {
  f.needs("name", method.name);
  f.needs("title", method.title);
  f.has("kind", method.kind);
  f.has("parameters", method.parameters);
  f.has("holds", method.holds);
  f.has("complete", method.complete);
  f.needs("magnitudes", method.magnitudes);
  f.needs("means", method.means);
  f.has("infidelity", method.infidelity);
  f.has("mean_miss", method.mean_miss);
  f.has("worst_miss", method.worst_miss);
  f.has("rows", method.rows);
  f.has("seconds", method.seconds);
  f.has("notes", method.notes);
}

void entries(auto& f, Like<LeftOut> auto& left) {
  f.needs("method", left.method);
  f.needs("reason", left.reason);
}

void entries(auto& f, Like<Absent> auto& absent) {
  f.needs("part", absent.part);
  f.needs("reason", absent.reason);
}

void entries(auto& f, Like<OutputClass> auto& one) {
  f.needs("name", one.name);
  f.needs("rows", one.rows);
  f.has("mean", one.mean);
}

void entries(auto& f, Like<Outputs> auto& outputs) {
  f.has("explains", outputs.explains);
  f.has("name", outputs.name);
  f.has("least", outputs.least);
  f.has("median", outputs.median);
  f.has("most", outputs.most);
  f.has("mean", outputs.mean);
  f.has("classes", outputs.classes);
  f.has("other_classes", outputs.other_classes);
  f.has("other_rows", outputs.other_rows);
  f.has("edges", outputs.edges);
  f.has("counts", outputs.counts);
}

void entries(auto& f, Like<ShownRow> auto& row) {
  f.needs("number", row.number);
  f.has("source", row.source);
  f.has("target", row.target);
  f.has("output", row.output);
  f.needs("values", row.values);
  f.needs("attributions", row.attributions);
}

void entries(auto& f, Like<Dependence> auto& one) {
  f.needs("feature", one.feature);
  f.has("partner", one.partner);
  f.has("strength", one.strength);
  f.has("rule", one.rule);
}

void entries(auto& f, Like<ExplanationGroup> auto& group) {
  f.needs("rows", group.rows);
  f.needs("typical", group.typical);
  f.has("typical_source", group.typical_source);
  f.needs("means", group.means);
  f.has("output_mean", group.output_mean);
  f.has("output_low", group.output_low);
  f.has("output_high", group.output_high);
  f.has("classes", group.classes);
  f.has("picture", group.picture);
  f.has("examples", group.examples);
}

void entries(auto& f, Like<GroupList> auto& list) {
  f.has("drawn", list.drawn);
  f.has("without", list.without);
  f.has("silhouette", list.silhouette);
  f.has("clear", list.clear);
  f.needs("groups", list.groups);
}

void entries(auto& f, Like<DatasetSpectrum> auto& spectrum) {
  f.needs("rows", spectrum.rows);
  f.has("undefined", spectrum.undefined);
  f.needs("players", spectrum.players);
  f.has("rest", spectrum.rest);
  f.needs("orders", spectrum.orders);
}

void entries(auto& f, Like<ListedRow> auto& row) {
  f.needs("number", row.number);
  f.has("source", row.source);
  f.has("target", row.target);
  f.has("output", row.output);
  f.has("measure", row.measure);
  f.has("first", row.first);
  f.has("second", row.second);
  f.has("picture", row.picture);
}

void entries(auto& f, Like<FailedRow> auto& row) {
  f.needs("number", row.number);
  f.has("source", row.source);
  f.needs("reason", row.reason);
}

void entries(auto& f, Like<WordStrength> auto& word) {
  f.needs("word", word.word);
  f.needs("rows", word.rows);
  f.has("magnitude", word.magnitude);
  f.has("mean", word.mean);
}

void entries(auto& f, Like<DatasetDocument> auto& d) {
  f.needs("kind", d.kind);
  f.has("data", d.data);
  f.needs("rows_in_data", d.rows_in_data);
  f.has("rows_wanted", d.rows_wanted);
  f.needs("rows_explained", d.rows_explained);
  f.has("sampling", d.sampling);
  f.has("baseline", d.baseline);
  f.has("noun", d.noun);
  f.has("far_baseline", d.far_baseline);
  f.needs("outputs", d.outputs);
  f.needs("features", d.features);
  f.needs("drawn", d.drawn);
  f.needs("methods", d.methods);
  f.has("left_out", d.left_out);
  f.has("choice", d.choice);
  f.needs("trusted", d.trusted);
  f.has("trust", d.trust);
  f.has("tested", d.tested);
  f.has("agreeing", d.agreeing);
  f.has("agreement", d.agreement);
  f.has("agreement_mean", d.agreement_mean);
  f.needs("shown", d.shown);
  f.has("dependences", d.dependences);
  f.has("groups", d.groups);
  f.has("spectrum", d.spectrum);
  f.has("disagreements", d.disagreements);
  f.has("misses", d.misses);
  f.has("misses_of_promised", d.misses_of_promised);
  f.has("failed", d.failed);
  f.has("failed_rows", d.failed_rows);
  f.has("words", d.words);
  f.has("picture", d.picture);
  f.has("owner", d.owner);
  f.has("absent", d.absent);
  f.has("pages", d.pages);
  f.has("folder", d.folder);
  f.has("row_command", d.row_command);
}

// ---- what a list of entries cannot say ----

void expect(const JsonPlace& place, size_t got, size_t wanted, const char* of_what) {
  if (got == wanted) return;
  place.refuse(fmt::format("has {} items; expected {}, one for each {}", got, wanted, of_what));
}

void check_index(const JsonPlace& place, size_t index, size_t count, const char* of_what) {
  if (index >= count) place.refuse(fmt::format("is {}; there are {} {}", index, count, of_what));
}

void check_rows(const JsonPlace& place, const DatasetDocument& d) {
  const JsonPlace list = place.at("shown");
  for (size_t r = 0; r < d.shown.size(); ++r) {
    const ShownRow& row = d.shown[r];
    expect(list.item(r).at("values"), row.values.size(), d.drawn.size(), "feature that is drawn");
    expect(list.item(r).at("attributions"), row.attributions.size(), d.methods.size(), "method");
    for (const auto& values : row.attributions) {
      expect(list.item(r).at("attributions"), values.size(), d.drawn.size(), "feature that is drawn");
    }
  }
}

void check_pictures(const JsonPlace& place, const DatasetDocument& d) {
  if (!d.picture) return;
  const auto pixels = static_cast<size_t>(d.picture->width * d.picture->height);
  if (place.has("owner")) expect(place.at("owner"), d.owner.size(), pixels, "pixel");
  for (const int32_t owner : d.owner) {
    if (owner >= 0) check_index(place.at("owner"), static_cast<size_t>(owner), d.features.size(), "features");
  }
  for (const ExplanationGroup& group : d.groups ? d.groups->groups : std::vector<ExplanationGroup>()) {
    if (group.picture && (group.picture->width != d.picture->width || group.picture->height != d.picture->height)) {
      place.at("groups").refuse("has a picture of another size");
    }
  }
}

// Links go beside the page, never elsewhere.
void check_folder_name(const JsonPlace& place, const std::string& folder) {
  const bool plain = folder.find_first_of("/\\:?#%") == std::string::npos && folder != ".." && folder != ".";
  if (!plain) place.at("folder").refuse("is not the name of a folder");
}

void check(const JsonPlace& place, const DatasetDocument& d) {
  if (d.methods.empty()) place.at("methods").refuse("is empty; expected at least one method");
  check_index(place.at("trusted"), d.trusted, d.methods.size(), "methods");
  for (size_t i = 0; i < d.drawn.size(); ++i) {
    check_index(place.at("drawn").item(i), d.drawn[i], d.features.size(), "features");
  }
  for (const size_t f : d.far_baseline) check_index(place.at("far_baseline"), f, d.features.size(), "features");
  for (size_t m = 0; m < d.methods.size(); ++m) {
    const JsonPlace method = place.at("methods").item(m);
    expect(method.at("magnitudes"), d.methods[m].magnitudes.size(), d.features.size(), "feature");
    expect(method.at("means"), d.methods[m].means.size(), d.features.size(), "feature");
  }
  check_rows(place, d);
  for (const Dependence& one : d.dependences) {
    check_index(place.at("dependences"), one.feature, d.drawn.size(), "features that are drawn");
    if (one.partner) check_index(place.at("dependences"), *one.partner, d.features.size(), "features");
  }
  for (const ExplanationGroup& group : d.groups ? d.groups->groups : std::vector<ExplanationGroup>()) {
    expect(place.at("groups"), group.means.size(), d.features.size(), "feature");
  }
  if (!d.agreement.empty()) expect(place.at("agreement"), d.agreement.size(), d.agreeing.size(), "method");
  for (const auto& line : d.agreement) expect(place.at("agreement"), line.size(), d.agreeing.size(), "method");
  const size_t bins = d.outputs.counts.size();
  if (bins > 0) expect(place.at("outputs").at("edges"), d.outputs.edges.size(), bins + 1, "end of a column");
  check_pictures(place, d);
  check_folder_name(place, d.folder);
}

}  // namespace
}  // namespace dataset_file

Json to_json(const DatasetDocument& document) {
  Json json = Json::object({{"format", dataset_file::kFormat}, {"version", dataset_file::kVersion}});
  json.update(head_json(document.head));
  dataset_file::Writing writing;
  entries(writing, document);
  json.update(Json(std::move(writing.written)));
  return json;
}

std::string file_text(const DatasetDocument& document) { return to_json(document).dump(1) + "\n"; }

bool is_dataset(const Json& json) {
  const Json* format = json.find("format");
  return format != nullptr && format->is_text() && format->text() == dataset_file::kFormat;
}

DatasetDocument dataset_from(const Json& json, std::string_view where) {
  const JsonPlace place(json, where);
  if (place.text("format") != dataset_file::kFormat) {
    place.at("format").refuse(fmt::format("is '{}'; expected '{}'", place.text("format"), dataset_file::kFormat));
  }
  const int64_t version = place.at("version").whole(0, 1 << 26);
  if (version != dataset_file::kVersion) {
    place.at("version").refuse(fmt::format("is {}; this program reads version {}", version, dataset_file::kVersion));
  }
  DatasetDocument document;
  document.head = head_from(json, where);
  dataset_file::Reading reading{place};
  entries(reading, document);
  dataset_file::check(place, document);
  return document;
}

void each_note(DatasetDocument& document, const std::function<void(std::string&)>& change) {
  each_note(document.head, change);
  for (Absent& absent : document.absent) change(absent.reason);
  for (LeftOut& left : document.left_out) change(left.reason);
  for (FailedRow& row : document.failed) change(row.reason);
  change(document.choice);
  change(document.trust);
  change(document.sampling);
  for (DatasetMethod& method : document.methods) {
    for (std::string& note : method.notes) change(note);
  }
}

}  // namespace ascribe::core::document
