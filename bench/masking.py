"""How well masking does on the corpus: `python -m bench.masking`.

For the known half it names each kind that is not covered and each look-alike that is eaten; for
the held-out half it gives figures alone, so that rules can be written with this report in view.
"""

import argparse
import json
import random
import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from stuckbot.lib.masking import mask_text
from tests.masking.corpus.halves import HALVES, Half
from tests.masking.corpus.judging import Verdict, is_kept, judge
from tests.masking.corpus.making import Kind, LookAlike, Secret

_SHOWN = 300


@dataclass
class KindResult:
    name: str
    vendor: str
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    failed: list[Secret] = field(default_factory=list)

    @property
    def is_covered(self) -> bool:
        return not self.failed


@dataclass
class LookAlikeResult:
    name: str
    samples: int
    eaten: list[str]


@dataclass
class HalfResult:
    name: str
    is_open: bool
    kinds: list[KindResult]
    look_alikes: list[LookAlikeResult]

    def count(self, verdict: Verdict) -> int:
        return sum(kind.verdicts[verdict] for kind in self.kinds)

    @property
    def samples(self) -> int:
        return sum(kind.verdicts.total() for kind in self.kinds)

    @property
    def whole_share(self) -> float:
        return self.count(Verdict.WHOLE) / self.samples

    @property
    def covered_kinds(self) -> int:
        return sum(kind.is_covered for kind in self.kinds)

    @property
    def look_alike_samples(self) -> int:
        return sum(found.samples for found in self.look_alikes)

    @property
    def eaten(self) -> int:
        return sum(len(found.eaten) for found in self.look_alikes)

    @property
    def eaten_share(self) -> float:
        return self.eaten / self.look_alike_samples


def measure(half: Half, *, seed: int, each: int) -> HalfResult:
    """`each` samples of every kind, the same ones for the same seed."""
    return HalfResult(
        half.name,
        half.is_open,
        [_measure_kind(kind, _rng(seed, half, kind.name), each) for kind in half.kinds],
        [_measure_look(look, _rng(seed, half, look.name), each) for look in half.look_alikes],
    )


def _rng(seed: int, half: Half, name: str) -> random.Random:
    return random.Random(f"{seed}/{half.name}/{name}")


def _measure_kind(kind: Kind, rng: random.Random, each: int) -> KindResult:
    result = KindResult(kind.name, kind.vendor)
    for _ in range(each):
        secret = kind.make(rng)
        verdict = judge(secret)
        result.verdicts[verdict] += 1
        if verdict is not Verdict.WHOLE:
            result.failed.append(secret)
    return result


def _measure_look(look: LookAlike, rng: random.Random, each: int) -> LookAlikeResult:
    texts = [look.make(rng) for _ in range(each)]
    return LookAlikeResult(look.name, each, [text for text in texts if not is_kept(text)])


def as_json(result: HalfResult, *, names: bool) -> dict[str, Any]:
    found: dict[str, Any] = {
        "half": result.name,
        "kinds": len(result.kinds),
        "kinds_covered": result.covered_kinds,
        "samples": result.samples,
        **{verdict.name.lower(): result.count(verdict) for verdict in Verdict},
        "look_alike_kinds": len(result.look_alikes),
        "look_alikes": result.look_alike_samples,
        "eaten": result.eaten,
    }
    if names:
        found["not_covered"] = [kind.name for kind in result.kinds if not kind.is_covered]
        found["eaten_names"] = [look.name for look in result.look_alikes if look.eaten]
    return found


def table(results: list[HalfResult]) -> list[str]:
    lines = [
        "| half | kinds | every sample covered | samples | covered whole | partly | missed "
        "| look-alikes | kept | eaten |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for found in results:
        counts = " | ".join(str(found.count(verdict)) for verdict in Verdict)
        lines.append(
            f"| {found.name} | {len(found.kinds)} | {found.covered_kinds} | {found.samples} "
            f"| {counts} | {found.look_alike_samples} ({len(found.look_alikes)} kinds) "
            f"| {found.look_alike_samples - found.eaten} | {found.eaten} |"
        )
    return lines


def details(result: HalfResult, *, show: bool) -> list[str]:
    lines = [f"\n{result.name}: what is not covered, and what is eaten"]
    for kind in result.kinds:
        if kind.failed:
            told = ", ".join(f"{kind.verdicts[verdict]} {verdict.value}" for verdict in Verdict)
            lines.append(f"  {kind.name} ({kind.vendor}): {told}")
            lines += [_shown(secret.text) for secret in kind.failed[:3] if show]
    for look in result.look_alikes:
        if look.eaten:
            lines.append(f"  {look.name}: {len(look.eaten)} of {look.samples} eaten")
            lines += [_shown(text) for text in look.eaten[:3] if show]
    return lines


def _shown(text: str) -> str:
    return f"    {text[:_SHOWN]!r}\n    → {mask_text(text).text[:_SHOWN]!r}"


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.masking", description=__doc__)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--each", type=int, default=20, help="samples of each kind")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--show", action="store_true", help="samples of the known half that fail")
    parser.add_argument("--held-out-names", action="store_true", help="after the rules are done")
    given = parser.parse_args(arguments)
    results = [measure(half, seed=given.seed, each=given.each) for half in HALVES]
    named = [found for found in results if found.is_open or given.held_out_names]
    if given.json:
        halves = [as_json(found, names=found in named) for found in results]
        print(json.dumps({"seed": given.seed, "each": given.each, "halves": halves}, indent=1))
        return
    lines = [f"seed {given.seed}, {given.each} samples of each kind", "", *table(results)]
    for found in named:
        lines += details(found, show=given.show)
    print("\n".join(lines))


if __name__ == "__main__":
    main(sys.argv[1:])
