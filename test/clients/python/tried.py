"""Runs the tests of one file and prints, as JSON, what each of them came to: null, or how it failed."""

import importlib
import json
import sys
import unittest
from typing import Any, Dict, Optional


class Outcomes(unittest.TestResult):
    def __init__(self) -> None:
        super().__init__()
        self.outcomes: Dict[str, Optional[str]] = {}

    def addSuccess(self, test: unittest.TestCase) -> None:
        self.outcomes[name_of(test)] = None

    def addError(self, test: unittest.TestCase, err: Any) -> None:
        self.outcomes[name_of(test)] = self._exc_info_to_string(err, test)  # type: ignore[attr-defined]

    addFailure = addError


def name_of(test: unittest.TestCase) -> str:
    return test.id().rsplit(".", 1)[-1]


if __name__ == "__main__":
    found = unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module(sys.argv[1]))
    result = Outcomes()
    found.run(result)
    print(json.dumps(result.outcomes))
