"""The command line."""

import click

from funmem import __version__


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="funmem")
def main() -> None:
    """Compile functional array programs in which memory is an annotation."""
