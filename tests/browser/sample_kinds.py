"""Reports of series, of texts in pieces, of regions of an output and of several inputs, with numbers that tests can
foretell."""

import math

from sample_report import METHODS, encoded_map, grid_names, grid_owner, method, png, report, row, text64, text_row

__all__ = ["region_report", "report", "series_row", "text_row", "two_inputs_row"]


def series_value(channel, step):
    return math.sin(step / (3 + channel)) + channel


def series_share(number, channel, step):
    return round((channel + 1) * math.sin((step + 1) / number), 3)


def series(channels, steps, name="channel"):
    return {"steps": steps, "channels": [f"{name} {c}" for c in range(channels)],
            "values": [series_value(c, t) for c in range(channels) for t in range(steps)]}


def series_row(channels=3, steps=50, source="heart.npy"):
    """Players are the numbers themselves, channel by channel."""
    names = [f"channel {c} step {t}" for c in range(channels) for t in range(steps)]
    count = len(names)
    players = {"description": "elements", "names": names, "values": ["1"] * count, "owner": list(range(count))}
    methods = []
    for number, title in enumerate(METHODS, 1):
        shares = [series_share(number, c, t) for c in range(channels) for t in range(steps)]
        methods.append(method(number, title, shares, encoded_map(shares)))
    made = row("series", source, players, methods, {"description": "four", "names": ["a", "b", "c", "d"],
                                                    "values": ["1"] * 4, "owner": None})
    made["series"] = series(channels, steps)
    return made


def region_report(image_row, runs=((0, 1), (8, 2))):
    """An output of 2 x 6 cells over the 12 x 8 pixels of the picture."""
    made = image_row()
    made["region"] = {"height": 2, "width": 6, "runs": [{"first": first, "count": count} for first, count in runs]}
    made["target"] = {"index": None, "label": None, "description": "class 2 over 3 cells"}
    return report(made)


def two_inputs_row(source="patient.npz"):
    """A picture of 4 x 4 pixels with four players, a table of three numbers, and a series of ten steps."""
    owner = grid_owner(4, 4, 2, 2)
    names = [f"scan {name}" for name in grid_names(2, 2)] + ["age", "weight", "dose"] + [f"pulse {t}" for t in range(10)]
    players = {"description": "parts of the inputs", "names": names, "values": ["1"] * len(names), "owner": None}
    methods = []
    for number, title in enumerate(METHODS, 1):
        values = [1.0, -1.0, 0.5, 0.5] + [3.0, 0.0, -2.0] + [0.1 * number] * 10
        methods.append(method(number, title, values))
    made = row("sequence", source, players, methods, {"description": "three", "names": ["scan", "table", "pulse"],
                                                      "values": ["1"] * 3, "owner": None})
    pulse = {"steps": 10, "channels": ["pulse"], "values": [math.cos(t) for t in range(10)]}
    given = lambda first, count, cells: [
        {"sum": sum(one["values"][first:first + count]), "strength": sum(map(abs, one["values"][first:first + count])),
         "map": encoded_map([one["values"][first + cell] for cell in cells]) if cells else None} for one in methods]
    made["parts"] = [
        {"name": "scan", "kind": "image", "image": {"width": 4, "height": 4, "png": text64(png(4, 4, lambda x, y: 60 * x))},
         "players": [0, 1, 2, 3], "owner": owner, "given": given(0, 4, owner)},
        {"name": "table", "kind": "table", "image": None, "players": [4, 5, 6], "owner": None, "given": given(4, 3, [])},
        {"name": "pulse", "kind": "series", "image": None, "series": pulse, "players": list(range(7, 17)),
         "owner": list(range(7, 17)), "given": given(7, 10, list(range(10)))}]
    return made
