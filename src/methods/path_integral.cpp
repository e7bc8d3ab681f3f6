#include "methods/path_integral.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>

#include "base/parallel.h"
#include "methods/gauss_legendre.h"
#include "methods/path_tolerance.h"
#include "methods/shared_work.h"
#include "passes/choices.h"

namespace ascribe::core {

namespace {

constexpr int64_t kPieceNodes = 8;  // of each piece of the adaptive rule
constexpr int64_t kMostSteps = 4096;
constexpr double kStalled = 0.9;                   // of what was missed: a round that leaves more of it did not help
constexpr int64_t kCacheBytes = int64_t{1} << 18;  // of rows that a processor keeps near
constexpr int64_t kUsefulRows = 64;                // a batch of fewer would not use a large network's kernels well
constexpr int64_t kGrain = int64_t{1} << 14;       // numbers that are worth a thread

// A part of a path with its own nodes.
struct Piece {
  double left = 0, right = 1;
  double f_left = 0, f_right = 0;
  double growth = 0;        // what the integral says that f grows by
  std::vector<double> sum;  // the integral of the gradient
  double missed() const { return std::abs(f_right - f_left - growth); }
};
using Pieces = std::vector<std::unique_ptr<Piece>>;  // from left to right; their places in memory stay

struct Line {
  const double* start = nullptr;
  std::vector<double> direction;
  int64_t target = 0;
  Pieces pieces;
  double f_start = 0, f_end = 0;
  int64_t nodes = 0;
  double missed_before = 0;  // by the round before
  int64_t nodes_before = 0;

  double missed() const {
    return std::accumulate(pieces.begin(), pieces.end(), 0.0, [](double s, const auto& p) { return s + p->missed(); });
  }
  double change() const { return f_end - f_start; }
  double size() const { return std::max(std::abs(f_start), std::abs(f_end)); }
  // The sum of |what each coordinate brings|.
  double magnitude() const {
    double sum = 0;
    for (size_t i = 0; i < direction.size(); ++i) {
      double slope = 0;
      for (const auto& piece : pieces) slope += piece->sum[i];
      sum += std::abs(direction[i] * slope);
    }
    return sum;
  }
};

// A point of a line; its gradient belongs to a piece, or only f is asked for.
struct Job {
  Line* line;
  double at;
  Piece* piece = nullptr;
  double weight = 0;
  double value = 0;  // f there, once it is known
};

// Lines that are integrated together.
class Group {
 public:
  Group(PathSpace& space, std::span<const Path> paths, const PathRule& rule, const Progress& progress)
      : space_(space), paths_(paths), rule_(rule), progress_(progress), lines_(paths.size()) {
    place_lines();
  }

  std::vector<PathIntegral> run() {
    first_round();
    while (rule_.steps == 0 && next_round()) {
    }
    return finished();
  }

 private:
  static std::span<const double> point_of(const Tensor& x) { return x.data<double>(); }

  struct Ends {
    int64_t start, end;  // rows of placed_
  };

  void place_lines() {
    const std::vector<Ends> ends = place_ends();
    const int64_t size = space_.size();
    const double* data = placed_.data<double>().data();
    for (size_t p = 0; p < lines_.size(); ++p) {
      Line& line = lines_[p];
      line.start = data + ends[p].start * size;
      line.target = paths_[p].question->target;
      line.direction.resize(static_cast<size_t>(size));
      const double* end = data + ends[p].end * size;
      std::transform(end, end + size, line.start, line.direction.begin(), std::minus<>());
    }
  }

  // Baselines and points that several paths share enter the space once.
  std::vector<Ends> place_ends() {
    std::map<const void*, int64_t> places;
    std::vector<const double*> rows;
    const auto place = [&](const void* key, const double* row) {
      const auto [it, fresh] = places.try_emplace(key, std::ssize(rows));
      if (fresh) rows.push_back(row);
      return it->second;
    };
    std::vector<Ends> ends;
    for (const Path& path : paths_) {
      Tensor& x = points_[path.question];
      if (x.empty()) x = path.question->point[space_.input()].cast(DType::f64);
      ends.push_back({place(path.baseline.data(), path.baseline.data()), place(path.question, point_of(x).data())});
    }
    const int64_t elements = element_count(space_.row());
    Tensor inputs(DType::f64, {std::ssize(rows), elements});
    double* to = inputs.mutable_data<double>().data();
    for (const double* row : rows) to = std::copy_n(row, elements, to);
    placed_ = space_.enter(inputs);
    return ends;
  }

