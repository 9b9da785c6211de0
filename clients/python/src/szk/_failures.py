"""Failures as the exceptions of their own classes."""

from __future__ import annotations

from typing import Any

from .error import SzkError
from .operations import ERRORS


def error_of(failure: dict[str, Any]) -> SzkError:
    return ERRORS.get(failure["code"], SzkError)(failure)
