"""Where Beam YAML finds the transforms."""

from pathlib import Path

YAML_PROVIDERS = str(Path(__file__).with_name("providers.yaml"))
"""The file to name in a YAML pipeline: ``providers: [{include: ...}]``."""
