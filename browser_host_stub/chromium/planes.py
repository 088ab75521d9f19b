"""Points of one viewport as points of another one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Plane:
    """An affine map: moved, scaled, turned or skewed. `x' = xx·x + xy·y + x0`, `y' = yx·x + yy·y + y0`."""

    xx: float = 1.0
    xy: float = 0.0
    yx: float = 0.0
    yy: float = 1.0
    x0: float = 0.0
    y0: float = 0.0

    @classmethod
    def spanned(cls, quad: Sequence[float], width: float, height: float) -> Plane:
        """The map of a box of this size onto a quadrilateral given by its corners, clockwise from the upper left."""
        wide, high = max(width, 1.0), max(height, 1.0)
        x0, y0, x1, y1 = (float(side) for side in quad[:4])
        x3, y3 = float(quad[6]), float(quad[7])
        return cls((x1 - x0) / wide, (x3 - x0) / high, (y1 - y0) / wide, (y3 - y0) / high, x0, y0)

    def of(self, x: float, y: float) -> tuple[float, float]:
        """A point on the other side."""
        return self.xx * x + self.xy * y + self.x0, self.yx * x + self.yy * y + self.y0

    def then(self, outer: Plane) -> Plane:
        """This map, and after it `outer`."""
        x0, y0 = outer.of(self.x0, self.y0)
        return Plane(
            outer.xx * self.xx + outer.xy * self.yx,
            outer.xx * self.xy + outer.xy * self.yy,
            outer.yx * self.xx + outer.yy * self.yx,
            outer.yx * self.xy + outer.yy * self.yy,
            x0,
            y0,
        )

    def back(self) -> Plane:
        """The inverse; a box without area is mapped nowhere and stays as it is."""
        area = self.xx * self.yy - self.xy * self.yx
        if area == 0:
            return IDENTITY
        xx, xy, yx, yy = self.yy / area, -self.xy / area, -self.yx / area, self.xx / area
        return Plane(xx, xy, yx, yy, -(xx * self.x0 + xy * self.y0), -(yx * self.x0 + yy * self.y0))


IDENTITY = Plane()
