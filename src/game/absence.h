// What absent players are when v(S) is asked for (docs/theory/anova.md); R: the elements of the players outside of S.
//   as_given  a row of baselines, or several: v(S) = mean over b of f(x_S, b_R)
//   gaussian  what they could be, given x_S: mean over b of f(x_S, b_R + C_RS C_SS^-1 (x_S - b_S)), C the covariance of
//             the rows b. This is E[f(X) | X_S = x_S] if the rows are Gaussian; nothing is drawn.
//   kernel    the rows that are like x_S: the mean of f(x_S, b_R) with the weights exp(-D_S(b) / (2 width^2)), D_S(b)
//             the mean over the elements of S of ((x - b) / standard deviation)^2; width 0: the nearest rows alone
// Sources: Aas, Jullum, Loland 2021; Fumagalli, Muschalik and others 2024.
#pragma once

#include <string>
#include <string_view>

namespace ascribe::core {

struct Absence {
  enum class Kind { as_given, gaussian, kernel };
  Kind kind = Kind::as_given;
  double width = 0;  // of the kernel

  bool conditional() const { return kind != Kind::as_given; }
};

inline constexpr double kUsualWidth = 0.1;

// "", baseline and marginal are as given; conditional or conditional:gaussian, conditional:kernel[:WIDTH],
// conditional:equal. Kind argument for others.
Absence absence_named(std::string_view text);

// "given the players that are there, as Gaussian": empty if it is not conditional.
std::string to_words(const Absence& absence);

}  // namespace ascribe::core
