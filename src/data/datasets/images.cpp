// Folders of .png and .jpg files as a data set. The images, their classes and their boxes come from
//   a table     with a column file, and perhaps a class and x0, y0, x1, y1 (also xmin, ...); a line per box
//   sub-folders one per class, in the order of their names
//   XML files   of the images' names, beside them or in a folder of annotations (data/voc_boxes.h)
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/ranges.h>

#include "base/ascii.h"
#include "base/file.h"
#include "data/datasets/formats.h"
#include "data/table.h"
#include "data/voc_boxes.h"

namespace ascribe::core {

namespace {

namespace fs = std::filesystem;

constexpr size_t kLargestXml = size_t{1} << 22;

bool is_image_name(const fs::path& path) {
  const std::string end = ascii_lower(path.extension().string());
  return end == ".png" || end == ".jpg" || end == ".jpeg";
}

// An image, before it is read.
struct Listed {
  std::string name;  // relative to the folder
  std::string path;
  int64_t label = -1;
  std::string class_name = {};
  std::vector<Box> boxes = {};
};

struct Listing {
  std::vector<Listed> images;
  std::vector<std::string> classes;  // by sub-folder, or by names in a table
  bool labelled = false, boxed = false;
};

// ---- folders ----

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder, fs::directory_options::skip_permission_denied)) {
    if (!entry.path().filename().string().starts_with('.')) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

Listing list_folder(const std::string& folder) {
  Listing listing;
  const std::vector<fs::path> entries = sorted_entries(folder);
  for (const fs::path& path : entries) {
    if (is_image_name(path)) listing.images.push_back({path.filename().string(), path.string()});
  }
  if (!listing.images.empty()) return listing;
  for (const fs::path& sub : entries) {
    if (!fs::is_directory(sub)) continue;
    const size_t before = listing.images.size();
    const std::string name = sub.filename().string();
    for (const fs::path& path : sorted_entries(sub)) {
      if (!is_image_name(path)) continue;
      listing.images.push_back(
          {name + "/" + path.filename().string(), path.string(), std::ssize(listing.classes), name});
    }
    if (listing.images.size() > before) listing.classes.push_back(name);
  }
  listing.labelled = !listing.images.empty();
  return listing;
}

// ---- tables ----

constexpr std::string_view kFileColumns[] = {"file", "filename", "file_name", "image", "path"};
constexpr std::string_view kClassColumns[] = {"class_index", "class_id", "target", "label",
                                              "class",       "name",     "wnid",   "synset"};
constexpr std::string_view kBoxColumns[][4] = {{"x0", "y0", "x1", "y1"},
                                               {"xmin", "ymin", "xmax", "ymax"},
                                               {"x_min", "y_min", "x_max", "y_max"},
                                               {"left", "top", "right", "bottom"}};

std::optional<size_t> place_of(std::string_view name, const std::vector<std::string>& names) {
  const auto found = std::find_if(names.begin(), names.end(),
                                  [&](const std::string& one) { return ascii_lower(one) == ascii_lower(name); });
  if (found == names.end()) return std::nullopt;
  return static_cast<size_t>(found - names.begin());
}

std::optional<size_t> file_column(const std::vector<std::string>& names) {
  for (const std::string_view name : kFileColumns) {
    if (const auto place = place_of(name, names)) return place;
  }
  return std::nullopt;
}

class ImageTable {
 public:
  ImageTable(const std::string& path, const std::string& folder, const DatasetOptions& options)
      : lines_(ByteStream(path)), folder_(folder), options_(options) {
    const auto head = lines_.next();
    if (!head) fail(ErrorKind::io, path, "the table is empty");
    names_ = head->cells;
    const auto file = file_column(names_);
    if (!file) {
      fail(ErrorKind::io, path, "no column holds the names of the images; got {}; expected one of {}",
           some_names(names_), fmt::join(kFileColumns, ", "));
    }
    file_ = *file;
    for (const auto& sides : kBoxColumns) {
      if (!place_of(sides[0], names_)) continue;
      for (size_t side = 0; side < 4; ++side) {
        const auto place = place_of(sides[side], names_);
        if (!place) fail(ErrorKind::io, path, "there is a column {}, but no column {}", sides[0], sides[side]);
        sides_[side] = *place;
      }
      boxed_ = true;
      break;
    }
  }

  Listing read() {
    Listing listing;
    while (const auto line = lines_.next()) {
      if (line->cells.size() != names_.size()) {
        refuse(*line, fmt::format("{} cells; expected {}", line->cells.size(), names_.size()));
      }
      if (listing.images.empty()) choose_class_column(*line);
      Listed& image = image_of(*line, listing);
      if (boxed_) add_box(*line, image);
    }
    if (listing.images.empty()) fail(ErrorKind::io, lines_.path(), "the table has no rows");
    if (class_ && !numbered_) number_classes(listing);
    listing.labelled = class_.has_value();
    listing.boxed = boxed_;
    return listing;
  }

 private:
  [[noreturn]] void refuse(const TableLine& line, std::string_view what) const {
    fail(ErrorKind::io, lines_.path(), "line {}: {}", line.number, what);
  }

  // A column of numbers, or else one of names: those that the model's classes have, if they are known.
  void choose_class_column(const TableLine& first) {
    std::vector<size_t> columns;
    if (!options_.labels.empty()) {
      columns.push_back(static_cast<size_t>(chosen_columns(names_, {options_.labels}, lines_.path()).at(0)));
    } else {
      for (const std::string_view name : kClassColumns) {
        if (const auto place = place_of(name, names_)) columns.push_back(*place);
      }
    }
    const auto take = [&](auto good) {
      const auto found = std::find_if(columns.begin(), columns.end(), good);
      if (found != columns.end() && !class_) class_ = *found;
    };
    const auto& classes = options_.classes;
    take([&](size_t c) { return whole_number(first.cells[c]).has_value(); });
    numbered_ = class_.has_value();
    take([&](size_t c) { return std::find(classes.begin(), classes.end(), first.cells[c]) != classes.end(); });
    if (classes.empty() || !options_.labels.empty()) take([](size_t) { return true; });
  }

  Listed& image_of(const TableLine& line, Listing& listing) {
    const std::string& name = line.cells[file_];
    const auto [known, fresh] = places_.try_emplace(name, listing.images.size());
    if (fresh) listing.images.push_back({name, found(line, name)});
    Listed& image = listing.images[known->second];
    if (!class_) return image;
    const std::string& cell = line.cells[*class_];
    if (numbered_) {
      const auto number = whole_number(cell);
      if (!number || *number < 0) refuse(line, fmt::format("'{}' is not the number of a class", cell));
      if (!fresh && image.label != *number) refuse(line, fmt::format("'{}' has two classes", name));
      image.label = *number;
    }
    image.class_name = cell;
    return image;
  }

  // In the folder, or below it in one of the table's name ("val.csv" beside "val/").
  std::string found(const TableLine& line, const std::string& name) const {
    const fs::path relative(name);
    if (relative.is_absolute() || std::find(relative.begin(), relative.end(), "..") != relative.end()) {
      refuse(line, fmt::format("'{}' lies outside the folder", name));
    }
    const fs::path beside = fs::path(folder_) / fs::path(lines_.path()).stem();
    for (const fs::path& path :
         {fs::path(folder_) / relative, beside / relative, fs::path(folder_) / relative.filename()}) {
      if (fs::is_regular_file(path)) return path.string();
    }
    refuse(line, fmt::format("there is no image '{}' in {}", name, folder_));
  }

  void add_box(const TableLine& line, Listed& image) const {
    const auto empty = [&](size_t side) { return line.cells[side].empty(); };
    if (std::all_of(sides_.begin(), sides_.end(), empty)) return;
    std::array<double, 4> at{};
    for (size_t side = 0; side < 4; ++side) {
      at[side] = number_in(line, static_cast<int64_t>(sides_[side]), names_[sides_[side]], lines_.path());
    }
    const Box box{at[0], at[1], at[2], at[3]};
    if (!(box.x1 > box.x0) || !(box.y1 > box.y0)) refuse(line, "the box is empty");
    image.boxes.push_back(box);
  }

  void number_classes(Listing& listing) const {
    std::set<std::string> names;
    for (const Listed& image : listing.images) names.insert(image.class_name);
    listing.classes = options_.classes;
    if (listing.classes.empty()) listing.classes.assign(names.begin(), names.end());
    for (Listed& image : listing.images) image.label = class_of(image.class_name, listing.classes, lines_.path());
  }

  TableLines lines_;
  std::string folder_;
  const DatasetOptions& options_;
  std::vector<std::string> names_;
  size_t file_ = 0;
  std::optional<size_t> class_;
  bool numbered_ = false, boxed_ = false;
  std::array<size_t, 4> sides_{};
  std::map<std::string, size_t> places_;
};

// The only table in a folder that names images; empty: there is none.
std::string table_in(const std::string& folder) {
  std::vector<std::string> tables;
  for (const fs::path& path : sorted_entries(folder)) {
    if (path.extension() != ".csv" || !fs::is_regular_file(path)) continue;
    const auto head = TableLines(ByteStream(path.string())).next();
    if (head && file_column(head->cells)) tables.push_back(path.string());
  }
  return tables.size() == 1 ? tables[0] : "";
}

// ---- the set ----

class ImageDataset : public Dataset {
 public:
  // `table`: that names them; empty: the folder does.
  ImageDataset(Listing listing, const DatasetOptions& options, const std::string& table)
      : images_(std::move(listing.images)), annotations_(options.annotations), classes_(options.classes) {
    labels = listing.classes;
    if (labels == options.classes) labels.clear();
    const bool annotated = !annotations_.empty() || !annotation_of(images_.front()).empty();
    labelled = listing.labelled || (annotated && !classes_.empty());
    boxed = listing.boxed || annotated;
    description = fmt::format("images: {} files, {}{}", images_.size(), labelled ? "with labels" : "without labels",
                              boxed ? ", with boxes" : "");
    if (!table.empty()) files.push_back(table);
    for (const Listed& image : images_) {
      files.push_back(image.path);
      if (!image.boxes.empty()) continue;
      if (std::string annotation = annotation_of(image); !annotation.empty()) files.push_back(std::move(annotation));
    }
  }

  int64_t size() const override { return std::ssize(images_); }

  Sample read(int64_t index) override {
    const Listed& image = images_[static_cast<size_t>(index)];
    Sample sample{image.name, read_source(image.path), image.label, image.boxes};
    if (!sample.source.image) fail(ErrorKind::io, image.path, "not an image; expected .png or .jpg");
    if (sample.boxes.empty()) annotate(sample, image);
    return sample;
  }

 private:
  // The XML file of an image; empty: there is none.
  std::string annotation_of(const Listed& image) const {
    const fs::path beside = fs::path(image.path).replace_extension(".xml");
    std::vector<fs::path> places = {beside};
    if (!annotations_.empty()) {
      const fs::path folder(annotations_);
      places = {folder / beside.filename(), folder / fs::path(image.name).replace_extension(".xml")};
    }
    for (const fs::path& place : places) {
      if (fs::is_regular_file(place)) return place.string();
    }
    return "";
  }

  // The boxes of the image's class, or of all objects if none is of it.
  void annotate(Sample& sample, const Listed& image) const {
    const std::string path = annotation_of(image);
    if (path.empty()) return;
    const std::vector<VocObject> objects = parse_voc(read_file(path, kLargestXml), path);
    if (objects.empty()) return;
    std::string name = image.class_name;
    if (sample.label < 0) {
      name = objects[0].name;
      sample.label = class_of(name, classes_, path);
    }
    const bool known = std::any_of(objects.begin(), objects.end(), [&](const VocObject& o) { return o.name == name; });
    for (const VocObject& object : objects) {
      if (!known || object.name == name) sample.boxes.push_back(object.box);
    }
  }

  std::vector<Listed> images_;
  std::string annotations_;
  std::vector<std::string> classes_;
};

// Classes by sub-folder stay where the table says nothing of classes.
void add_folder_classes(Listing& listing, const std::string& folder) {
  const Listing by_folder = list_folder(folder);
  std::map<std::string, const Listed*> known;
  for (const Listed& image : by_folder.images) known[image.path] = &image;
  for (Listed& image : listing.images) {
    const auto found = known.find(image.path);
    if (found == known.end() || found->second->label < 0) return;
    image.label = found->second->label;
    image.class_name = found->second->class_name;
  }
  listing.classes = by_folder.classes;
  listing.labelled = true;
}

}  // namespace

