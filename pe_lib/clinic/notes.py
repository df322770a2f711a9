"""What the examiner writes down on the way: findings in their order, faults by how likely each is the cause."""

import re
from dataclasses import dataclass, field

from pe_lib.clinic.report import Fault, Finding, Report

ORDER = ("axes", "pairs", "direction", "frequencies", "scale", "length", "width")


@dataclass
class Notes:
    subject: str
    findings: list = field(default_factory=list)
    faults: list = field(default_factory=list)
    remarks: list = field(default_factory=list)
    convention: dict = field(default_factory=dict)  # of ORDER: words

    @property
    def keys(self):
        return [fault.key for fault in self.faults]

    def find(self, name, ok, figure):
        self.findings.append(Finding(name, ok, figure))

    def blame(self, key, sentence, remedy):
        if key not in self.keys:
            self.faults.append(Fault(key, sentence, remedy))

    def excuse(self, *names, why="by the convention below"):
        """What failed by a convention is no failure."""
        for i, finding in enumerate(self.findings):
            if finding.name in names and finding.ok is False:
                self.findings[i] = Finding(finding.name, None, f"{finding.figure}, {why}")

    def report(self):
        convention = ", ".join(self.convention[part] for part in ORDER if part in self.convention)
        return Report(self.subject, tuple(self.findings), tuple(self.faults), convention, tuple(self.remarks))


def small(value):
    """A magnitude in words that are the same on every machine: rounding noise has no digits worth printing."""
    for limit in ("1e-12", "1e-6"):
        if abs(value) < float(limit):
            return f"below {limit}"
    return number(value)


def number(value, digits=4):
    """Four digits, without an exponent where none is needed: 10000, 0.0133, 1.5e+10."""
    rounded = float(f"{value:.{digits}g}")
    whole = 1000 <= abs(rounded) < 1e9 and rounded == round(rounded)
    text = f"{rounded:.0f}" if whole else f"{rounded:.{digits}g}"
    return re.sub(r"^-0$", "0", text)


def radians(value, digits=4):
    text = number(value, digits)
    return f"{text} radian" if text == "1" else f"{text} radians"


def a_few(values, most=4):
    """0, 1, 2, 3 ... 31"""
    values = [str(value) for value in values]
    return ", ".join(values if len(values) <= most + 1 else values[:most] + [f"... {values[-1]}"])
