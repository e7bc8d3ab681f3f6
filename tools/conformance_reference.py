"""Textbook versions of what docs/conformance publishes, in numpy, from definitions and by brute force.

They share nothing with the program: coalitions are masked one by one, gradients are written by hand, integrals are
cut at every kink, Shapley values are means over all orders of the players.
"""
import itertools
import math

import numpy


class Polynomial:
    """A sum of monomials: {degrees: coefficient}."""

    def __init__(self, terms):
        self.terms = terms

    def value(self, x):
        """f(x)"""
        return sum(c * numpy.prod(x ** numpy.array(k)) for k, c in self.terms.items())

    def gradient(self, x):
        """All partial derivatives."""
        slopes = numpy.zeros(len(x))
        for degrees, c in self.terms.items():
            for i, power in enumerate(degrees):
                if power:
                    lower = numpy.array(degrees) - (numpy.arange(len(x)) == i)
                    slopes[i] += c * power * numpy.prod(x ** lower)
        return slopes

    def kinks(self, x, b):
        """None."""
        return []

    def taylor(self, b, delta):
        """I(kappa) at b along delta: every monomial multiplied out by the binomial theorem."""
        terms = {}
        for degrees, c in self.terms.items():
            for kappa in itertools.product(*(range(d + 1) for d in degrees)):
                factor = c
                for d, k, start, step in zip(degrees, kappa, b, delta):
                    factor *= math.comb(d, k) * start ** (d - k) * step ** k
                terms[kappa] = terms.get(kappa, 0) + factor
        return terms


class Network:
    """Dense layers [(W, b), ...] with an activation between them, of a flat row; one output."""

    def __init__(self, layers, activation, target):
        self.layers, self.activation, self.target = layers, activation, target

    def act(self, z):
        """The activation and its slope."""
        if self.activation == "relu":
            return numpy.maximum(z, 0), (z > 0).astype(float)
        s = 1 / (1 + numpy.exp(-z))
        return s, s * (1 - s)

    def value(self, x):
        """f(x)"""
        for weights, bias in self.layers[:-1]:
            x = self.act(x @ weights + bias)[0]
        return (x @ self.layers[-1][0] + self.layers[-1][1])[self.target]

    def gradient(self, x):
        """By the chain rule."""
        slopes = []
        for weights, bias in self.layers[:-1]:
            x, slope = self.act(x @ weights + bias)
            slopes.append(slope)
        back = self.layers[-1][0][:, self.target]
        for (weights, _), slope in zip(reversed(self.layers[:-1]), reversed(slopes)):
            back = weights @ (back * slope)
        return back

    def preactivations(self, x):
        """Of all hidden neurons."""
        found = []
        for weights, bias in self.layers[:-1]:
            z = x @ weights + bias
            found.append(z)
            x = self.act(z)[0]
        return numpy.concatenate(found)

    def kinks(self, x, b):
        """Where ReLUs switch on the way from b to x: signs on a fine grid, then bisection."""
        if self.activation != "relu":
            return []
        at = lambda t: self.preactivations(b + t * (x - b))
        grid = numpy.linspace(0, 1, 4097)
        signs = numpy.array([at(t) > 0 for t in grid])
        places = []
        for low, high in zip(*(grid[numpy.nonzero((signs[1:] != signs[:-1]).any(1))[0] + i] for i in (0, 1))):
            neurons = numpy.nonzero((at(low) > 0) != (at(high) > 0))[0]
            for neuron in neurons:
                a, c, first = low, high, at(low)[neuron] > 0
                for _ in range(60):
                    middle = (a + c) / 2
                    a, c = (middle, c) if (at(middle)[neuron] > 0) == first else (a, middle)
                places.append((a + c) / 2)
        return sorted(places)


def convolution(kernels, bias, size, padding):
    """A convolution [out, in, k, k] of an image [in, size, size] as one dense layer."""
    out, channels, k, _ = kernels.shape
    wide = size + 2 * padding - k + 1
    weights = numpy.zeros((channels * size * size, out * wide * wide))
    for o, y, x in itertools.product(range(out), range(wide), range(wide)):
        for c, i, j in itertools.product(range(channels), range(k), range(k)):
            row, column = y + i - padding, x + j - padding
            if 0 <= row < size and 0 <= column < size:
                weights[(c * size + row) * size + column, (o * wide + y) * wide + x] = kernels[o, c, i, j]
    return weights, numpy.repeat(bias, wide * wide)


def average_pooling(channels, size, k):
    """Means over k x k windows as a matrix."""
    wide = size // k
    weights = numpy.zeros((channels * size * size, channels * wide * wide))
    for c, y, x in itertools.product(range(channels), range(size), range(size)):
        weights[(c * size + y) * size + x, (c * wide + y // k) * wide + x // k] = 1 / k ** 2
    return weights


class Question:
    """A function with an input, a baseline and the players of its elements."""

    def __init__(self, function, x, baselines, owner):
        self.function, self.x, self.baselines = function, x.ravel(), [b.ravel() for b in baselines]
        self.owner, self.count = numpy.array(owner), max(owner) + 1

    def v(self, players):
        """With these players present, the mean over the baselines."""
        inside = numpy.isin(self.owner, list(players))
        return numpy.mean([self.function.value(numpy.where(inside, self.x, b)) for b in self.baselines])

    def sets(self):
        """All sets of players, by their bits."""
        return [[p for p in range(self.count) if bits >> p & 1] for bits in range(2 ** self.count)]

    def dividends(self):
        """J(S) by its definition."""
        return [sum((-1) ** (len(s) - k) * self.v(t) for k in range(len(s) + 1)
                    for t in itertools.combinations(s, k)) for s in self.sets()]

    def by_player(self, elements):
        """Sums over the elements of every player."""
        return [float(elements[self.owner == p].sum()) for p in range(self.count)]

    def gradient_x_input(self):
        """x times the slope at x."""
        return self.by_player(self.x * self.function.gradient(self.x))

    def integrated_gradients(self):
        """Gauss-Legendre between the kinks, the mean over the baselines."""
        nodes, weights = numpy.polynomial.legendre.leggauss(40)
        total = numpy.zeros(len(self.x))
        for b in self.baselines:
            ends = [0.0, *self.function.kinks(self.x, b), 1.0]
            for low, high in zip(ends, ends[1:]):
                for node, weight in zip(nodes, weights):
                    t = low + (high - low) * (node + 1) / 2
                    step = self.function.gradient(b + t * (self.x - b)) * (self.x - b)
                    total += (high - low) / 2 * weight * step / len(self.baselines)
        return self.by_player(total)

    expected_gradients = integrated_gradients

    def occlusion(self):
        """What is lost without a player."""
        everyone = set(range(self.count))
        return [self.v(everyone) - self.v(everyone - {p}) for p in range(self.count)]

    prediction_difference = occlusion

    def shapley(self):
        """What a player adds when it comes, over all orders of coming."""
        values = numpy.zeros(self.count)
        orders = list(itertools.permutations(range(self.count)))
        for order in orders:
            for i, player in enumerate(order):
                values[player] += (self.v(order[:i + 1]) - self.v(order[:i])) / len(orders)
        return list(values)

    METHODS = ("gradient_x_input", "occlusion", "prediction_difference", "integrated_gradients", "expected_gradients",
               "shapley")
    BACKGROUND = ("prediction_difference", "expected_gradients")
