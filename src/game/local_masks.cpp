#include "game/local_masks.h"

#include <bit>
#include <map>
#include <unordered_map>

#include "base/parallel.h"

namespace ascribe::core {

namespace {

constexpr int64_t kMostPlayers = 4096, kMostColours = 64;
constexpr int64_t kWorthIt = 3;        // coalitions for each row that is run
constexpr int64_t kRowsAtOnce = 1024;  // of images

// Places of h that see the same players.
struct Group {
  std::vector<uint64_t> seen;   // as the words of a coalition
  std::vector<int64_t> places;  // row * width + column
};

std::vector<Group> groups_of(const LocalLayers& layers, const Players& players) {
  const int64_t height = layers.image[1], width = layers.image[2];
  std::map<std::vector<uint64_t>, std::vector<int64_t>> places;
  for (size_t r = 0; r < layers.rows.size(); ++r) {
    for (size_t c = 0; c < layers.columns.size(); ++c) {
      std::vector<uint64_t> seen(static_cast<size_t>(std::max<int64_t>(1, (players.count() + 63) / 64)));
      for (int64_t y = layers.rows[r].begin; y < layers.rows[r].end; ++y) {
        for (int64_t x = layers.columns[c].begin; x < layers.columns[c].end; ++x) {
          for (int64_t channel = 0; channel < layers.image[0]; ++channel) {
            const int32_t p = players.owner[static_cast<size_t>((channel * height + y) * width + x)];
            if (p >= 0) seen[static_cast<size_t>(p / 64)] |= uint64_t{1} << (p % 64);
          }
        }
      }
      places[seen].push_back(static_cast<int64_t>(r * layers.columns.size() + c));
    }
  }
  std::vector<Group> groups;
  for (auto& [seen, list] : places) groups.push_back({seen, std::move(list)});
  return groups;
}

template <class F>
void for_each_player(std::span<const uint64_t> words, F&& f) {
  for (size_t word = 0; word < words.size(); ++word) {
    for (uint64_t rest = words[word]; rest != 0; rest &= rest - 1) {
      f(static_cast<int64_t>(word * 64) + std::countr_zero(rest));
    }
  }
}

// Greedily, in the order of the players; empty if there are not enough colours.
std::vector<int> colours_of(const std::vector<Group>& groups, int64_t players) {
  const auto words = static_cast<size_t>((players + 63) / 64);
  std::vector<std::vector<uint64_t>> meets(static_cast<size_t>(players), std::vector<uint64_t>(words));
  for (const Group& group : groups) {
    for_each_player(group.seen, [&](int64_t p) {
      for (size_t word = 0; word < words; ++word) meets[static_cast<size_t>(p)][word] |= group.seen[word];
    });
  }
  std::vector<int> colours;
  for (int64_t p = 0; p < players; ++p) {
    uint64_t taken = 0;
    for_each_player(meets[static_cast<size_t>(p)], [&](int64_t q) {
      if (q < p) taken |= uint64_t{1} << colours[static_cast<size_t>(q)];
    });
    const int colour = std::countr_one(taken);
    if (colour >= kMostColours) return {};
    colours.push_back(colour);
  }
  return colours;
}

// Which row answers each group of each coalition.
struct Assignment {
  std::vector<uint64_t> rows;   // the colours that are absent
  std::vector<int32_t> row_of;  // [coalitions, groups]
};

class LocalGame {
 public:
  LocalGame(const MaskedInput& input, std::shared_ptr<const LocalLayers> layers, RowFunction behind,
            std::shared_ptr<Game> plain)
      : input_(input), layers_(std::move(layers)), behind_(std::move(behind)), plain_(std::move(plain)) {
    if (input.players.count() > kMostPlayers) return;
    groups_ = groups_of(*layers_, input.players);
    colours_ = colours_of(groups_, input.players.count());
  }

  void operator()(const Coalitions& sets, std::span<double> out, const Progress& progress) {
    const auto assignment = colours_.empty() ? std::nullopt : assign(sets);
    if (!assignment) {
      const std::vector<double> values = plain_->values(sets, progress);
      std::copy(values.begin(), values.end(), out.begin());
      return;
    }
    const std::vector<double> table = tabulate(assignment->rows);
    const RowMaker make = [&](const Coalitions&, int64_t first, int64_t rows, Tensor& to) {
      visit(to.dtype(), [&]<class T>(T) { add_up(*assignment, table, first, rows, to.mutable_data<T>().data()); });
    };
    const std::vector<double> values =
        masked_rows_game(input_, layers_->after.row, make, behind_).values(sets, progress);
    std::copy(values.begin(), values.end(), out.begin());
  }

 private:
  int64_t baselines() const { return input_.baselines.size() / std::ssize(input_.players.owner); }
  int64_t table_size() const { return std::ssize(groups_) * layers_->after.inner(); }  // of one row

