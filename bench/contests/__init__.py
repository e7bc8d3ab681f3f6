"""A file for each family of contests: `rows()` gives its comparisons, and the peers' sides are functions beside it."""

FAMILIES = ("forward", "gradient", "methods", "occlusion", "loading", "metrics", "games", "estimators", "sparse",
            "trees", "compiled", "binding", "growth")
