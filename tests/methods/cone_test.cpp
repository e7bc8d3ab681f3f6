// Games by the cone of influence are those of whole rows, to rounding: networks with random layers, random windows,
// coalitions near x, near the baseline and near each other.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "game/cone_masks.h"
#include "methods/question_game.h"
#include "support/ops.h"

namespace ascribe::core {
namespace {

// Draws numbers one after the other.
class Draws {
 public:
  explicit Draws(uint64_t seed) : random_(seed) {}
  int64_t from(int64_t low, int64_t high) {  // both included
    return low + static_cast<int64_t>(random_.below(next_++, static_cast<uint64_t>(high - low + 1)));
  }
  double normal() { return random_.normal(next_++); }

 private:
  Random random_;
  uint64_t next_ = 0;
};

// Random layers over [N, channels, extents...].
class RandomNetwork {
 public:
  RandomNetwork(Graph& graph, uint64_t seed, Shape row) : b(graph), draws(seed), seed_(seed), axes_(row.size() - 1) {
    Dims dims = to_dims(row);
    dims.insert(dims.begin(), kBatch);
    x = b.input("x", {Kind::real, dims});
  }

  int64_t channels() { return b.shape(x)[1].fixed; }
  int64_t shortest() {
    int64_t size = b.shape(x)[2].fixed;
    for (size_t i = 2; i < b.shape(x).size(); ++i) size = std::min(size, b.shape(x)[i].fixed);
    return size;
  }

  Value conv(Value from, int64_t to, int64_t size, int64_t stride, int64_t dilation, bool same, int64_t group) {
    const int64_t in = b.shape(from)[1].fixed;
    Shape shape{to, in / group};
    std::vector<int64_t> pads(2 * axes_), all(axes_, size);
    for (size_t i = 0; i < axes_; ++i) {
      shape.push_back(size);
      const int64_t reach = (size - 1) * dilation;
      pads[i] = same ? reach / 2 : draws.from(0, reach);
      pads[axes_ + i] = same ? reach - reach / 2 : draws.from(0, reach);
    }
    const double scale = 1.5 / std::sqrt(static_cast<double>(element_count(shape) / to));
    return b.op("conv", {from, b.constant(random_tensor(shape, ++seed_ * 977, scale)), bias(to)},
                {{"strides", ints(std::vector<int64_t>(axes_, stride))},
                 {"pads", ints(pads)},
                 {"dilations", ints(std::vector<int64_t>(axes_, dilation))},
                 {"group", ints({group})}});
  }

  void pool(bool largest) {
    const int64_t size = draws.from(2, 3), stride = draws.from(1, size), pad = draws.from(0, 1);
    Attributes attributes{{"kernel", ints(std::vector<int64_t>(axes_, size))},
                          {"strides", ints(std::vector<int64_t>(axes_, stride))},
                          {"pads", ints(std::vector<int64_t>(2 * axes_, pad))},
                          {"dilations", ints(std::vector<int64_t>(axes_, 1))},
                          {"ceil_mode", ints({draws.from(0, 1)})}};
    if (!largest) attributes.set("count_include_pad", ints({draws.from(0, 1)}));
    x = b.op(largest ? "max_pool" : "average_pool", {x}, attributes);
  }

  void layer() {
    const int64_t kind = shortest() < 5 ? 5 : draws.from(0, 7);
    if (kind <= 2) {  // any convolution
      const int64_t size = draws.from(1, 4), dilation = draws.from(1, 2), stride = draws.from(1, 3);
      x = b.op("relu", {conv(x, draws.from(2, 6), size, stride, dilation, false, 1)});
    } else if (kind == 3) {  // each channel by itself
      x = b.op("sigmoid", {conv(x, channels(), 3, draws.from(1, 2), 1, true, channels())});
    } else if (kind == 4) {  // a residual block
      const Value inner = b.op("relu", {conv(x, channels(), 3, 1, 1, true, 1)});
      x = b.op("relu", {b.add(x, conv(inner, channels(), draws.from(1, 2) * 2 - 1, 1, 1, true, 1))});
    } else if (kind == 5) {  // per channel
      x = b.op("tanh", {b.add(b.mul(x, per_place(channels())), per_place(channels()))});
    } else if (kind == 6) {  // branches side by side
      const Value a = b.op("relu", {conv(x, 2, 1, 1, 1, true, 1)}), c = b.op("relu", {conv(x, 3, 3, 1, 2, true, 1)});
      x = b.concat({a, c, x}, 1);
    } else {
      pool(draws.from(0, 1) == 0);
    }
  }

  void finish() {
    std::vector<int64_t> axes;
    for (size_t i = 0; i < axes_; ++i) axes.push_back(static_cast<int64_t>(i) + 2);
    const Dim features = product({b.shape(x).begin() + 1, b.shape(x).end()});
    const double scale = 1 / std::sqrt(static_cast<double>(features.fixed));
    const Value flat = b.reshape(x, {kBatch, features});
    b.output("y", b.matmul(b.op("tanh", {flat}), b.constant(random_tensor({features.fixed, 3}, ++seed_ * 977, scale))));
  }

