// Explanations that are alike, and pictures of the rows that are named.
#include <algorithm>
#include <cmath>

#include "data/resize.h"
#include "study/dataset_parts.h"
#include "study/disagreement.h"
#include "study/explanation_groups.h"
#include "study/pixels.h"
#include "study/report_sections.h"

namespace ascribe::core::study {

namespace {

using document::DatasetDocument, document::number;

constexpr size_t kMostGrouped = 400;  // rows that groups are found with
constexpr size_t kExamples = 4, kPicturedRows = 60;
constexpr size_t kClassesOfGroup = 3;
constexpr int64_t kSideOfPicture = 96;

struct Unit {
  const RowRecord* row;
  std::vector<double> values;
};

document::ExplanationGroup group_of(const std::vector<const Unit*>& members, const Unit& typical, size_t features) {
  document::ExplanationGroup group;
  group.rows = std::ssize(members);
  group.typical = typical.row->number;
  group.typical_source = typical.row->source;
  std::vector<double> outputs, means(features, 0.0);
  std::vector<const RowRecord*> rows;
  for (const Unit* one : members) {
    outputs.push_back(one->row->output);
    rows.push_back(one->row);
    for (size_t f = 0; f < features; ++f) means[f] += one->values[f] / static_cast<double>(members.size());
  }
  group.means = document::numbers(means);
  group.output_mean = mean_of(outputs).mean;
  group.output_low = number(quantile(outputs, 0.05));
  group.output_high = number(quantile(outputs, 0.95));
  if (rows[0]->classes) group.classes = classes_of(rows);
  if (group.classes.size() > kClassesOfGroup) group.classes.resize(kClassesOfGroup);
  return group;
}

// The mean of pictures of the same size.
class MeanPicture {
 public:
  void add(const Image& image) {
    if (sums_.empty()) first_ = image, sums_.assign(image.pixels.size(), 0.0);
    if (image.pixels.size() != sums_.size()) return;
    for (size_t i = 0; i < sums_.size(); ++i) sums_[i] += image.pixels[i];
    ++count_;
  }
  std::optional<Image> mean() const {
    if (count_ == 0) return std::nullopt;
    Image image = first_;
    for (size_t i = 0; i < sums_.size(); ++i) image.pixels[i] = static_cast<float>(sums_[i] / count_);
    return document::picture(std::move(image));
  }

 private:
  Image first_;
  std::vector<double> sums_;
  double count_ = 0;
};

// Some of each group, the typical row first.
void add_group_pictures(document::ExplanationGroup& group, std::vector<int64_t> numbers, const DatasetWork& work,
                        MeanPicture& all) {
  std::vector<int64_t> some = {group.typical};
  const size_t step = std::max<size_t>(1, numbers.size() / kPicturedRows);
  for (size_t i = 0; i < numbers.size(); i += step) {
    if (numbers[i] != group.typical) some.push_back(numbers[i]);
  }
  MeanPicture mean;
  std::vector<int64_t> rising = some;
  std::sort(rising.begin(), rising.end());
  const AskedRows asked = work.stream.ask(rising);
  std::vector<Image> examples(std::min(kExamples, some.size()));
  for (const RowQuestion& question : asked.questions) {
    const Image picture = small_picture(question);
    mean.add(picture);
    all.add(picture);
    for (size_t e = 0; e < examples.size(); ++e) {
      if (some[e] == question.number) examples[e] = picture;
    }
  }
  std::erase_if(examples, [](const Image& image) { return image.pixels.empty(); });
  group.picture = mean.mean();
  group.examples = std::move(examples);
}

}  // namespace

Image small_picture(const RowQuestion& question) {
  Image image = document::picture(picture_of(question.x(), *question.players.image,
                                             question.picture ? question.picture->preprocess : std::nullopt));
  const int64_t side = std::max(image.width, image.height);
  if (side <= kSideOfPicture) return image;
  return document::picture(resize(image, std::max<int64_t>(1, image.height * kSideOfPicture / side),
                                  std::max<int64_t>(1, image.width * kSideOfPicture / side)));
}

void add_groups(DatasetDocument& document, const StudiedRows& studied, const DatasetWork& work) {
  if (document.features.size() < 2) {
    document.absent.push_back({"groups", document.features.empty()
                                             ? "rows of text have no features in common by which their explanations "
                                               "could be compared"
                                             : "there is one feature only"});
    return;
  }
  std::vector<Unit> units;
  document::GroupList& list = document.groups.emplace();
  for (const RowRecord& row : studied.rows) {
    std::vector<double> unit = unit_strength(row.attributions[document.trusted]);
    if (unit.empty()) ++list.without;
    else units.push_back({&row, std::move(unit)});
  }
  if (units.empty()) return;
  std::vector<std::vector<double>> sample;
  const size_t count = std::min(kMostGrouped, units.size());
  for (size_t i = 0; i < count; ++i) sample.push_back(units[i * units.size() / count].values);
  const Groups groups = group_explanations(sample);
  list.drawn = static_cast<int64_t>(count);
  list.silhouette = number(groups.silhouette);
  list.clear = groups.centres.size() > 1 && groups.silhouette >= kClearGroups;
  // Without clear groups all rows are one, whose middle is still worth knowing.
  const std::vector<size_t> centres = list.clear ? groups.centres : group_explanations(sample, 1).centres;
  std::vector<std::vector<const Unit*>> members(centres.size());
  for (const Unit& unit : units) members[nearest_centre(unit.values, sample, centres)].push_back(&unit);
  MeanPicture all;
  for (size_t g = 0; g < centres.size(); ++g) {
    const Unit& typical = units[centres[g] * units.size() / count];
    document::ExplanationGroup group = group_of(members[g], typical, document.features.size());
    if (document.kind == document::RowKind::image) {
      std::vector<int64_t> numbers;
      for (const Unit* one : members[g]) numbers.push_back(one->row->number);
      add_group_pictures(group, std::move(numbers), work, all);
    }
    list.groups.push_back(std::move(group));
  }
  document.picture = all.mean();
}

void add_pictures(DatasetDocument& document, const DatasetWork& work) {
  if (document.kind != document::RowKind::image) return;
  std::vector<int64_t> numbers;
  const auto each = [&](const auto& change) {
    for (auto* list : {&document.disagreements, &document.misses}) {
      for (document::ListedRow& row : *list) change(row);
    }
  };
  each([&](const document::ListedRow& row) { numbers.push_back(row.number); });
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  if (numbers.empty()) return;
  for (const RowQuestion& question : work.stream.ask(numbers).questions) {
    const Image picture = small_picture(question);
    each([&](document::ListedRow& row) {
      if (row.number == question.number) row.picture = picture;
    });
  }
}

}  // namespace ascribe::core::study