bool is_image_dataset(const DatasetPath& path) {
  if (path.folder) return !list_folder(path.path).images.empty() || !table_in(path.path).empty();
  if (!is_table_name(path.path)) return false;
  const auto head = TableLines(ByteStream(path.path)).next();
  return head && file_column(head->cells);
}

std::unique_ptr<Dataset> open_image_dataset(const std::string& path, const DatasetOptions& options) {
  check_unused(options, "images", {"label-from", "boxes", "annotations"});
  if (!options.annotations.empty() && !fs::is_directory(options.annotations)) {
    fail(ErrorKind::io, options.annotations, "not a folder; expected a folder of XML files");
  }
  const bool is_folder = fs::is_directory(path);
  if (!is_folder && !options.boxes.empty()) {
    fail(ErrorKind::argument, "boxes", "they belong to a folder of images; got the table {}; expected a folder", path);
  }
  const std::string parent = fs::path(path).parent_path().string();
  const std::string folder = is_folder ? path : (parent.empty() ? "." : parent);
  std::string table = is_folder ? options.boxes : path;
  if (table.empty()) table = table_in(folder);
  Listing listing = table.empty() ? list_folder(folder) : ImageTable(table, folder, options).read();
  if (listing.images.empty()) fail(ErrorKind::io, path, "the folder holds no images; expected .png or .jpg files");
  if (!table.empty() && !listing.labelled) add_folder_classes(listing, folder);
  return std::make_unique<ImageDataset>(std::move(listing), options, table);
}

}  // namespace ascribe::core
