"""Time against accuracy, every engine on every scene of a result of perp bench scenes: small log-log panels as one SVG.
Used by tools/performance."""
import math
from html import escape

COLUMNS, WIDTH, HEIGHT, MARGIN = 4, 250, 190, (46, 14, 34, 26)  # a panel; its left, right, top, bottom margins
LEAST_MM, MOST_MM = 1e-6, 1e3  # errors beyond are drawn on the edge
COLOURS = {"ode-quick": "#b07a00", "ode-step": "#8c564b", "bullet": "#2c7a2c", "featherstone": "#17807e",
           "mujoco": "#7a3fa0", "rapier": "#d2691e", "drake": "#666666", "perp": "#c21f1f"}


def colour(engine):
    return next((c for name, c in COLOURS.items() if engine.startswith(name)), "#333333")


def decades(least, most):
    return range(math.floor(math.log10(least)), math.ceil(math.log10(most)) + 1)


class Panel:
    """One scene: milliseconds a step to the right, the error in millimetres upwards."""

    def __init__(self, number, title, points):
        left, right, top, bottom = MARGIN
        self.x0, self.x1 = (number % COLUMNS) * WIDTH + left, (number % COLUMNS + 1) * WIDTH - right
        self.y0, self.y1 = (number // COLUMNS + 1) * HEIGHT - bottom, (number // COLUMNS) * HEIGHT + top
        self.title, self.points = title, points
        times = [ms for _, ms, _ in points] or [1]
        self.time, self.error = decades(min(times), max(times)), decades(LEAST_MM, MOST_MM)

    def place(self, value, axis, low, high):
        return low + (math.log10(value) - axis[0]) / max(axis[-1] - axis[0], 1) * (high - low)

    def x(self, ms):
        return self.place(ms, self.time, self.x0, self.x1)

    def y(self, mm):
        return self.place(min(max(mm, LEAST_MM), MOST_MM), self.error, self.y0, self.y1)

    def grid(self):
        for k in self.time:
            x = self.x(10.0 ** k)
            yield f'<path d="M{x:.1f} {self.y0}V{self.y1}" stroke="#e4e4e4"/>'
            yield f'<text x="{x:.1f}" y="{self.y0 + 13}" text-anchor="middle">{10.0 ** k:g}</text>'
        for k in self.error[::3]:
            y = self.y(10.0 ** k)
            label = f"≤{10.0 ** k:g}" if 10.0 ** k <= LEAST_MM else f"{10.0 ** k:g}"
            yield f'<path d="M{self.x0} {y:.1f}H{self.x1}" stroke="#e4e4e4"/>'
            yield f'<text x="{self.x0 - 4}" y="{y + 3:.1f}" text-anchor="end">{label}</text>'

    def draw(self):
        yield f'<text x="{self.x0}" y="{self.y1 - 8}" font-weight="bold">{escape(self.title)}</text>'
        yield from self.grid()
        for engine, ms, mm in self.points:
            shape = (f'<rect x="{self.x(ms) - 3.5:.1f}" y="{self.y(mm) - 3.5:.1f}" width="7" height="7"'
                     if engine.startswith("perp") else f'<circle cx="{self.x(ms):.1f}" cy="{self.y(mm):.1f}" r="3.5"')
            yield (f'{shape} fill="{colour(engine)}" fill-opacity="0.75"><title>{escape(engine)}: {ms:.3g} ms, '
                   f'{mm:.2g} mm</title>{"</rect>" if engine.startswith("perp") else "</circle>"}')


def legend(engines, y):
    """The engines by colour; perp's four settings share one, from loose to tight they lie from left to right."""
    names = list(dict.fromkeys("perp" if e.startswith("perp") else e for e in engines))
    for k, name in enumerate(names):
        x = 46 + 118 * k
        yield f'<rect x="{x}" y="{y - 8}" width="8" height="8" fill="{colour(name)}"/>'
        yield f'<text x="{x + 12}" y="{y}">{escape(name)}</text>'


def draw(scenes):
    """scenes: (name, what the error is, [(engine, ms, mm)])"""
    rows = -(-len(scenes) // COLUMNS)
    height, engines = rows * HEIGHT + 44, [e for _, _, points in scenes for e, _, _ in points]
    body = [line for k, (name, what, points) in enumerate(scenes) for line in Panel(k, f"{name}: {what}", points).draw()]
    body += legend(engines, rows * HEIGHT + 14)
    body.append(f'<text x="46" y="{rows * HEIGHT + 34}">to the right: CPU time of a step, ms; upwards: error, mm. '
                "Lower left is better. perp: 1e-1, 1e-3, 1e-8 and default settings.</text>")
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{COLUMNS * WIDTH}" height="{height}" '
            f'viewBox="0 0 {COLUMNS * WIDTH} {height}" font-family="sans-serif" font-size="10" fill="#222">\n'
            "<title>time against accuracy</title>\n"
            f'<rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join(body) + "\n</svg>\n")
