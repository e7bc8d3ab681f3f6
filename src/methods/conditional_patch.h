// Draws of what each player could have been, given the pixels around it: a Gaussian of the player's elements and of
// those in a frame around them, fitted on background rows, conditioned on x in the frame.
//   mean and covariance of the rows; the covariance shrunk: (1 - shrinkage) S + shrinkage diag(S), and a small floor
//   draw  z_P + S_PC S_CC^-1 (x_C - z_C),  z a draw of the Gaussian itself (Matheron's rule)
// Source: Zintgraf, Cohen, Adel, Welling, "Visualizing Deep Neural Network Decisions" (2017), with a fit at every
// place.
#pragma once

#include "game/players.h"

namespace ascribe::core {

class ConditionalPatch {
 public:
  // `rows`: the background, in double. Refuses, kind argument, players without an image and too few rows.
  ConditionalPatch(const Players& players, const Tensor& rows, int64_t context, double shrinkage);

  // A row in which every player's elements are drawn, each player given x around it.
  std::vector<double> draw(std::span<const double> x, uint64_t seed, int64_t sample) const;

 private:
  struct Patch {
    std::vector<int64_t> own, around;  // elements
    std::vector<double> gains;         // S_PC S_CC^-1: [own, around]
  };
  Patch patch_of(std::vector<int64_t> own, const ImageShape& image, int64_t context) const;
  double covariance(int64_t i, int64_t j) const;
  std::vector<double> unconditional(uint64_t seed, int64_t sample) const;

  int64_t size_, rows_;
  double shrinkage_, floor_ = 0;
  std::vector<double> mean_, variance_, deviations_;  // deviations: [elements, rows], divided by sqrt(rows - 1)
  std::vector<Patch> patches_;
};

}  // namespace ascribe::core
