# SPDX-License-Identifier: Apache-2.0
"""Training data: files of Fashion-MNIST and MNIST, objects placed on clutter, and a synthetic house-price table."""

import csv
import gzip
from pathlib import Path

import numpy as np
import torch

# Where Debian's package dataset-fashion-mnist puts the files.
FASHION_DIR = Path("/usr/share/datasets/fashion-mnist")

FASHION_LABELS = [
    "T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
    "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot",
]

HOUSE_COLUMNS = [
    "area_m2", "rooms", "age_years", "distance_km",
    "floor", "has_lift", "garden_m2", "energy_kwh_m2",
]


def read_idx(path):
    """Read a gzipped IDX file of unsigned bytes."""
    raw = gzip.decompress(path.read_bytes())
    if raw[:3] != b"\0\0\x08":
        raise ValueError(f"{path}: not an IDX file of unsigned bytes")
    rank = raw[3]
    shape = np.frombuffer(raw, ">u4", rank, offset=4)
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * rank).reshape(shape)


def idx_images(folder, split):
    """Return images [N,1,28,28] in 0..1 and labels [N]; split is 'train' or 't10k'."""
    images = read_idx(Path(folder) / f"{split}-images-idx3-ubyte.gz")
    labels = read_idx(Path(folder) / f"{split}-labels-idx1-ubyte.gz")
    x = torch.from_numpy(images.astype(np.float32) / 255).unsqueeze(1)
    return x, torch.from_numpy(labels.astype(np.int64))


# Objects placed on clutter; src/data/datasets/placed_objects.cpp draws the test images by the same recipe.
CANVAS = 56
OBJECT_SIDES = (18, 30)  # of the 28x28 image that holds the object, after scaling
FRAGMENTS, FRAGMENT_SIDE = 14, 9
GREY, NOISE = (0.15, 0.55), 0.1
VISIBLE = 0.1  # fainter pixels of an image are not pasted


def paste(canvas, piece, top, left):
    """Lay the visible pixels of a piece over the canvas."""
    part = canvas[top:top + piece.shape[0], left:left + piece.shape[1]]
    np.copyto(part, piece, where=piece > VISIBLE)


def clutter(images, rng):
    """Return a canvas of noisy grey with fragments of random images."""
    canvas = rng.uniform(*GREY) + rng.uniform(-NOISE, NOISE, (CANVAS, CANVAS))
    for _ in range(FRAGMENTS):
        y, x = rng.integers(0, 28 - FRAGMENT_SIDE + 1, 2)
        piece = images[rng.integers(len(images))][y:y + FRAGMENT_SIDE, x:x + FRAGMENT_SIDE]
        paste(canvas, piece, *rng.integers(0, CANVAS - FRAGMENT_SIDE + 1, 2))
    return canvas


def placed_objects(x, rows, rng):
    """Place the chosen images of x [N,1,28,28], scaled, on canvases with fragments of any: [rows,1,56,56]."""
    images = x[:, 0].numpy()
    result = np.empty((len(rows), 1, CANVAS, CANVAS), np.float32)
    for i, row in enumerate(rows):
        side = int(rng.integers(OBJECT_SIDES[0], OBJECT_SIDES[1] + 1))
        scaled = torch.nn.functional.interpolate(
            x[row:row + 1], size=(side, side), mode="bilinear", align_corners=False, antialias=True)
        result[i, 0] = clutter(images, rng)
        paste(result[i, 0], scaled[0, 0].numpy(), *rng.integers(0, CANVAS - side + 1, 2))
    return torch.from_numpy(result)


def house_price(area, rooms, age, distance, floor, lift, garden, energy):
    """The noise-free price in thousand euros; see README.md for the interactions."""
    per_m2 = (2.2 + 3.8 * np.exp(-distance / 8)) * (1 - 0.004 * np.minimum(age, 60))
    per_m2 -= 0.002 * np.maximum(energy - 100, 0)
    stairs = np.where(lift == 1, 3 * floor, -6 * np.maximum(floor - 1, 0))
    return (area * per_m2 + 8 * np.minimum(rooms, 6) + stairs
            + 0.25 * garden * np.exp(-distance / 15))


def houses(count, seed):
    """Draw `count` homes; return features [N,8] and prices [N,1]."""
    rng = np.random.default_rng(seed)
    area = np.clip(rng.lognormal(4.5, 0.4, count), 25, 300).round()
    rooms = np.clip(area / 25 + rng.normal(0, 0.8, count), 1, 10).round()
    age = rng.integers(0, 121, count)
    distance = np.clip(rng.gamma(2, 5, count), 0.2, 40).round(1)
    floor = np.clip(rng.geometric(0.3, count) - 1, 0, 12)
    lift = (rng.random(count) < np.clip(0.1 + 0.15 * floor, 0, 0.95)).astype(float)
    garden = np.where(floor == 0, rng.exponential(150, count), 0).round()
    energy = np.clip(60 + 1.2 * age + rng.normal(0, 40, count), 20, 400).round()
    columns = [area, rooms, age, distance, floor, lift, garden, energy]
    price = house_price(*columns) + rng.normal(0, 15, count)
    x = torch.tensor(np.stack(columns, 1), dtype=torch.float32)
    return x, torch.tensor(price, dtype=torch.float32).unsqueeze(1)


def write_csv(path, header, rows):
    """Write a table; every number in its shortest form (87, 3.4)."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows([f"{value:g}" for value in row] for row in rows)
