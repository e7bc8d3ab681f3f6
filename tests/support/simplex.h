// min c x subject to A x = b, x >= 0: the textbook tableau with artificial variables and Bland's rule, for small cases.
#pragma once

#include <cmath>
#include <optional>
#include <vector>

namespace ascribe::core {

class Simplex {
 public:
  explicit Simplex(size_t variables) : variables_(variables) {}

  void equal(std::vector<double> row, double right) {
    if (right < 0) {
      for (double& value : row) value = -value;
      right = -right;
    }
    row.push_back(right);
    rows_.push_back(std::move(row));
  }

  // The smallest c x; nothing if no x satisfies the equations.
  std::optional<double> minimum(const std::vector<double>& cost) {
    const size_t m = rows_.size(), width = variables_ + m;
    std::vector<std::vector<double>> table;
    std::vector<size_t> basis;
    for (size_t r = 0; r < m; ++r) {
      std::vector<double> row(rows_[r].begin(), rows_[r].end() - 1);
      row.resize(width, 0.0);
      row[variables_ + r] = 1;
      row.push_back(rows_[r].back());
      table.push_back(std::move(row));
      basis.push_back(variables_ + r);
    }
    std::vector<double> phase_one(width, 0.0);
    for (size_t r = 0; r < m; ++r) phase_one[variables_ + r] = 1;
    if (improve(table, basis, phase_one, width) > 1e-9) return std::nullopt;
    std::vector<double> phase_two = cost;
    phase_two.resize(width, 0.0);
    return improve(table, basis, phase_two, variables_);
  }

 private:
  static double improve(std::vector<std::vector<double>>& table, std::vector<size_t>& basis,
                        const std::vector<double>& cost, size_t columns) {
    while (true) {
      size_t enter = columns;
      for (size_t j = 0; j < columns && enter == columns; ++j) {
        double reduced = cost[j];
        for (size_t r = 0; r < table.size(); ++r) reduced -= cost[basis[r]] * table[r][j];
        if (reduced < -1e-10) enter = j;
      }
      if (enter == columns) break;
      size_t leave = table.size();
      for (size_t r = 0; r < table.size(); ++r) {
        if (table[r][enter] < 1e-10) continue;
        if (leave == table.size()) leave = r;
        const double here = table[r].back() / table[r][enter], best = table[leave].back() / table[leave][enter];
        if (here < best - 1e-12 || (here < best + 1e-12 && basis[r] < basis[leave])) leave = r;
      }
      if (leave == table.size()) return -INFINITY;
      pivot(table, leave, enter);
      basis[leave] = enter;
    }
    double value = 0;
    for (size_t r = 0; r < table.size(); ++r) value += cost[basis[r]] * table[r].back();
    return value;
  }

  static void pivot(std::vector<std::vector<double>>& table, size_t row, size_t column) {
    const double by = table[row][column];
    for (double& value : table[row]) value /= by;
    for (size_t r = 0; r < table.size(); ++r) {
      const double factor = table[r][column];
      if (r == row || factor == 0) continue;
      for (size_t j = 0; j < table[r].size(); ++j) table[r][j] -= factor * table[row][j];
    }
  }

  size_t variables_;
  std::vector<std::vector<double>> rows_;
};

}  // namespace ascribe::core
