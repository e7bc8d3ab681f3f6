#include "game/players.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/closest_name.h"
#include "base/file.h"
#include "base/json.h"
#include "game/superpixels.h"

namespace ascribe::core {

namespace {

constexpr size_t kLargestFile = size_t{1} << 26;
constexpr std::string_view kPlayersWhere = "players";
constexpr std::string_view kExample = R"({"left": [0, 1], "right": ["2:4"]})";
constexpr std::string_view kPlayerKinds =
    "elements, pixels, patch:K, grid:RxC, superpixels:N, columns, time, time:K, channel or groups:FILE.json";

std::optional<int64_t> whole_number(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

const ImageShape& image_of(const PlayersRequest& request, const std::optional<ImageShape>& image) {
  if (image && !image->series) return *image;
  if (image) {
    fail(
        ErrorKind::argument, kPlayersWhere,
        "'{}' needs an image; the rows are series of {} steps by {} channels; expected time, time:K, channel, elements "
        "or groups:FILE.json",
        request.text, image->width, image->channels);
  }
  fail(ErrorKind::argument, kPlayersWhere, "'{}' needs an image; the rows of the input have the shape {}", request.text,
       to_string(request.row));
}

const ImageShape& series_of(const PlayersRequest& request) {
  if (request.image && request.image->series) return *request.image;
  fail(ErrorKind::argument, kPlayersWhere, "'{}' needs a series; the rows of the input have the shape {}", request.text,
       to_string(request.row));
}

// All channels of a pixel go to the same player.
template <class F>
void give_pixels(Players& players, const ImageShape& image, F&& owner) {
  for (int64_t y = 0; y < image.height; ++y) {
    for (int64_t x = 0; x < image.width; ++x) {
      const auto player = static_cast<int32_t>(owner(y, x));
      for (int64_t c = 0; c < image.channels; ++c) {
        players.owner[static_cast<size_t>(element_of(image, c, y, x))] = player;
      }
    }
  }
}

// Pixels are many: each number becomes a text once.
void name_cells(Players& players, int64_t rows, int64_t columns) {
  players.names.reserve(static_cast<size_t>(rows * columns));
  std::vector<std::string> across;
  for (int64_t c = 0; c < columns; ++c) across.push_back(fmt::format("c{}", c));
  for (int64_t r = 0; r < rows; ++r) {
    const std::string down = fmt::format("r{}", r);
    for (const std::string& column : across) players.names.push_back(down + column);
  }
}

void make_patches(Players& players, const ImageShape& image, std::string_view size) {
  const int64_t side = whole_number(size).value_or(0);
  if (side < 1 || side > std::max(image.height, image.width)) {
    fail(ErrorKind::argument, kPlayersWhere, "got patches of '{}' pixels; expected patch:K with K from 1 to {}", size,
         std::max(image.height, image.width));
  }
  const int64_t columns = (image.width + side - 1) / side;
  give_pixels(players, image, [&](int64_t y, int64_t x) { return y / side * columns + x / side; });
  name_cells(players, (image.height + side - 1) / side, columns);
}

void make_grid(Players& players, const ImageShape& image, std::string_view cells) {
  const size_t times = cells.find('x');
  const int64_t rows = whole_number(cells.substr(0, times)).value_or(0);
  const int64_t columns = times == std::string_view::npos ? 0 : whole_number(cells.substr(times + 1)).value_or(0);
  if (rows < 1 || columns < 1 || rows > image.height || columns > image.width) {
    fail(ErrorKind::argument, kPlayersWhere,
         "got a grid of '{}' cells; expected grid:RxC with 1 to {} rows and 1 to {} columns", cells, image.height,
         image.width);
  }
  // Cell r holds the rows from floor(r height / rows) on.
  const auto cell = [](int64_t at, int64_t extent, int64_t count) { return ((at + 1) * count - 1) / extent; };
  give_pixels(players, image, [&](int64_t y, int64_t x) {
    return cell(y, image.height, rows) * columns + cell(x, image.width, columns);
  });
  name_cells(players, rows, columns);
}

void make_superpixels(Players& players, const ImageShape& image, std::string_view count, const Tensor* row) {
  const int64_t most = whole_number(count).value_or(0), pixels = image.height * image.width;
  if (most < 1 || most > pixels) {
    fail(ErrorKind::argument, kPlayersWhere, "got '{}' superpixels; expected superpixels:N with N from 1 to {}", count,
         pixels);
  }
  require(row != nullptr && row->size() == std::ssize(players.owner), "players", "superpixels need the row");
  std::vector<double> values;
  for (int64_t i = 0; i < pixels; ++i) {
    for (int64_t c = 0; c < image.channels; ++c) {
      values.push_back(row->at(element_of(image, c, i / image.width, i % image.width)));
    }
  }
  const Superpixels regions = superpixels(values, image.height, image.width, image.channels, {.count = most});
  give_pixels(players, image,
              [&](int64_t y, int64_t x) { return regions.label[static_cast<size_t>(y * image.width + x)]; });
  for (int64_t s = 0; s < regions.count; ++s) players.names.push_back(fmt::format("s{}", s));
}

std::string step_name(int64_t step) { return fmt::format("step {}", step); }

void make_segments(Players& players, const ImageShape& series, std::string_view length) {
  const int64_t steps = whole_number(length).value_or(0);
  if (steps < 1 || steps > series.width) {
    fail(ErrorKind::argument, kPlayersWhere, "got segments of '{}' steps; expected time:K with K from 1 to {}", length,
         series.width);
  }
  give_pixels(players, series, [&](int64_t, int64_t step) { return step / steps; });
  for (int64_t first = 0; first < series.width; first += steps) {
    const int64_t last = std::min(first + steps, series.width) - 1;
    players.names.push_back(first == last ? step_name(first) : fmt::format("steps {} to {}", first, last));
  }
}

void make_channels(Players& players, const ImageShape& series) {
  for (int64_t c = 0; c < series.channels; ++c) {
    for (int64_t step = 0; step < series.width; ++step) {
      players.owner[static_cast<size_t>(element_of(series, c, 0, step))] = static_cast<int32_t>(c);
    }
  }
  players.names = players.channels;
}

std::vector<std::string> channel_names(const PlayersRequest& request) {
  if (std::ssize(request.columns) == request.image->channels) return request.columns;
  std::vector<std::string> names;
  for (int64_t c = 0; c < request.image->channels; ++c) names.push_back(fmt::format("channel {}", c));
  return names;
}

std::string series_element_name(const Players& players, int64_t element) {
  const ImageShape& series = *players.series;
  const bool planes = series.layout == PixelLayout::chw;
  const int64_t step = planes ? element % series.width : element / series.channels;
  const int64_t channel = planes ? element / series.width : element % series.channels;
  if (series.channels == 1) return step_name(step);
  return fmt::format("{} {}", players.channels[static_cast<size_t>(channel)], step_name(step));
}

std::string element_name(const PlayersRequest& request, int64_t element) {
  if (request.columns.size() == static_cast<size_t>(element_count(request.row))) {
    return request.columns[static_cast<size_t>(element)];
  }
  std::vector<std::string> parts;
  const std::vector<int64_t> strides = strides_of(request.row);
  for (size_t axis = 0; axis < request.row.size(); ++axis) {
    if (request.row[axis] > 1) parts.push_back(fmt::format("{}", element / strides[axis] % request.row[axis]));
  }
  if (parts.size() < 2) return fmt::format("x{}", element);
  return fmt::format("({})", fmt::join(parts, ","));
}

void make_elements(Players& players, const PlayersRequest& request) {
  for (size_t i = 0; i < players.owner.size(); ++i) {
    players.owner[i] = static_cast<int32_t>(i);
    const auto element = static_cast<int64_t>(i);
    players.names.push_back(players.series ? series_element_name(players, element) : element_name(request, element));
  }
}

// Reads {"name": [0, "3:5", "age"], ...}.
class Groups {
 public:
  Groups(const PlayersRequest& request, std::string file, Players& players)
      : request_(request), file_(std::move(file)), players_(players) {}

  void read() {
    const Json json = parse_json(read_file(file_, kLargestFile), file_);
    if (!json.is_object() || json.size() == 0) {
      fail(ErrorKind::io, file_, "there are no groups; expected a JSON object like {}", kExample);
    }
    for (const JsonMember& group : json.members()) {
      if (!group.value.is_list() || group.value.size() == 0) {
        fail(ErrorKind::io, file_, "the group '{}' is {}; expected a list of elements", group.key,
             group.value.is_list() ? "an empty list" : group.value.type_name());
      }
      players_.names.push_back(group.key);
      for (const Json& member : group.value.items()) add(member);
    }
  }

 private:
  void add(const Json& member) {
    const bool element = member.is_integer() && member.number() >= 0 && member.number() < elements();
    if (element) take(member.integer());
    else if (member.is_text()) add(member.text());
    else refuse(member.is_list() || member.is_object() ? std::string(member.type_name()) : member.dump(-1, true));
  }

  double elements() const { return static_cast<double>(players_.owner.size()); }

  void add(const std::string& text) {
    const auto column = std::find(request_.columns.begin(), request_.columns.end(), text);
    if (column != request_.columns.end()) {
      take(column - request_.columns.begin());
      return;
    }
    const size_t colon = text.find(':');
    const auto first = whole_number(std::string_view(text).substr(0, colon));
    const auto end = colon == std::string::npos ? std::nullopt : whole_number(std::string_view(text).substr(colon + 1));
    if (!first || !end || *first < 0 || *end <= *first || *end > std::ssize(players_.owner)) {
      refuse(fmt::format("'{}'", text));
    }
    for (int64_t i = *first; i < *end; ++i) take(i);
  }

  void take(int64_t element) {
    int32_t& owner = players_.owner[static_cast<size_t>(element)];
    if (owner >= 0) {
      fail(ErrorKind::io, file_, "element {} is in the group '{}' and again in '{}'; expected it in one", element,
           players_.names[static_cast<size_t>(owner)], players_.names.back());
    }
    owner = static_cast<int32_t>(players_.names.size()) - 1;
  }

  [[noreturn]] void refuse(const std::string& got) const {
    fail(ErrorKind::io, file_, "the group '{}' holds {}; expected numbers from 0 to {}, ranges like \"0:10\"{}",
         players_.names.back(), got, players_.owner.size() - 1,
         request_.columns.empty() ? "" : ", or names of columns");
  }

  const PlayersRequest& request_;
  std::string file_;
  Players& players_;
};

bool asks_for_image(std::string_view kind) {
  return kind == "pixels" || kind == "patch" || kind == "grid" || kind == "superpixels";
}

std::string default_players(const PlayersRequest& request) {
  if (request.image && request.image->series) return request.image->channels == 1 ? "time" : "elements";
  if (!request.columns.empty()) return "columns";
  return request.image && request.image->height > 0 ? "pixels" : "elements";
}

}  // namespace

std::optional<ImageShape> sized_image(const std::optional<ImageShape>& image) {
  if (!image || image->height > 0) return image;
  ImageShape sized = *image;
  for (const int64_t channels : {image->channels, int64_t{3}}) {
    const auto side = std::llround(std::sqrt(static_cast<double>(image->flat) / static_cast<double>(channels)));
    if (side < 2 || side * side * channels != image->flat) continue;
    sized.channels = channels;
    sized.height = sized.width = side;
    return sized;
  }
  return std::nullopt;
}

Players make_players(const PlayersRequest& request) {
  const int64_t elements = element_count(request.row, "players");
  if (elements < 1 || elements > std::numeric_limits<int32_t>::max()) {
    fail(ErrorKind::argument, kPlayersWhere, "the input has {} elements a row", elements);
  }
  Players players;
  players.owner.assign(static_cast<size_t>(elements), -1);
  players.description = request.text.empty() ? default_players(request) : request.text;
  const auto image = sized_image(request.image);
  const size_t colon = players.description.find(':');
  const std::string kind = players.description.substr(0, colon);
  const std::string rest = colon == std::string::npos ? "" : players.description.substr(colon + 1);
  const bool plain = colon == std::string::npos;
  // A flat row of numbers is an image only if somebody says so: the file, or players that are parts of one.
  const bool said = (request.image && request.image->height > 0) || asks_for_image(kind);
  const bool series = image && image->series;
  if (series) players.series = image, players.channels = channel_names(request);
  else if (request.columns.empty() && said) players.image = image;
  if (plain && (kind == "elements" || kind == "columns")) make_elements(players, request);
  else if (plain && kind == "pixels") make_patches(players, image_of(request, image), "1");
  else if (plain && kind == "time") make_segments(players, series_of(request), "1");
  else if (!plain && (kind == "time" || (kind == "patch" && series))) make_segments(players, series_of(request), rest);
  else if (plain && (kind == "channel" || kind == "channels")) make_channels(players, series_of(request));
  else if (!plain && kind == "patch") make_patches(players, image_of(request, image), rest);
  else if (!plain && kind == "grid") make_grid(players, image_of(request, image), rest);
  else if (!plain && kind == "superpixels") make_superpixels(players, image_of(request, image), rest, request.x);
  else if (!plain && kind == "groups" && !rest.empty()) Groups(request, rest, players).read();
  else
    fail(ErrorKind::argument, kPlayersWhere, "got '{}'; {}", players.description,
         expected(kPlayerKinds, kind,
                  {"elements", "pixels", "patch", "grid", "superpixels", "columns", "time", "channel", "groups"}));
  return players;
}

}  // namespace ascribe::core