  Builder b;
  Draws draws;
  Value x;

 private:
  Value bias(int64_t channels) { return b.constant(random_tensor({channels}, ++seed_ * 977, 0.3)); }
  Value per_place(int64_t channels) {
    Shape shape{channels};
    shape.insert(shape.end(), axes_, 1);
    return b.constant(random_tensor(shape, ++seed_ * 977, 1));
  }

  uint64_t seed_;
  size_t axes_;
};

Tensor normal_rows(const Shape& row, int64_t rows, uint64_t seed) {
  Shape shape = row;
  shape.insert(shape.begin(), rows);
  Tensor tensor(DType::f64, shape);
  for (int64_t i = 0; i < tensor.size(); ++i) tensor.mutable_data<double>()[i] = Random(seed, 5).normal(i);
  return tensor;
}

// Blocks of places with all channels, `size` along every axis; every seventh element belongs to nobody if asked.
Players blocks(const Shape& row, int64_t size, bool gaps) {
  Players players;
  std::map<Shape, int32_t> numbers;
  for (int64_t e = 0; e < element_count(row); ++e) {
    Shape at;
    int64_t rest = e;
    for (size_t axis = row.size(); axis-- > 1; rest /= row[axis]) at.push_back(rest % row[axis] / size);
    const auto number = numbers.try_emplace(at, static_cast<int32_t>(numbers.size())).first->second;
    players.owner.push_back(gaps && e % 7 == 0 ? -1 : number);
  }
  players.names.assign(numbers.size(), "");
  return players;
}

// Leave-one-out, only-one, orders of players, and any.
Coalitions all_kinds(int64_t players, uint64_t seed) {
  Coalitions sets(players);
  const Random random(seed, 9);
  const std::vector<int64_t> everybody = random.permutation(0, players);
  sets.add(std::span<const int64_t>(everybody));
  sets.add(std::span<const int64_t>());
  for (int64_t p = 0; p < players; ++p) {
    std::vector<int64_t> others;
    for (int64_t q = 0; q < players; ++q) {
      if (q != p) others.push_back(q);
    }
    sets.add(std::span<const int64_t>(others));
    sets.add(std::array<int64_t, 1>{p});
  }
  for (uint64_t order = 1; order <= 3; ++order) {
    const std::vector<int64_t> comes = random.permutation(order, players);
    for (int64_t count = 1; count < players; ++count) sets.add(std::span(comes).first(static_cast<size_t>(count)));
  }
  for (uint64_t i = 0; i < 5; ++i) {
    const std::vector<int64_t> any = random.permutation(10 + i, players);
    sets.add(std::span(any).first(static_cast<size_t>(players / 2)));
  }
  return sets;
}

struct Compared {
  int64_t by_cone = 0;  // coalitions
  double largest = 0;   // value
  double error = 0;     // between the two ways
};

Compared compare_ways(const Graph& graph, const Shape& row, const Players& players, int64_t baselines, DType real,
                      uint64_t seed, const Coalitions& sets) {
  ExplainedModel model(graph, {.real = real});
  Question question{{normal_rows(row, 1, seed)}, 1, normal_rows(row, baselines, seed + 1), players};
  Graph forward = model.graph();
  forward.outputs.erase(forward.outputs.begin());
  forward.drop_unread();
  auto cone = Cone::of(forward, 0);
  if (!cone) return {};
  const auto runner = std::make_shared<ConeRunner>(
      std::move(*cone), model.model().session_options(real),
      [&](const std::string& key, const std::function<Graph()>& make) { return model.session(key, make); });
  const auto plain = std::make_shared<Game>(plain_question_game(model, question));
  const auto count = std::make_shared<int64_t>(0);
  const MaskedInput input{question.point[0], question.baselines, players, row, real, size_t{1} << 30};
  Game game = masked_cone_game(input, {runner, question.point, question.target, 0}, plain, count);
  const std::vector<double> fast = game.values(sets);
  const std::vector<double> slow = plain_question_game(model, question).values(sets);
  Compared result{*count, 0, 0};
  for (size_t i = 0; i < slow.size(); ++i) {
    result.largest = std::max(result.largest, std::abs(slow[i]));
    result.error = std::max(result.error, std::abs(slow[i] - fast[i]));
  }
  return result;
}

// Sums of some hundred products of numbers around 1, in another order.
double rounding(DType real) { return real == DType::f32 ? 2e-5 : 1e-13; }

void check_random_networks(const std::vector<Shape>& rows, int64_t size, uint64_t first_seed) {
  int64_t by_cone = 0;
  uint64_t seed = first_seed;
  for (const Shape& row : rows) {
    for (const DType real : {DType::f64, DType::f32}) {
      for (int repeat = 0; repeat < 4; ++repeat, ++seed) {
        Graph graph;
        RandomNetwork net(graph, seed, row);
        const int64_t layers = net.draws.from(2, 5);
        for (int64_t i = 0; i < layers; ++i) net.layer();
        net.finish();
        const Players players = blocks(row, size, repeat % 2 == 1);
        const Coalitions sets = all_kinds(players.count(), seed);
        const Compared result = compare_ways(graph, row, players, 1 + repeat % 2, real, seed, sets);
        EXPECT_LE(result.error, rounding(real) * std::max(result.largest, 1.0)) << "network " << seed;
        by_cone += result.by_cone;
      }
    }
  }
  EXPECT_GT(by_cone, 200);  // or nothing was tested
}

TEST(Cone, RandomPictures) { check_random_networks({{1, 19, 23}, {3, 24, 17}, {2, 30, 30}}, 4, 100); }
TEST(Cone, RandomSeries) { check_random_networks({{2, 61}, {1, 96}, {5, 40}}, 5, 200); }
TEST(Cone, RandomVolumes) { check_random_networks({{1, 11, 12, 13}, {2, 10, 14, 9}}, 4, 300); }

// Two convolutions and a dense layer: too wide for other shortcuts, so that question_game goes through the cone.
Value deep_body(Builder& b, RandomNetwork& net, Value x, int64_t channels) {
  x = b.op("relu", {net.conv(x, 6, 3, 1, 1, true, 1)});
  x = b.op("relu", {net.conv(x, channels, 3, 2, 1, true, 1)});
  return b.op("relu", {net.conv(x, channels, 3, 1, 1, true, 1)});
}

// Pictures with channels last, and a gate that is a mean over the whole: the cone passes the one and ends at the other.
TEST(Cone, ChannelsLastAndGates) {
  for (const DType real : {DType::f64, DType::f32}) {
    Graph graph;
    RandomNetwork net(graph, 7, {20, 22, 2});
    Builder& b = net.b;
    Value x = b.transpose(net.x, {0, 3, 1, 2});
    x = b.op("relu", {net.conv(x, 5, 3, 1, 1, true, 1)});
    const Value gate = b.op("sigmoid", {b.reduce("reduce_mean", x, {2, 3}, true)});
    net.x = b.mul(net.conv(x, 5, 3, 2, 1, true, 1), gate);
    net.finish();
    Players players;
    for (int64_t e = 0; e < 20 * 22 * 2; ++e) {
      players.owner.push_back(static_cast<int32_t>(e / 2 / 22 / 5 * 5 + e / 2 % 22 / 5));
    }
    players.names.assign(20, "");
    const Compared result = compare_ways(graph, {20, 22, 2}, players, 2, real, 7, all_kinds(players.count(), 7));
    EXPECT_GT(result.by_cone, 20);
    EXPECT_LE(result.error, rounding(real) * std::max(result.largest, 1.0));
  }
}

Question question_about(const Shape& row, const Players& players, uint64_t seed) {
  return {{normal_rows(row, 1, seed)}, 0, normal_rows(row, 1, seed + 1), players};
}

// What is masked by its own value changes nothing, not even a bit.
TEST(Cone, ValuesThatStayGetZero) {
  const Shape row{3, 40, 40};
  Graph graph;
  RandomNetwork net(graph, 11, row);
  net.x = deep_body(net.b, net, net.x, 8);
  net.finish();
  ExplainedModel model(graph, {.real = DType::f32});
  Question question = question_about(row, blocks(row, 5, false), 11);
  for (int64_t e = 0; e < element_count(row); ++e) {
    if (question.players.owner[static_cast<size_t>(e)] % 3 != 0) continue;
    question.baselines.mutable_data<double>()[e] = question.point[0].at(e);
  }
  Coalitions sets(question.players.count());
  std::vector<int64_t> all;
  for (int64_t p = 0; p < sets.players(); ++p) all.push_back(p);
  sets.add(std::span<const int64_t>(all));
  for (int64_t p = 0; p < sets.players(); ++p) {
    std::vector<int64_t> others = all;
    others.erase(others.begin() + p);
    sets.add(std::span<const int64_t>(others));
  }
  const std::vector<double> values = question_game(model, question).values(sets);
  const std::vector<double> slow = plain_question_game(model, question).values(sets);
  for (int64_t p = 0; p < sets.players(); ++p) {
    const auto i = static_cast<size_t>(p + 1);
    EXPECT_NEAR(values[i], slow[i], rounding(DType::f32));
    if (p % 3 == 0) EXPECT_EQ(values[i], values[0]) << "player " << p;
    else EXPECT_NE(values[i], values[0]) << "player " << p;
  }
  EXPECT_TRUE(masking_notes(model).empty());
}

}  // namespace
}  // namespace ascribe::core