  // Nodes of a new piece.
  void add_nodes(Line& line, Piece& piece, std::vector<Job>& jobs) const {
    piece.sum.assign(static_cast<size_t>(space_.size()), 0.0);
    const Quadrature& rule = gauss_legendre(rule_.steps > 0 ? rule_.steps : kPieceNodes);
    const double width = piece.right - piece.left;
    for (size_t j = 0; j < rule.nodes.size(); ++j) {
      jobs.push_back({&line, piece.left + width * rule.nodes[j], &piece, width * rule.weights[j]});
    }
    line.nodes += std::ssize(rule.nodes);
  }

  void first_round() {
    std::vector<Job> jobs;
    for (size_t p = 0; p < lines_.size(); ++p) {
      Line& line = lines_[p];
      Piece& piece = *line.pieces.emplace_back(std::make_unique<Piece>());
      jobs.push_back({&line, 0});
      if (const auto at = paths_[p].only_at) {
        piece.sum.assign(static_cast<size_t>(space_.size()), 0.0);
        jobs.push_back({&line, *at, &piece, 1});
        ++line.nodes;
      } else {
        add_nodes(line, piece, jobs);
      }
      jobs.push_back({&line, 1});
    }
    evaluate(jobs);
    for (const Job& job : jobs) {
      if (job.piece == nullptr) (job.at == 0 ? job.line->f_start : job.line->f_end) = job.value;
    }
    for (Line& line : lines_) {
      line.pieces[0]->f_left = line.f_start;
      line.pieces[0]->f_right = line.f_end;
    }
  }

  // The pieces of a line to halve: those that miss more than their share, the worst first if not all can be afforded.
  // Shares go by width, so that a path with kinks everywhere is cut evenly.
  std::vector<size_t> poor_pieces(const Line& line) const {
    if (line.missed() <= rule_.tolerance * std::abs(line.change())) return {};
    const double magnitude = line.magnitude();
    const double rounding = rounding_of(space_.real(), std::max(line.size(), magnitude));
    const double limit = std::max(rounding, allowance(rule_.tolerance, line.change(), magnitude, space_.real()));
    if (line.missed() <= limit || more_nodes_do_not_pay(line, limit, magnitude)) return {};
    std::vector<size_t> poor;
    for (size_t i = 0; i < line.pieces.size(); ++i) {
      const Piece& piece = *line.pieces[i];
      const double share = limit * (piece.right - piece.left);
      if (piece.missed() > std::max(share, rounding / kRoundings)) poor.push_back(i);
    }
    const auto affordable = static_cast<size_t>(std::max<int64_t>(0, rule_.most - line.nodes) / (2 * kPieceNodes));
    if (poor.size() <= affordable) return poor;
    std::stable_sort(poor.begin(), poor.end(),
                     [&](size_t i, size_t j) { return line.pieces[i]->missed() > line.pieces[j]->missed(); });
    poor.resize(affordable);
    std::sort(poor.begin(), poor.end());
    return poor;
  }

  // The misses fall as a power of the nodes, which two rounds tell: where that does not reach the limit within the
  // nodes that may be spent, the path ends as soon as it is good enough, or as its misses fall no more.
  bool more_nodes_do_not_pay(const Line& line, double limit, double magnitude) const {
    if (rule_.enough == 0 || line.nodes_before == 0) return false;
    const double ratio = line.missed() / line.missed_before;
    const double growth = static_cast<double>(line.nodes) / static_cast<double>(line.nodes_before);
    const double reached =
        line.missed() *
        std::pow(ratio, std::log(static_cast<double>(rule_.most) / static_cast<double>(line.nodes)) / std::log(growth));
    if (reached <= limit) return false;
    return ratio > kStalled || line.missed() <= allowance(rule_.enough, line.change(), magnitude, space_.real());
  }