  std::optional<Assignment> assign(const Coalitions& sets) const {
    const auto most = static_cast<size_t>(sets.size() / kWorthIt);
    Assignment assignment;
    std::unordered_map<uint64_t, int32_t> known;
    for (int64_t s = 0; s < sets.size(); ++s) {
      const auto words = sets.words(s);
      for (const Group& group : groups_) {
        uint64_t absent = 0;
        for (size_t word = 0; word < words.size(); ++word) {
          for (uint64_t rest = group.seen[word] & ~words[word]; rest != 0; rest &= rest - 1) {
            absent |= uint64_t{1} << colours_[word * 64 + static_cast<size_t>(std::countr_zero(rest))];
          }
        }
        const auto [place, is_new] = known.try_emplace(absent, static_cast<int32_t>(assignment.rows.size()));
        if (is_new) assignment.rows.push_back(absent);
        if (assignment.rows.size() > most) return std::nullopt;
        assignment.row_of.push_back(place->second);
      }
    }
    const double bytes =
        static_cast<double>(assignment.rows.size()) * static_cast<double>(baselines() * table_size()) * 8;
    if (bytes > static_cast<double>(input_.memory) / 8) return std::nullopt;
    return assignment;
  }

  // [rows, baselines, groups, inner]: what the places of each group add behind the affine layer.
  std::vector<double> tabulate(const std::vector<uint64_t>& rows) const {
    Coalitions sets(input_.players.count());
    for (const uint64_t absent : rows) {
      std::vector<int64_t> members;
      for (int64_t p = 0; p < sets.players(); ++p) {
        if ((absent >> colours_[static_cast<size_t>(p)] & 1) == 0) members.push_back(p);
      }
      sets.add(std::span<const int64_t>(members));
    }
    const RowMaker mask = masked_row_maker(input_);
    const int64_t count = sets.size() * baselines();
    std::vector<double> table(static_cast<size_t>(count * table_size()));
    const int64_t at_once = std::max<int64_t>(1, std::min(kRowsAtOnce / baselines(), sets.size())) * baselines();
    for (int64_t first = 0; first < count; first += at_once) {
      const int64_t some = std::min(at_once, count - first);
      Shape shape = input_.row;
      shape.insert(shape.begin(), some);
      Tensor images(input_.real, shape);
      mask(sets, first, some, images);
      const Tensor h = layers_->run(images);
      visit(h.dtype(), [&]<class T>(T) {
        parallel_for(some, 1, [&](int64_t begin, int64_t end) {
          for (int64_t r = begin; r < end; ++r) {
            sum_groups(h.data<T>().data() + r * element_count(layers_->shape),
                       table.data() + (first + r) * table_size());
          }
        });
      });
    }
    return table;
  }

  template <class T>
  void sum_groups(const T* h, double* sums) const {
    const int64_t inner = layers_->after.inner(), plane = layers_->shape[1] * layers_->shape[2];
    const double* slopes = layers_->after.slopes.data<double>().data();
    for (const Group& group : groups_) {
      for (int64_t channel = 0; channel < layers_->shape[0]; ++channel) {
        for (const int64_t place : group.places) {
          const int64_t element = channel * plane + place;
          const auto value = static_cast<double>(h[element]);
          for (int64_t k = 0; k < inner; ++k) sums[k] += value * slopes[element * inner + k];
        }
      }
      sums += inner;
    }
  }

  template <class T>
  void add_up(const Assignment& assignment, const std::vector<double>& table, int64_t first, int64_t rows,
              T* out) const {
    const int64_t inner = layers_->after.inner(), baselines = this->baselines(), groups = std::ssize(groups_);
    const auto offset = layers_->after.offset.data<double>();
    parallel_for(rows, 64, [&](int64_t begin, int64_t end) {
      std::vector<double> sum(static_cast<size_t>(inner));
      for (int64_t r = begin; r < end; ++r) {
        const int64_t set = (first + r) / baselines, baseline = (first + r) % baselines;
        std::copy(offset.begin(), offset.end(), sum.begin());
        for (int64_t g = 0; g < groups; ++g) {
          const int64_t row = assignment.row_of[static_cast<size_t>(set * groups + g)] * baselines + baseline;
          const double* terms = table.data() + row * table_size() + g * inner;
          for (int64_t k = 0; k < inner; ++k) sum[k] += terms[k];
        }
        std::copy(sum.begin(), sum.end(), out + r * inner);
      }
    });
  }

  MaskedInput input_;
  std::shared_ptr<const LocalLayers> layers_;
  RowFunction behind_;
  std::shared_ptr<Game> plain_;
  std::vector<Group> groups_;
  std::vector<int> colours_;  // of the players; empty: there are not enough
};

}  // namespace

Game masked_local_game(const MaskedInput& input, std::shared_ptr<const LocalLayers> layers, RowFunction behind,
                       std::shared_ptr<Game> plain) {
  require(std::ssize(input.players.owner) == element_count(layers->image), "game", "the players do not fit the image");
  const auto game = std::make_shared<LocalGame>(input, std::move(layers), std::move(behind), std::move(plain));
  return {input.players.count(), [game](const Coalitions& sets, std::span<double> out, const Progress& progress) {
            (*game)(sets, out, progress);
          }};
}

}  // namespace ascribe::core
