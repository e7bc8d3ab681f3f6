// The Möbius transform of a game, in place: values[S] = v(S) becomes the Harsanyi dividend
//   H(S) = sum over T in S of (-1)^(|S| - |T|) v(T),
// and the zeta transform back. m 2^(m - 1) additions. Sets are numbers whose bits are their players.
#pragma once

#include <span>

namespace ascribe::core {

void moebius_transform(std::span<double> values);  // 2^m of them
// Over the players from this one on only, of a table that was transformed over those before.
void moebius_transform_from(std::span<double> values, int first_player);
void zeta_transform(std::span<double> dividends);

}  // namespace ascribe::core