  // Halves what is not good enough yet; false: nothing is left to do, or to spend.
  bool next_round() {
    std::vector<Job> jobs;
    for (size_t p = 0; p < lines_.size(); ++p) {
      if (paths_[p].only_at) continue;
      Line& line = lines_[p];
      const std::vector<size_t> poor = poor_pieces(line);
      if (!poor.empty()) line.missed_before = line.missed(), line.nodes_before = line.nodes;
      Pieces pieces;
      for (size_t i = 0; i < line.pieces.size(); ++i) {
        if (std::binary_search(poor.begin(), poor.end(), i)) halve(line, *line.pieces[i], pieces, jobs);
        else pieces.push_back(std::move(line.pieces[i]));
      }
      line.pieces = std::move(pieces);
    }
    if (jobs.empty()) return false;
    evaluate(jobs);
    for (size_t j = 0; j < jobs.size(); ++j) {
      if (jobs[j].piece == nullptr) jobs[j - 1].piece->f_right = jobs[j + 1].piece->f_left = jobs[j].value;
    }
    return true;
  }

  // The middle stands between the nodes of the two halves.
  void halve(Line& line, const Piece& whole, Pieces& pieces, std::vector<Job>& jobs) const {
    const double middle = (whole.left + whole.right) / 2;
    Piece& left = *pieces.emplace_back(std::make_unique<Piece>(Piece{whole.left, middle, whole.f_left, 0, 0, {}}));
    Piece& right = *pieces.emplace_back(std::make_unique<Piece>(Piece{middle, whole.right, 0, whole.f_right, 0, {}}));
    add_nodes(line, left, jobs);
    jobs.push_back({&line, middle});
    add_nodes(line, right, jobs);
  }

  void evaluate(std::vector<Job>& jobs) {
    const auto bytes = static_cast<int64_t>(size_of(space_.real())) * space_.size();
    const auto most = static_cast<size_t>(
        std::max(kCacheBytes / bytes, std::clamp<int64_t>(space_.row_bytes() / bytes, 1, kUsefulRows)));
    const size_t batches = (jobs.size() + most - 1) / most, batch = (jobs.size() + batches - 1) / batches;
    for (size_t first = 0; first < jobs.size(); first += batch) {
      const std::span<Job> some(jobs.data() + first, std::min(batch, jobs.size() - first));
      visit(space_.real(), [&]<class T>(T) {
        if constexpr (std::is_floating_point_v<T>) evaluate_batch<T>(some);
      });
      report(progress_, "points of paths", static_cast<int64_t>(first + some.size()), std::ssize(jobs));
    }
  }

  template <class T>
  void evaluate_batch(std::span<Job> jobs) {
    const int64_t size = space_.size();
    Tensor rows(space_.real(), {std::ssize(jobs), size});
    std::vector<int64_t> targets;
    for (const Job& job : jobs) targets.push_back(job.line->target);
    const auto to = rows.mutable_data<T>();
    const int64_t grain = std::max<int64_t>(1, kGrain / size);
    parallel_for(std::ssize(jobs), grain, [&](int64_t begin, int64_t end) {
      for (int64_t j = begin; j < end; ++j) {
        const Job& job = jobs[j];
        const double *start = job.line->start, *direction = job.line->direction.data();
        T* row = to.data() + j * size;
        for (int64_t i = 0; i < size; ++i) row[i] = static_cast<T>(start[i] + job.at * direction[i]);
      }
    });
    const auto answer = space_.gradients(rows, targets, *paths_[0].question);
    for (size_t j = 0; j < jobs.size(); ++j) jobs[j].value = answer.values[j];
    collect(jobs, answer.gradient.data<T>());
  }

  // df/dt at each job.
  template <class T>
  std::vector<double> slopes_of(std::span<const Job> jobs, std::span<const T> gradients) const {
    const int64_t size = space_.size();
    std::vector<double> slopes(jobs.size());
    parallel_for(std::ssize(jobs), std::max<int64_t>(1, kGrain / size), [&](int64_t begin, int64_t end) {
      for (int64_t j = begin; j < end; ++j) {
        const auto& direction = jobs[j].line->direction;
        slopes[j] = std::inner_product(direction.begin(), direction.end(), gradients.begin() + j * size, 0.0);
      }
    });
    return slopes;
  }

