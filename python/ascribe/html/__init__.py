"""What notebooks show of results: self-contained HTML without scripts, in light and dark. One module for each type."""
