"""What was measured, beside what was aimed at."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One line of the table; a line without a goal only explains another."""

    what: str
    measured: float
    unit: str
    goal: float | None = None


def table(rows: list[Row]) -> str:
    width = max(len(row.what) for row in rows)
    lines = [f"{'':{width}}  {'measured':>10}  {'goal':>10}"]
    lines += [line(row, width) for row in rows]
    return "\n".join(lines)


def line(row: Row, width: int) -> str:
    text = f"{row.what:{width}}  {number(row.measured, row.unit):>10}"
    if row.goal is None:
        return text
    verdict = "ok" if row.measured <= row.goal else "MISSED"
    return f"{text}  {number(row.goal, row.unit):>10}  {verdict}"


def number(value: float, unit: str) -> str:
    return f"{value:.2f} {unit}"