  // Adds the gradients to the sums of their pieces, each number in the order of the nodes whatever the threads.
  template <class T>
  void collect(std::span<const Job> jobs, std::span<const T> gradients) {
    const auto slopes = rule_.steps == 0 ? slopes_of(jobs, gradients) : std::vector<double>(jobs.size());
    std::vector<std::pair<size_t, size_t>> runs;  // of jobs of one piece
    for (size_t j = 0; j < jobs.size(); ++j) {
      if (jobs[j].piece == nullptr) continue;
      jobs[j].piece->growth += jobs[j].weight * slopes[j];
      if (!runs.empty() && runs.back().second == j && jobs[j - 1].piece == jobs[j].piece) ++runs.back().second;
      else runs.emplace_back(j, j + 1);
    }
    const int64_t size = space_.size(), blocks = (size + kGrain - 1) / kGrain;
    const int64_t grain = std::max<int64_t>(1, kGrain / (size * std::max<int64_t>(1, rule_.steps)));
    parallel_for(std::ssize(runs) * blocks, grain, [&](int64_t begin, int64_t end) {
      for (int64_t item = begin; item < end; ++item) {
        const auto [first, behind] = runs[item / blocks];
        const int64_t from = item % blocks * kGrain, until = std::min(size, from + kGrain);
        double* sum = jobs[first].piece->sum.data();
        for (size_t j = first; j < behind; ++j) {
          const T* gradient = gradients.data() + static_cast<int64_t>(j) * size;
          for (int64_t i = from; i < until; ++i) sum[i] += jobs[j].weight * double{gradient[i]};
        }
      }
    });
  }

  std::vector<PathIntegral> finished() {
    const int64_t size = space_.size(), elements = element_count(space_.row());
    Tensor sums(DType::f64, {std::ssize(lines_), size});
    const auto to = sums.mutable_data<double>();
    for (size_t p = 0; p < lines_.size(); ++p) {
      double* sum = to.data() + static_cast<int64_t>(p) * size;
      for (const auto& piece : lines_[p].pieces) {
        for (int64_t i = 0; i < size; ++i) sum[i] += piece->sum[static_cast<size_t>(i)];
      }
    }
    const Tensor slopes = space_.leave(sums);
    std::vector<PathIntegral> results;
    for (size_t p = 0; p < lines_.size(); ++p) {
      const double* slope = slopes.data<double>().data() + static_cast<int64_t>(p) * elements;
      results.push_back(result_of(p, slope));
    }
    return results;
  }

  PathIntegral result_of(size_t p, const double* slope) const {
    const Line& line = lines_[p];
    PathIntegral result;
    result.output = line.f_end;
    result.baseline_output = line.f_start;
    result.nodes = line.nodes;
    const auto x = point_of(points_.at(paths_[p].question));
    result.values.resize(x.size());
    for (size_t i = 0; i < x.size(); ++i) result.values[i] = (x[i] - paths_[p].baseline[i]) * slope[i];
    const double sum = std::accumulate(result.values.begin(), result.values.end(), 0.0);
    // The pieces are summed where the path runs, the values behind it: both must add up.
    const double residual = std::abs(line.change() - sum);
    result.missed = rule_.steps == 0 ? std::max(residual, line.missed()) : residual;
    return result;
  }

