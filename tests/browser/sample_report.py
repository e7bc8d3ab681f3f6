"""Small reports in the form of report.json, with numbers that tests can foretell."""

import base64
import math
import random
import struct
import zlib

METHODS = ["gradient_x_input", "occlusion", "integrated_gradients", "shapley"]
TITLES = {"gradient_x_input": "Gradient × Input", "occlusion": "Occlusion-1",
          "integrated_gradients": "Integrated Gradients", "shapley": "Shapley value"}


def png(width, height, pixel):
    """A gray PNG; pixel(x, y) gives 0 to 255."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    lines = b"".join(b"\0" + bytes(pixel(x, y) for x in range(width)) for y in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")


def text64(data):
    return base64.b64encode(data).decode()


def encoded_map(values):
    scale = max(map(abs, values)) / 32767
    return {"scale": scale, "data": text64(struct.pack(f"<{len(values)}h", *(round(v / scale) for v in values)))}


def grid_owner(width, height, rows, columns):
    return [(y * rows // height) * columns + x * columns // width for y in range(height) for x in range(width)]


def grid_names(rows, columns):
    return [f"r{r}c{c}" for r in range(rows) for c in range(columns)]


def method(number, name, values, pixel_map=None):
    total = sum(values)
    return {"name": name, "title": TITLES[name], "number": number, "kind": "contribution", "formula": "a(i) = …",
            "cost": "one gradient", "parameters": {"steps": "64"}, "values": values, "standard_errors": None,
            "map": pixel_map, "sum": total, "explains": 8.0, "residual": 8.0 - total, "exact": True,
            "standard_error": None, "evaluations": 10 * number, "seconds": 0.01 * number, "notes": []}


def principle(holds):
    return {"figure": 0.0 if holds else 0.5, "tolerance": 0.01, "holds": holds}


def effects(players):
    count = len(players["names"])
    pairs = [{"players": [i, (i + 1) % count], "value": (-1) ** i * 2.0 / (i + 1)} for i in range(min(3, count))]
    return {"players": players, "output": 9.0, "baseline_output": 1.0, "remainder": 0.0,
            "orders": [{"order": 1, "effects": count, "sum": 4.0, "strength": 6.0, "share": 0.6},
                       {"order": 2, "effects": count * (count - 1) // 2, "sum": 4.0, "strength": 4.0, "share": 0.4}],
            "independent": [0.5] * count, "strongest": [{"players": [0], "value": 3.0}, *pairs], "pairs": pairs,
            "triples": [{"players": [0, 1, 2], "value": 0.5}]}


def comparisons(parts):
    count = len(METHODS)
    positions = [i / 10 for i in range(11)]
    return {
        "agreement": {"methods": METHODS, "k": 3,
                      "rank_correlation": [[1 if i == j else 0.9 - 0.1 * (i + j) for j in range(count)] for i in range(count)],
                      "top_overlap": [[1 if i == j else 0.5 for j in range(count)] for i in range(count)]},
        "effects": effects(parts),
        "principles": {"players": parts, "change": 8.0, "left_out": [],
                       "methods": [{"name": name, "low_error": principle(True), "no_unrelated": principle(True),
                                    "complete": principle(name == "shapley"), "held": 3 if name == "shapley" else 2,
                                    "sentence": "+8.0 was given for a change of +8.0"} for name in METHODS]},
        "differences": [{"first": "occlusion", "second": "shapley", "cosine": 0.93, "difference": 12.1,
                         "sentence": "67 % of the difference is what two parts do together."}],
        "metrics": [{"name": "infidelity", "title": "Infidelity", "better": "lower", "about": "An error.", "parameters": {},
                     "scores": [{"method": name, "value": 0.1 * (4 - i), "undefined": None, "positions": None, "curve": None}
                                for i, name in enumerate(METHODS)]},
                    {"name": "deletion", "title": "Deletion", "better": "lower", "about": "An area.", "parameters": {},
                     "scores": [{"method": name, "value": 3.0 + i, "undefined": None, "positions": positions,
                                 "curve": [9 * math.exp(-(i + 1) * p) for p in positions]} for i, name in enumerate(METHODS)]}],
    }


def row(kind, source, players, methods, parts, image=None):
    return {"source": source, "kind": kind, "target": {"index": 1, "label": "boot"}, "explains": "logit", "output": 9.0,
            "baseline_output": 1.0, "change": 8.0, "baseline": "zero",
            "top": [{"index": 1, "label": "boot", "value": 9.0, "probability": 0.97},
                    {"index": 0, "label": "shoe", "value": 5.0, "probability": 0.03}],
            "image": image, "players": players, "methods": methods, "left_out": [], **comparisons(parts)}


def image_row(source="boot.png"):
    """12 x 8 pixels in 4 x 6 players; the first two methods know pixels, the others only players."""
    draw = random.Random(7)
    width, height = 12, 8
    owner = grid_owner(width, height, 4, 6)
    methods = []
    for number, name in enumerate(METHODS, 1):
        pixels = [draw.gauss(0, 1) for _ in owner]
        values = [sum(v for v, o in zip(pixels, owner) if o == player) for player in range(24)]
        shown = pixels if number <= 2 else [values[o] for o in owner]
        methods.append(method(number, name, values, encoded_map(shown)))
    parts = {"description": "grid:2x2", "names": grid_names(2, 2), "values": None, "owner": grid_owner(width, height, 2, 2)}
    players = {"description": "grid:4x6", "names": grid_names(4, 6), "values": None, "owner": owner}
    picture = {"width": width, "height": height, "png": text64(png(width, height, lambda x, y: 20 * x))}
    return row("image", source, players, methods, parts, picture)


def table_row(source="houses.csv"):
    names = ["area", "rooms", "age", "garden"]
    players = {"description": "columns", "names": names, "values": ["74", "3", "111", "0"], "owner": None}
    methods = [method(i, name, [5.0 - i, 2.0 * i, -1.0, 0.5]) for i, name in enumerate(METHODS, 1)]
    return row("table", source, players, methods, players)


def sequence_row(source="heart.npy"):
    count = 30
    players = {"description": "elements", "names": [f"t{i}" for i in range(count)],
               "values": [f"{i / 10:.1f}" for i in range(count)], "owner": None}
    methods = [method(i, name, [math.sin(t / i) for t in range(count)]) for i, name in enumerate(METHODS, 1)]
    return row("sequence", source, players, methods, players)


def text_row(source="review.npz"):
    """Sixty tokens; every third continues a word, and the last one is nobody's."""
    count = 60
    players = {"description": "positions", "names": [f"{i} word{i}" for i in range(count)],
               "values": [f"id {i}" for i in range(count)], "owner": None}
    methods = [method(i, name, [math.sin(t / i) for t in range(count)]) for i, name in enumerate(METHODS, 1)]
    made = row("text", source, players, methods, players)
    made["text"] = [{"text": f"word{i}", "space": i % 3 != 1, "player": i} for i in range(count)]
    made["text"].append({"text": "w" * 400, "space": True, "player": -1})
    return made


def series_row(source="engine.npy"):
    """Two channels of twelve steps; every number is a part."""
    steps, channels = 12, ["speed", "heat"]
    count = steps * len(channels)
    players = {"description": "elements", "names": [f"{c} step {t}" for c in channels for t in range(steps)],
               "values": [f"{i / 10:.1f}" for i in range(count)], "owner": list(range(count))}
    methods = [method(i, name, [math.sin(t / i) for t in range(count)]) for i, name in enumerate(METHODS, 1)]
    made = row("series", source, players, methods, players)
    made["series"] = {"steps": steps, "channels": channels, "values": [math.cos(i) for i in range(count)]}
    return made


def report(*rows, title="A boot"):
    return {"format": "ascribe report", "version": 1, "title": title, "program": {"name": "ascribe", "version": "0.1.0"},
            "model": {"file": "net.onnx", "sha256": "0" * 64, "parameters": 10, "input": "x", "output": "y"},
            "settings": {"command": "ascribe report net.onnx boot.png -o report.html", "seed": 0},
            "seconds": 1.5, "notes": [], "rows": list(rows)}
