"""What the clinic hands back: the properties it measured, the faults it names, and how to mend them."""

import textwrap
from dataclasses import dataclass

MARKS = {True: "pass", False: "FAIL", None: " -- "}


@dataclass(frozen=True)
class Finding:
    """One property of the function: does it hold, and the figure that says so."""

    name: str  # "length kept"
    ok: bool | None  # None: could not be tested, or is no question of right and wrong
    figure: str  # "largest change 2.2e-16", "interleaved"


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong."""

    key: str  # a short name from the clinic's list, as in "off by one"
    sentence: str  # what it is, with its number
    remedy: str  # how to mend it


@dataclass(frozen=True)
class Report:
    """The findings in the order they were made, the faults with the likeliest first, and the convention in words.

    Printed, the verdict comes first, and what was measured for it last.
    """

    subject: str  # the function's name
    findings: tuple[Finding, ...]
    faults: tuple[Fault, ...] = ()
    convention: str = ""
    remarks: tuple[str, ...] = ()  # what is worth knowing and no fault

    @property
    def healthy(self):
        return not self.faults

    def __repr__(self):
        width = max((len(finding.name) for finding in self.findings), default=0)
        lines = [self.subject, ""]
        for fault in self.faults:
            lines += [*_wrapped(f"Fault: {fault.key}. {fault.sentence}"), *_wrapped(f"Mend it: {fault.remedy}"), ""]
        if self.healthy:
            lines += ["No fault found."]
        for remark in self.remarks:
            lines += _wrapped(f"Remark: {remark}")
        if self.convention:
            lines += _wrapped(f"Convention: {self.convention}")
        lines += [""] * bool(lines[-1]) + ["What was measured:"]
        lines += [f"  {MARKS[finding.ok]}  {finding.name:<{width}}  {finding.figure}" for finding in self.findings]
        return "\n".join(line.rstrip() for line in lines)


def _wrapped(text):
    return textwrap.wrap(text, width=100, subsequent_indent="    ")