  PathSpace& space_;
  std::span<const Path> paths_;
  PathRule rule_;
  const Progress& progress_;
  std::map<const Question*, Tensor> points_;
  Tensor placed_;  // ends of the lines
  std::vector<Line> lines_;
};

// How many of the paths may be integrated together. Other inputs of a model must be the same for all of them.
size_t group_size(const PathSpace& space, const PathRule& rule, std::span<const Path> paths, bool one_question) {
  const int64_t pieces = rule.steps > 0 ? 1 : 1 + rule.most / (2 * kPieceNodes);
  const int64_t numbers = std::max(rule.steps, kPieceNodes) + 4 + 2 * pieces;
  const auto most = static_cast<size_t>(std::max<int64_t>(1, space.row_bytes() / (numbers * space.size() * 4)));
  size_t count = std::min(most, paths.size());
  if (!one_question) return count;
  const auto other = [&](const Path& path) { return path.question != paths[0].question; };
  return std::min(count, static_cast<size_t>(std::find_if(paths.begin(), paths.end(), other) - paths.begin()));
}

// Of everything that an integral depends on.
RowKey key_of(const Path& path, const PathRule& rule, Road road) {
  const auto row = [](std::span<const double> numbers) {
    RowKey key;
    for (size_t i = 0; i < numbers.size(); ++i) key += element_key(i, numbers[i]);
    return key;
  };
  const double numbers[] = {static_cast<double>(rule.steps), rule.tolerance, static_cast<double>(rule.most),
                            rule.enough, path.only_at.value_or(-1)};
  const RowKey how = row(numbers), from = row(path.baseline);
  RowKey key;
  for (const uint64_t part : {static_cast<uint64_t>(road), static_cast<uint64_t>(path.question->target), how.first,
                              how.second, from.first, from.second}) {
    key.mix(part);
  }
  for (size_t input = 0; input < path.question->point.size(); ++input) {
    const Tensor wide = path.question->point[input].cast(DType::f64);
    const RowKey to = row(wide.data<double>());
    key.mix(to.first);
    key.mix(to.second);
  }
  return key;
}

}  // namespace

std::vector<Parameter> path_parameters(int64_t most) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return {
      integer_parameter("steps", 0, 0, kMostSteps, "Gauss-Legendre nodes of a path; 0: by the tolerance"),
      real_parameter("tolerance", 0, 0, kInfinity,
                     "what the pieces of a path may miss of f(x) - f(b), relative to it (to the sum of |a_i| if f does "
                     "not change but by rounding); 0: 1e-4 in float, 1e-9 in double"),
      integer_parameter("most", most, kPieceNodes, int64_t{1} << 30,
                        "most nodes that a path may take; then its integral is left as it is"),
      real_parameter("enough", 0, 0, kInfinity,
                     "what a path may miss of f(x) - f(b) where the tolerance is out of reach of `most` nodes, by how "
                     "fast the misses fall; then it stops before; 0: it goes on")};
}

PathRule path_rule(const Parameters& parameters) {
  return {parameters.integer("steps"), parameters.real("tolerance"), parameters.integer("most"),
          parameters.real("enough")};
}

void integrate_paths(ExplainedModel& model, std::span<const Path> paths, const PathRule& rule,
                     const std::function<void(size_t path, PathIntegral&& result)>& receive, const Progress& progress,
                     Road road) {
  PathSpace space(model, road);
  PathRule used = with_tolerance(rule, model.real());
  // Smooth networks converge faster and faster, so their first rounds tell nothing.
  if (used.enough > 0 && !has_kinks(model.graph())) used.enough = 0;
  const bool one_question = model.graph().inputs.size() > 1;
  SharedWork* shared = SharedWork::of(model);
  std::vector<RowKey> keys;
  for (const Path& path : paths) {
    if (shared != nullptr) keys.push_back(key_of(path, used, road));
  }
  const auto known = [&](size_t p) { return shared == nullptr ? nullptr : shared->integral(keys[p]); };
  for (size_t first = 0; first < paths.size();) {
    if (const PathIntegral* integral = known(first)) {
      receive(first++, PathIntegral(*integral));
      continue;
    }
    size_t count = 1;
    while (first + count < paths.size() && known(first + count) == nullptr) ++count;
    count = group_size(space, used, paths.subspan(first, count), one_question);
    std::vector<PathIntegral> results = Group(space, paths.subspan(first, count), used, progress).run();
    for (size_t p = 0; p < count; ++p) {
      if (shared != nullptr) shared->keep(keys[first + p], results[p]);
      receive(first + p, std::move(results[p]));
    }
    first += count;
    report(progress, "paths", static_cast<int64_t>(first), std::ssize(paths));
  }
}

}  // namespace ascribe::core
